/*
 * Command queues. Each operation calls the Inspector, then the function of the queue, then adds
 * events, whose completion a reader thread per queue waits for.
 */
#include "dispatch.hpp"

#include <condition_variable>
#include <deque>

namespace tt::tt_metal
{
/*
 * Like the real ones, these functions begin with a push, which the kernel emulates at a probe, and
 * differ from each other, so that the linker cannot fold them. noinline: in TT-Metal the callers
 * are in other source files.
 */
static std::mutex event_mutex;

uint32_t SystemMemoryManager::get_next_event(uint8_t queue)
{
	std::lock_guard lock(event_mutex);

	return ++cq_to_event_[queue];
}

void SystemMemoryManager::set_last_completed_event(uint8_t queue, uint32_t event)
{
	std::lock_guard lock(event_mutex);

	last_completed_[queue] = event;
}

/* While a trace is captured, commands go into it and not to the device. */
void SystemMemoryManager::set_bypass_mode(bool enable, bool)
{
	std::lock_guard lock(event_mutex);

	bypass_ = enable;
}

#if RELEASE <= 64
[[gnu::noinline]] void HWCommandQueue::enqueue_program(Program &, bool)
{
	std::lock_guard lock(mutex_);

	enqueued_++;
}

#if RELEASE <= 61
[[gnu::noinline]] void HWCommandQueue::enqueue_trace(uint32_t, bool)
{
	std::lock_guard lock(mutex_);

	traces_++;
}
#endif
#endif

namespace distributed
{
#if RELEASE >= 58
[[gnu::noinline]] void FDMeshCommandQueue::enqueue_mesh_workload(MeshWorkload &, bool)
{
	std::lock_guard lock(mutex_);

	enqueued_++;
}

[[gnu::noinline]] void FDMeshCommandQueue::enqueue_trace(const MeshTraceId &, bool)
{
	std::lock_guard lock(mutex_);

	traces_++;
}

[[gnu::noinline]] void SDMeshCommandQueue::enqueue_mesh_workload(MeshWorkload &, bool)
{
	std::lock_guard lock(mutex_);

	launched_++;
}

void SDMeshCommandQueue::enqueue_trace(const MeshTraceId &, bool)
{
	throw std::runtime_error("no traces with slow dispatch");
}
#else
[[gnu::noinline]] void MeshCommandQueue::enqueue_mesh_workload(MeshWorkload &, bool)
{
	std::lock_guard lock(mutex_);

	enqueued_++;
}
#endif
} // namespace distributed

#if RELEASE >= 66
namespace experimental::inspector
{
static std::mutex entry_mutex;
static uint64_t last_entry;

#if RELEASE >= 70
void EmitMeshWorkloadDebugEntry(distributed::MeshWorkload &, uint64_t runtime_id, std::string_view,
				std::vector<TensorSpec>, std::optional<distributed::MeshTraceId>)
#elif RELEASE >= 68
void EmitMeshWorkloadDebugEntry(distributed::MeshWorkload &, uint64_t runtime_id, std::string_view,
				std::vector<TensorSpec>)
#else
void EmitMeshWorkloadRuntimeId(distributed::MeshWorkload &, uint64_t runtime_id)
#endif
{
	std::lock_guard lock(entry_mutex);

	last_entry = runtime_id;
}
} // namespace experimental::inspector
#endif

/* The completion queue of one command queue, and its reader. */
class Completion
{
public:
	Completion(std::vector<SystemMemoryManager> &managers, int queue)
		: managers_(managers), queue_(queue), reader_([this] { read(); })
	{
	}
	~Completion()
	{
		add(0);
		reader_.join();
	}
	void add(uint32_t event) /* 0: no more */
	{
		std::lock_guard lock(mutex_);
		events_.push_back(event);
		changed_.notify_all();
	}
	void wait(uint32_t event)
	{
		std::unique_lock lock(mutex_);
		changed_.wait(lock, [&] { return completed_ >= event; });
	}

private:
	void read()
	{
		std::unique_lock lock(mutex_);
		for (;;) {
			changed_.wait(lock, [&] { return !events_.empty(); });
			uint32_t event = events_.front();

			events_.pop_front();
			if (event == 0)
				return;
			lock.unlock();
			for (SystemMemoryManager &manager : managers_)
				manager.set_last_completed_event(queue_, event);
			lock.lock();
			completed_ = event;
			changed_.notify_all();
		}
	}

	std::vector<SystemMemoryManager> &managers_;
	int queue_;
	std::mutex mutex_;
	std::condition_variable changed_;
	std::deque<uint32_t> events_;
	uint32_t completed_ = 0;
	std::thread reader_;
};

/* The queues of a device or a mesh. Only in old releases a device without a mesh has a queue. */
struct Queues {
	std::vector<SystemMemoryManager> managers; /* per chip */
	std::vector<std::unique_ptr<distributed::MeshCommandQueue>> mesh;
#if RELEASE <= 64
	std::vector<std::unique_ptr<HWCommandQueue>> single;
#endif
	std::vector<std::unique_ptr<Completion>> completions;
#if RELEASE >= 71
	std::unique_ptr<Profiler> profiler;
#endif
	uint64_t profiled = 0; /* bit per chip */
	distributed::MeshWorkload workload;
	Program program;
};

static std::unique_ptr<distributed::MeshCommandQueue> new_queue(bool slow)
{
#if RELEASE >= 58
	if (slow)
		return std::make_unique<distributed::SDMeshCommandQueue>();
	return std::make_unique<distributed::FDMeshCommandQueue>();
#else
	if (slow)
		throw std::runtime_error("this release has no queue for slow dispatch");
	return std::make_unique<distributed::MeshCommandQueue>();
#endif
}
} // namespace tt::tt_metal

using namespace tt::tt_metal;

static Queues &queues_of(void *queues)
{
	return *static_cast<Queues *>(queues);
}

void *double_open_queues(void *on, const double_dispatch *options)
{
	auto *device = static_cast<IDevice *>(on);
	auto *mesh = dynamic_cast<distributed::MeshDevice *>(device);
	auto queues = std::make_unique<Queues>();
	std::vector<IDevice *> devices = { device };

	if (mesh)
		devices = mesh->get_devices();
	for (IDevice *chip : devices)
		queues->managers.emplace_back(chip->id(), options->queues);
	for (int id = 0; id < options->queues; id++) {
#if RELEASE <= 64
		if (!mesh && !options->slow)
			queues->single.push_back(std::make_unique<HWCommandQueue>());
		else
#endif
			queues->mesh.push_back(new_queue(options->slow));
		queues->completions.push_back(std::make_unique<Completion>(queues->managers, id));
	}
#if RELEASE >= 71
	if (!options->slow) {
		queues->profiler = Profiler::create(devices, *options);
		queues->profiled = ~options->unprofiled;
	}
#endif
	return queues.release();
}

void double_close_queues(void *queues)
{
	delete static_cast<Queues *>(queues);
}

void double_enqueue(void *on, int queue, uint64_t runtime_id, const char *name)
{
	Queues &queues = queues_of(on);

#if RELEASE <= 64
	if (!queues.single.empty())
		return queues.single.at(queue)->enqueue_program(queues.program, false);
#endif
#if RELEASE >= 70
	experimental::inspector::EmitMeshWorkloadDebugEntry(queues.workload, runtime_id, name, {},
							    std::nullopt);
#elif RELEASE >= 68
	experimental::inspector::EmitMeshWorkloadDebugEntry(queues.workload, runtime_id, name, {});
#elif RELEASE >= 66
	experimental::inspector::EmitMeshWorkloadRuntimeId(queues.workload, runtime_id);
	(void)name;
#else
	(void)runtime_id;
	(void)name;
#endif
	queues.mesh.at(queue)->enqueue_mesh_workload(queues.workload, false);
}

void double_capture(void *queues, int, bool on)
{
	for (SystemMemoryManager &manager : queues_of(queues).managers)
		manager.set_bypass_mode(on, on);
}

void double_enqueue_trace(void *on, int queue, uint32_t trace)
{
	Queues &queues = queues_of(on);

#if RELEASE <= 61
	if (!queues.single.empty())
		return queues.single.at(queue)->enqueue_trace(trace, false);
#endif
#if RELEASE >= 58
	if (!queues.mesh.empty())
		return queues.mesh.at(queue)->enqueue_trace({ trace }, false);
#endif
	(void)queue;
	(void)trace;
	throw std::runtime_error("this release has no such trace");
}

uint32_t double_record_event(void *queues, int queue)
{
	uint32_t event = 0;

	for (SystemMemoryManager &manager : queues_of(queues).managers)
		event = manager.get_next_event(queue);
	return event;
}

void double_complete(void *queues, int queue, uint32_t event)
{
	queues_of(queues).completions.at(queue)->add(event);
}

void double_finish(void *queues, int queue, uint32_t event)
{
	queues_of(queues).completions.at(queue)->wait(event);
#if RELEASE >= 71
	if (queues_of(queues).profiler)
		queues_of(queues).profiler->finish();
#endif
}

void double_flood(void *queues, uint64_t count)
{
	static auto *copies =
		new std::vector<SystemMemoryManager>(10'000, queues_of(queues).managers.at(0));

	for (uint64_t i = 0; i < count; i++) {
		(*copies)[i % copies->size()].get_next_event(0);
#if RELEASE >= 71
		if (queues_of(queues).profiler)
			queues_of(queues).profiler->publish_false();
#endif
	}
}

bool double_profiled(void *queues, int chip)
{
	return queues_of(queues).profiled >> chip & 1;
}

#if RELEASE >= 71
bool double_push(void *queues, int chip, const uint32_t *page)
{
	return queues_of(queues).profiler->push(chip, page);
}

bool double_take_sync_request(void *queues)
{
	return queues_of(queues).profiler && queues_of(queues).profiler->take_sync_request();
}

void double_run_receiver(void *queues, bool on)
{
	queues_of(queues).profiler->run_receiver(on);
}

#else
bool double_take_sync_request(void *)
{
	return false;
}

int double_release(void)
{
	return RELEASE;
}
#endif

bool double_address(void *on, int chip, const char *what, uint64_t *address, int *size)
{
	Queues &queues = queues_of(on);

	if (std::string_view(what) == "system_memory") {
		*address = reinterpret_cast<uintptr_t>(&queues.managers.at(chip));
		*size = sizeof(SystemMemoryManager);
		return true;
	}
#if RELEASE >= 71
	return double_profiled(on, chip) && queues.profiler->address(chip, what, address, size);
#else
	return false;
#endif
}
