/* See profiler.hpp. */
#include "profiler.hpp"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <set>
#include <sys/mman.h>
#include <unistd.h>

namespace tt
{
static std::mutex callback_mutex;
static auto &active = *new std::set<uint32_t>; /* chips */
static uint64_t called;

#if RELEASE <= 75
void InvokeProgramRealtimeProfilerCallbacks(const tt_metal::experimental::ProgramRealtimeRecord &)
{
	std::lock_guard lock(callback_mutex);

	called++;
}
#endif

void NotifyProgramRealtimeProfilerActivated(uint32_t chip)
{
	std::lock_guard lock(callback_mutex);

	active.insert(chip);
}

void NotifyProgramRealtimeProfilerDeactivated(uint32_t chip)
{
	std::lock_guard lock(callback_mutex);

	active.erase(chip);
}
} // namespace tt

namespace tt::tt_metal::distributed
{
constexpr uint32_t RECORD_SIZE = 64, RECORD_WORDS = 16, SYNC_MARKER = UINT32_MAX;
constexpr uint32_t MAX_PAGES = 1024;
constexpr size_t PAGE = 4096;

/* Files that are removed when the process exits, but not if it is killed. */
static auto &left_behind = *new std::set<std::string>;

static void unlink_left_behind()
{
	for (const std::string &name : left_behind)
		shm_unlink(name.c_str());
}

static void *map(size_t size, int flags, int fd)
{
	void *at = mmap(nullptr, size, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (at == MAP_FAILED)
		throw std::runtime_error(std::string("mmap: ") + strerror(errno));
	return at;
}

void D2HSocket::map_shared_memory(size_t size)
{
	static bool registered = atexit(unlink_left_behind) == 0;
	static std::atomic<unsigned> count;

	(void)registered;
	shared_memory_ = "/tt_d2h_" + std::to_string(getpid()) + "_" + std::to_string(random()) +
			 "_" + std::to_string(count++);
	int fd = shm_open(shared_memory_.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);

	if (fd < 0 || ftruncate(fd, size) < 0)
		throw std::runtime_error(shared_memory_ + ": " + strerror(errno));
	left_behind.insert(shared_memory_);
	map_ = map(size, MAP_SHARED, fd);
	close(fd);
}

/* The FIFO and its counter are at the end of the huge page, after other data. */
void D2HSocket::map_huge_page(size_t size)
{
	constexpr size_t HUGE = 4 << 20;

	map_size_ = HUGE;
	map_ = map(HUGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	huge_page_data_ = reinterpret_cast<uint32_t *>(static_cast<char *>(map_) + HUGE - size);
	huge_page_counter_ = huge_page_data_ + fifo_size_ / sizeof(uint32_t);
	unseen_.resize(fifo_size_);
	sender_.data = unseen_.data();
	sender_.counter = &unseen_counter_;
}

D2HSocket::D2HSocket(uint32_t fifo_size, uint32_t page_size, bool huge_page)
	: fifo_size_(fifo_size), page_size_(page_size),
	  fifo_curr_size_(fifo_size / page_size * page_size), using_huge_page_(huge_page)
{
	size_t size = fifo_size + PAGE;

	if (huge_page) {
		map_huge_page(size);
		return;
	}
	map_size_ = size;
	if (RELEASE >= 76)
		map_ = map(size, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1);
	else
		map_shared_memory(size);
	host_buffer_ =
		std::shared_ptr<uint32_t[]>(static_cast<uint32_t *>(map_), [](uint32_t *) {});
	bytes_sent_ptr_ = host_buffer_.get() + fifo_size / sizeof(uint32_t);
	sender_.data = static_cast<char *>(map_);
	sender_.counter = reinterpret_cast<std::atomic<uint32_t> *>(bytes_sent_ptr_);
}

D2HSocket::~D2HSocket()
{
	munmap(map_, map_size_);
	if (!shared_memory_.empty() && shm_unlink(shared_memory_.c_str()) == 0)
		left_behind.erase(shared_memory_);
}

/* DMA to a huge page is not snooped: the CPU sees only data whose cache lines it has flushed. */
void D2HSocket::flush(uint32_t at, uint32_t size)
{
	memcpy(reinterpret_cast<char *>(huge_page_data_) + at, unseen_.data() + at, size);
}

uint32_t D2HSocket::load_counter() const
{
	if (using_huge_page_)
		*huge_page_counter_ = unseen_counter_;
	return __atomic_load_n(using_huge_page_ ? huge_page_counter_ : bytes_sent_ptr_,
			       __ATOMIC_ACQUIRE);
}

uint32_t D2HSocket::pages_available()
{
	bytes_sent_ = load_counter();
	return (bytes_sent_ - bytes_acked_) / page_size_;
}

void D2HSocket::read(void *data, uint32_t pages, bool notify_sender)
{
	auto *to = static_cast<char *>(data);
	const auto *from =
		reinterpret_cast<char *>(using_huge_page_ ? huge_page_data_ : host_buffer_.get());
	uint32_t size = pages * page_size_;
	uint32_t head = std::min(size, fifo_curr_size_ - read_ptr_);

	if (using_huge_page_) {
		flush(read_ptr_, head);
		flush(0, size - head);
	}
	memcpy(to, from + read_ptr_, head);
	memcpy(to + head, from, size - head);
	read_ptr_ = (read_ptr_ + size) % fifo_curr_size_;
	bytes_acked_ += size;
	if (notify_sender)
		sender_.acked = bytes_acked_;
}

bool D2HSocket::push(const uint32_t *page)
{
	if (sender_.sent - sender_.acked + page_size_ > fifo_curr_size_)
		return false;
	/* The FIFO's size divides the counter's range, unless the page size is wrong. */
	memcpy(sender_.data + sender_.sent % fifo_curr_size_, page, RECORD_SIZE);
	sender_.sent += page_size_;
	sender_.counter->store(sender_.sent, std::memory_order_release);
	return true;
}

bool D2HSocket::address(std::string_view what, uint64_t *address, int *size)
{
	const struct {
		std::string_view name;
		void *at;
		size_t size;
	} members[] = {
		{ "socket_object", this, sizeof(*this) },
		{ "fifo_size", &fifo_size_, 4 },
		{ "page_size", &page_size_, 4 },
		{ "bytes_acked", &bytes_acked_, 4 },
		{ "bytes_sent", &bytes_sent_, 4 },
		{ "read_ptr", &read_ptr_, 4 },
		{ "fifo_curr_size", &fifo_curr_size_, 4 },
		{ "host_buffer", &host_buffer_, 8 },
		{ "bytes_sent_ptr", &bytes_sent_ptr_, 8 },
		{ "huge_page", &using_huge_page_, 1 },
		{ "huge_page_data", &huge_page_data_, 8 },
		{ "huge_page_counter", &huge_page_counter_, 8 },
		{ "fifo", using_huge_page_ ? huge_page_data_ : host_buffer_.get(), fifo_size_ },
		{ "counter", using_huge_page_ ? huge_page_counter_ : bytes_sent_ptr_, 4 },
	};

	for (const auto &member : members) {
		if (member.name != what)
			continue;
		*address = reinterpret_cast<uintptr_t>(member.at);
		*size = static_cast<int>(member.size);
		return true;
	}
	return false;
}

static int64_t now_ns()
{
	return std::chrono::steady_clock::now().time_since_epoch().count();
}

RealtimeProfilerManager::RealtimeProfilerManager(unsigned poll_us)
	: poll_us_(poll_us	   ? poll_us
		   : RELEASE >= 76 ? 100
				   : 10000),
	  last_sync_ns_(now_ns())
{
}

/*
 * Adds a chip and synchronises its clock: the chip answers with markers, before the receiver
 * thread runs.
 */
void RealtimeProfilerManager::add(IDevice *device, int index, const double_dispatch &options)
{
	constexpr int SAMPLES = 4;
	std::vector<uint32_t> answer(options.page_size * SAMPLES / sizeof(uint32_t));
	uint64_t ticks = options.anchor_ticks + index * DOUBLE_TICKS_APART;
	DeviceState &state = devices_.emplace_back();

	state.device = device;
	state.chip_id = device->id();
	state.socket = std::make_unique<D2HSocket>(FIFO_SIZE, options.page_size, options.huge_page);
	NotifyProgramRealtimeProfilerActivated(state.chip_id);
	if (options.anchor_ticks == 0)
		return;
	for (uint32_t i = 0; i < SAMPLES; i++) {
		const uint32_t marker[RECORD_WORDS] = { static_cast<uint32_t>(ticks >> 32),
							static_cast<uint32_t>(ticks), i,
							SYNC_MARKER };

		state.socket->push(marker);
	}
	state.socket->read(answer.data(), state.socket->pages_available(), true);
	state.first_timestamp = ticks;
	state.sync_host_start = options.anchor_ns;
	state.sync_frequency = options.ticks_per_ns;
}

void RealtimeProfilerManager::start()
{
	receiver_ = std::thread([this] { receive(); });
}

RealtimeProfilerManager::~RealtimeProfilerManager()
{
	stop_ = true;
	receiver_.join();
	for (const DeviceState &state : devices_)
		NotifyProgramRealtimeProfilerDeactivated(state.chip_id);
}

void RealtimeProfilerManager::trigger_sync_check()
{
	constexpr int64_t INTERVAL_NS = 60'000'000'000;

	if (now_ns() - last_sync_ns_ < INTERVAL_NS)
		return;
	last_sync_ns_ = now_ns();
	sync_requested_ = true;
}

bool RealtimeProfilerManager::take_sync_request()
{
	return sync_requested_.exchange(false);
}

void RealtimeProfilerManager::run_receiver(bool on)
{
	std::lock_guard lock(draining_);

	running_ = on;
}

/* False: a marker, or a program without an id. */
static bool decode(const RealtimeProfilerManager::DeviceState &state, const uint32_t *page,
		   experimental::ProgramRealtimeRecord &record)
{
#if RELEASE >= 73
	record.runtime_id = page[2];
#else
	record.program_id = page[2];
#endif
	record.chip_id = state.chip_id;
	record.start_timestamp = static_cast<uint64_t>(page[0]) << 32 | page[1];
	record.end_timestamp = static_cast<uint64_t>(page[4]) << 32 | page[5];
	record.frequency = state.sync_frequency;
	return page[3] != SYNC_MARKER && page[2] != 0;
}

#if RELEASE >= 76
void RealtimeProfilerManager::publish_pages(const DeviceState &state, const uint32_t *pages,
					    uint32_t count, Records &records)
{
	experimental::ProgramRealtimeRecord record{};

	records.clear();
	for (uint32_t i = 0; i < count; i++)
		if (decode(state, pages + i * RECORD_WORDS, record))
			records.push_back(record);
	std::lock_guard lock(callback_mutex);
	called += records.size();
}

uint32_t RealtimeProfilerManager::drain(DeviceState &state, std::vector<uint32_t> &pages,
					Records &records)
{
	uint32_t count = std::min(state.socket->pages_available(), MAX_PAGES);

	if (count == 0)
		return 0;
	state.socket->read(pages.data(), count, true);
	publish_pages(state, pages.data(), count, records);
	return count;
}
#else
uint32_t RealtimeProfilerManager::drain(DeviceState &state, std::vector<uint32_t> &pages, Records &)
{
	uint32_t count = state.socket->pages_available();
	experimental::ProgramRealtimeRecord record{};

	for (uint32_t i = 0; i < count; i++) {
		state.socket->read(pages.data(), 1, true);
		if (decode(state, pages.data(), record))
			InvokeProgramRealtimeProfilerCallbacks(record);
	}
	return count;
}
#endif

void RealtimeProfilerManager::receive()
{
	std::vector<uint32_t> pages(MAX_PAGES * 4 * RECORD_WORDS); /* room for a wrong page size */
	Records records;
	unsigned pause_us = 1;

	while (!stop_) {
		uint32_t count = 0;
		{
			std::lock_guard lock(draining_);

			for (DeviceState &state : devices_)
				count += running_ ? drain(state, pages, records) : 0;
		}
		/* Until v0.75 it is always the longest pause. */
		pause_us = count ? 1 : std::min(pause_us + pause_us / 4 + 1, poll_us_);
		if (count == 0)
			usleep(RELEASE >= 76 ? pause_us : poll_us_);
	}
}

RealtimeProfilerManager::DeviceState *RealtimeProfilerManager::find(const IDevice *device)
{
	for (DeviceState &state : devices_)
		if (state.device == device)
			return &state;
	return nullptr;
}

bool RealtimeProfilerManager::address(DeviceState &state, std::string_view what, uint64_t *address,
				      int *size)
{
	const struct {
		std::string_view name;
		void *at;
		size_t size;
	} members[] = {
		{ "manager", this, sizeof(*this) },
		{ "devices", &devices_, sizeof(devices_) },
		{ "state", &state, sizeof(state) },
		{ "chip_id", &state.chip_id, 4 },
		{ "socket", &state.socket, 8 },
		{ "first_timestamp", &state.first_timestamp, 8 },
		{ "sync_host_start", &state.sync_host_start, 8 },
		{ "sync_frequency", &state.sync_frequency, 8 },
	};

	for (const auto &member : members) {
		if (member.name != what)
			continue;
		*address = reinterpret_cast<uintptr_t>(member.at);
		*size = static_cast<int>(member.size);
		return true;
	}
	return state.socket->address(what, address, size);
}
} // namespace tt::tt_metal::distributed

namespace tt::tt_metal
{
class ProfilerOfMesh final : public Profiler
{
public:
	ProfilerOfMesh(const std::vector<IDevice *> &devices, const double_dispatch &options)
		: devices_(devices), manager_(options.poll_us)
	{
		for (size_t i = 0; i < devices.size(); i++)
			if (!(options.unprofiled >> i & 1))
				manager_.add(devices[i], static_cast<int>(i), options);
		manager_.start();
	}
	void finish() override
	{
		manager_.trigger_sync_check();
	}
	bool push(int chip, const uint32_t *page) override
	{
		return manager_.find(devices_[chip])->socket->push(page);
	}
	bool take_sync_request() override
	{
		return manager_.take_sync_request();
	}
	void run_receiver(bool on) override
	{
		manager_.run_receiver(on);
	}
	void publish_false() override
	{
#if RELEASE <= 75
		InvokeProgramRealtimeProfilerCallbacks({});
#endif
	}
	bool address(int chip, const char *what, uint64_t *at, int *size) override
	{
		return manager_.address(*manager_.find(devices_[chip]), what, at, size);
	}

private:
	std::vector<IDevice *> devices_;
	distributed::RealtimeProfilerManager manager_;
};

std::unique_ptr<Profiler> Profiler::create(const std::vector<IDevice *> &devices,
					   const double_dispatch &options)
{
	return std::make_unique<ProfilerOfMesh>(devices, options);
}
} // namespace tt::tt_metal

int double_release(void)
{
	return RELEASE;
}
