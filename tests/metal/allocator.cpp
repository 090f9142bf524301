/* Allocator and tracker: the functions that probes and the preloaded library hook. */
#include "metal.hpp"

#include <algorithm>
#include <string>
#include <unistd.h>

namespace tt::tt_metal
{
/* First fit. Throws if there is no room, from a frame below that of the allocator. */
uint64_t BankManager::allocate_buffer(uint64_t size, uint64_t, bool, const CoreRangeSet &,
				      std::optional<uint32_t>, AllocatorID
#if RELEASE >= 69
				      ,
				      const std::vector<std::pair<uint64_t, uint64_t>> &
#endif
)
{
	uint64_t step = uint64_t{ BANKS } * ALIGNMENT;
	uint64_t length = (size / step + (size % step != 0)) * ALIGNMENT;

	for (auto hole = free_.begin(); hole != free_.end(); ++hole) {
		uint64_t start = hole->first;

		if (hole->second < length)
			continue;
		hole->first += length;
		hole->second -= length;
		if (hole->second == 0)
			free_.erase(hole);
		taken_[start] = length;
		used_ += length;
		return start;
	}
	throw std::runtime_error("Out of Memory: Not enough space to allocate " +
				 std::to_string(size) + " B");
}

void BankManager::deallocate_buffer(uint64_t address, AllocatorID)
{
	auto taken = taken_.find(address);

	if (taken == taken_.end())
		return;
	std::pair<uint64_t, uint64_t> hole = *taken;
	auto next = std::lower_bound(free_.begin(), free_.end(), hole);

	used_ -= hole.second;
	taken_.erase(taken);
	if (next != free_.end() && hole.first + hole.second == next->first) {
		hole.second += next->second;
		next = free_.erase(next);
	}
	if (next != free_.begin() && (next - 1)->first + (next - 1)->second == hole.first)
		(next - 1)->second += hole.second;
	else
		free_.insert(next, hole);
}

void BankManager::deallocate_all()
{
	taken_.clear();
	used_ = 0;
	free_ = { { RESERVED, bank_size_ } };
}

ALLOCATOR::ALLOCATOR()
{
	/* Small enough that all allocators of a chip together do not exceed the card. */
	static const uint64_t capacity[] = { uint64_t{ 3 } << 30, 24 << 20, 4 << 20, 64 << 20 };

	for (int i = 0; i < 4; i++)
		managers_[i] = std::make_unique<BankManager>(capacity[i]);
	system_ = std::make_unique<BankManager>(1 << 30);
	for (uint32_t bank = 0; bank < BankManager::BANKS; bank++) {
		channel_of_bank_[bank] = bank_of_channel_[bank] = bank;
		core_of_bank_[bank] = bank_of_core_[bank] = bank;
	}
#if RELEASE >= 66
	view_ = std::make_unique<Allocator>(this);
#endif
}

ALLOCATOR::~ALLOCATOR()
{
	clear();
}

uint64_t ALLOCATOR::allocate_buffer(Buffer *buffer)
{
	std::lock_guard lock(mutex_);
	uint64_t address = manager(buffer->buffer_type())
				   .allocate_buffer(buffer->size(), buffer->page_size(), true,
						    CoreRangeSet(), std::nullopt, AllocatorID{ 0 }
#if RELEASE >= 69
						    ,
						    {}
#endif
				   );

	live_.insert(buffer);
	return address;
}

#ifdef STEPPED
/* The check comes before the first push, as in code that the compiler has shrink-wrapped. */
void ALLOCATOR::deallocate_buffer(Buffer *buffer)
{
	if (!buffer)
		return;
#else
void ALLOCATOR::deallocate_buffer(Buffer *buffer)
{
#endif
	std::lock_guard lock(mutex_);

	if (live_.erase(buffer) == 0)
		return; /* freed when the device was closed */
	manager(buffer->buffer_type()).deallocate_buffer(buffer->address(), AllocatorID{ 0 });
}

void ALLOCATOR::deallocate_buffers()
{
	std::lock_guard lock(mutex_);

	for (auto &manager : managers_)
		manager->deallocate_all();
	system_->deallocate_all();
	live_.clear();
}

void ALLOCATOR::clear()
{
	std::lock_guard lock(mutex_);

	for (auto &manager : managers_)
		manager->deallocate_all();
	live_.clear();
}

Statistics ALLOCATOR::get_statistics(const BufferType &type) const
{
	std::lock_guard lock(mutex_);
	const BankManager &bank = manager(type);

	return { bank.bank_size(), bank.used(), bank.bank_size() - bank.used() };
}

uint32_t ALLOCATOR::get_num_banks(const BufferType &) const
{
	return BankManager::BANKS;
}

uint64_t ALLOCATOR::get_bank_size(const BufferType &type) const
{
	return manager(type).bank_size();
}

#if RELEASE >= 66
void Allocator::deallocate_buffers()
{
	impl_->deallocate_buffers();
}

Statistics Allocator::get_statistics(const BufferType &type) const
{
	return impl_->get_statistics(type);
}

uint32_t Allocator::get_num_banks(const BufferType &type) const
{
	return impl_->get_num_banks(type);
}

uint64_t Allocator::get_bank_size(const BufferType &type) const
{
	return impl_->get_bank_size(type);
}
#endif

#if RELEASE >= 65
GraphTracker &GraphTracker::instance()
{
	static GraphTracker tracker;

	return tracker;
}
#endif

#if RELEASE >= 70
static thread_local bool publishes;

void GraphTracker::publish_here()
{
	static std::atomic_flag asked;

	if (!asked.test_and_set())
		publishes = true;
}

/*
 * Called by the tracker, so dry runs are included, and memory that closing a device frees is not
 * subtracted. Since v0.72 observers of the tracker see the calls of one thread only; the proposed
 * layout 4 does not have this restriction.
 */
static void publish(const Buffer *buffer, bool allocated)
{
	auto *mesh = dynamic_cast<distributed::MeshDevice *>(buffer->device());
	auto type = static_cast<ShmBufferType>(buffer->buffer_type());

	if (RELEASE >= 72 && LAYOUT < 4 && !publishes)
		return;
	for (IDevice *member : mesh ? mesh->get_devices() : std::vector{ buffer->device() }) {
		SharedMemoryStatsProvider *stats = dynamic_cast<Device *>(member)->stats();

		if (stats && allocated)
			stats->record_allocation(getpid(), buffer->size(), type, member->id());
		else if (stats)
			stats->record_deallocation(getpid(), buffer->size(), type, member->id());
	}
}
#else
static void publish(const Buffer *, bool)
{
}
#endif

void GraphTracker::track_allocate(const Buffer *buffer)
{
	std::lock_guard lock(mutex_);

	allocations_++;
	publish(buffer, true);
}

void GraphTracker::track_deallocate(Buffer *buffer)
{
	std::lock_guard lock(mutex_);

	deallocations_++;
	publish(buffer, false);
}

static thread_local bool dry_run;

void GraphTracker::set_dry_run(bool on)
{
	dry_run = on;
}

bool GraphTracker::hook_allocate(const Buffer *)
{
	std::lock_guard lock(mutex_);

	asked_++;
	return dry_run;
}

/* A buffer of a dry run may be freed after it. */
bool GraphTracker::hook_deallocate(Buffer *)
{
	std::lock_guard lock(mutex_);

	asked_++;
	return false;
}

void GraphTracker::track_allocate_cb(const CoreRangeSet &, uint64_t, uint64_t, bool,
				     const IDevice *)
{
}

void GraphTracker::track_deallocate_cb(const IDevice *)
{
}

#if RELEASE >= 77
void GraphTracker::track_allocate_dataflow_buffer(const CoreRangeSet &, uint64_t, uint64_t, bool,
						  const IDevice *)
{
}

void GraphTracker::track_allocate_scratchpad(const CoreRangeSet &, uint64_t, uint64_t,
					     const IDevice *)
{
}
#endif
} // namespace tt::tt_metal
