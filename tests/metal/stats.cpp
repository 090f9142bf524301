/*
 * Counters as TT-Metal publishes them, layout 3. The directory is METAL_DOUBLE_SHM's, and
 * without it nothing is published. A chip's id is the place of its logical number in
 * METAL_DOUBLE_IDS (separated by commas), else that number. Exact, and one process at a
 * time writes: there is a lock for threads, none for processes.
 */
#include "metal.hpp"

#if RELEASE >= 70

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <map>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace tt::tt_metal
{
struct Slot {
	int32_t pid, padding;
	uint64_t bytes[5]; /* DRAM, L1, L1_SMALL, TRACE, CB */
	uint64_t updated;
	char name[64];
};

struct Counters {
	uint32_t version, processes;
	uint64_t updated;
	uint32_t references, padding1;
	uint64_t serial, asic_id;
	uint32_t device_id, padding2;
	uint64_t bytes[5];
	struct {
		uint32_t chip, remote;
		uint64_t bytes[5];
	} chips[16];
	Slot slots[64];
	char padding3[40];
};
static_assert(sizeof(Slot) == 120 && offsetof(Counters, slots) == 856 && sizeof(Counters) == 8576);

static uint64_t id_of(int chip)
{
	const char *ids = getenv("METAL_DOUBLE_IDS");

	for (int i = 0; ids && i < chip; i++)
		ids = strchr(ids, ',') ? strchr(ids, ',') + 1 : nullptr;
	return ids && *ids ? strtoull(ids, nullptr, 10) : chip;
}

static uint64_t now()
{
	timespec at;

	clock_gettime(CLOCK_REALTIME, &at);
	return at.tv_sec * UINT64_C(1000000000) + at.tv_nsec;
}

SharedMemoryStatsProvider *SharedMemoryStatsProvider::of(int chip)
{
	static std::mutex mutex;
	static auto &all = *new std::map<int, std::unique_ptr<SharedMemoryStatsProvider>>;
	std::lock_guard lock(mutex);
	auto &provider = all[chip];

	if (!provider)
		provider = std::make_unique<SharedMemoryStatsProvider>(chip);
	return provider.get();
}

SharedMemoryStatsProvider::SharedMemoryStatsProvider(int chip)
{
	const char *directory = getenv("METAL_DOUBLE_SHM");
	uint64_t id = id_of(chip);

	if (!directory)
		return;
	std::string path = std::string(directory) + "/tt_device_" + std::to_string(id) + "_memory";
	int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, sizeof(Counters)) < 0)
		throw std::runtime_error(path + ": " + strerror(errno));
	counters_ = static_cast<Counters *>(
		mmap(nullptr, sizeof(Counters), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
	close(fd);
	counters_->version = 3;
	counters_->asic_id = id;
	counters_->device_id = chip;
	counters_->references++;
	for (auto &entry : counters_->chips)
		entry.chip = UINT32_MAX;
	counters_->chips[0].chip = chip;
}

Slot *SharedMemoryStatsProvider::slot(int pid)
{
	for (Slot &slot : counters_->slots) {
		if (slot.pid == 0) {
			FILE *comm = fopen("/proc/self/comm", "re");

			if (comm && fgets(slot.name, sizeof(slot.name), comm))
				slot.name[strcspn(slot.name, "\n")] = '\0';
			if (comm)
				fclose(comm);
			slot.pid = pid;
			counters_->processes++;
		}
		if (slot.pid == pid)
			return &slot;
	}
	throw std::runtime_error("no free slot");
}

static int place_of(ShmBufferType type)
{
	static const int places[] = { 0, 1, -1, 2, 3, 4 };

	return places[static_cast<int>(type)];
}

void SharedMemoryStatsProvider::record_allocation(int pid, uint64_t size, ShmBufferType type,
						  uint32_t)
{
	std::lock_guard lock(mutex_);
	int place = place_of(type);

	if (!counters_ || place < 0)
		return;
	Slot *own = slot(pid);

	own->bytes[place] += size;
	counters_->bytes[place] += size;
	counters_->chips[0].bytes[place] += size;
	own->updated = counters_->updated = now();
}

/* A child that frees what its parent had allocated has nothing to give back. */
void SharedMemoryStatsProvider::record_deallocation(int pid, uint64_t size, ShmBufferType type,
						    uint32_t)
{
	std::lock_guard lock(mutex_);
	int place = place_of(type);

	if (!counters_ || place < 0)
		return;
	Slot *own = slot(pid);
	uint64_t bytes = std::min(size, own->bytes[place]);

	own->bytes[place] -= bytes;
	counters_->bytes[place] -= bytes;
	counters_->chips[0].bytes[place] -= bytes;
	own->updated = counters_->updated = now();
}
} // namespace tt::tt_metal
#endif
