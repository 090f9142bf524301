/*
 * Counters as TT-Metal publishes them, a file per chip: layout 3 as in all releases since v0.70, or
 * the proposed layout 4. The files are in the directory METAL_DOUBLE_SHM; without it nothing is
 * published. The id of a chip is the entry for its logical number in METAL_DOUBLE_IDS (separated by
 * commas), else that number.
 *
 * TT-Metal's faults are reproduced: killed processes keep their slots, memory that is freed in bulk
 * is counted until the device itself is closed, and a dry run is counted until it is freed.
 * Circular buffers are not published: the double has none.
 */
#include "metal.hpp"

#if RELEASE >= 70

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace tt::tt_metal
{
using Word = std::atomic<uint64_t>;

struct Slot {
	std::atomic<int32_t> pid;
	int32_t padding;
	Word bytes[5]; /* DRAM, L1, L1_SMALL, TRACE, CB */
	Word updated;
	char name[64];
};

struct Counters {
	uint32_t version;
	std::atomic<uint32_t> processes;
	Word updated;
	std::atomic<uint32_t> references;
	uint32_t padding1;
	uint64_t serial, asic_id;
	uint32_t device_id, padding2;
	Word bytes[5];
	struct {
		uint32_t chip, remote;
		Word bytes[5];
	} chips[16];
	Slot slots[64];
	uint32_t state; /* of layout 4 */
	char padding3[36];
};
static_assert(sizeof(Slot) == 120 && offsetof(Counters, slots) == 856 &&
	      offsetof(Counters, state) == 8536 && sizeof(Counters) == 8576);

constexpr uint32_t READY = 0x52454459;
constexpr int32_t RELEASED = -1; /* a slot that is being released */

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

static void subtract(Word &word, uint64_t size)
{
	uint64_t old = word;

	while (!word.compare_exchange_weak(old, old - std::min(old, size)))
		;
}

/* False: the file has another layout and is in use. Layout 4 treats an older layout as not ready.
 */
static bool initialize(Counters &counters, int chip)
{
	if (LAYOUT == 4 ? counters.state == READY : counters.version == LAYOUT)
		return true;
	if (LAYOUT < 4 && counters.version != 0 && counters.references != 0)
		return false;
	memset(static_cast<void *>(&counters), 0, sizeof(counters));
	counters.version = LAYOUT;
	for (auto &entry : counters.chips)
		entry.chip = UINT32_MAX;
	counters.chips[0].chip = chip;
	counters.state = LAYOUT == 4 ? READY : 0;
	return true;
}

/* If the file belongs to another user and cannot be opened, nothing is counted. */
SharedMemoryStatsProvider::SharedMemoryStatsProvider(int chip)
{
	const char *directory = getenv("METAL_DOUBLE_SHM");
	uint64_t id = id_of(chip);

	if (!directory)
		return;
	std::string path = std::string(directory) + "/tt_device_" + std::to_string(id) + "_memory";
	int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		return;
	void *map = ftruncate(fd, sizeof(Counters)) < 0
			    ? MAP_FAILED
			    : mmap(nullptr, sizeof(Counters), PROT_READ | PROT_WRITE, MAP_SHARED,
				   fd, 0);

	close(fd);
	if (map == MAP_FAILED || !initialize(*static_cast<Counters *>(map), chip))
		return;
	counters_ = static_cast<Counters *>(map);
	counters_->references++;
	counters_->asic_id = id;
	counters_->device_id = chip;
	if (LAYOUT == 4) {
		reap();
		slot(getpid(), true);
	}
}

/* Also for objects whose device was closed. The last process resets the totals. */
SharedMemoryStatsProvider::~SharedMemoryStatsProvider()
{
	if (!counters_)
		return;
	if (Slot *own = slot(getpid(), false))
		release(*own);
	if (LAYOUT == 4)
		reap();
	if (counters_->references.fetch_sub(1) == 1) {
		for (Word &word : counters_->bytes)
			word = 0;
		for (Word &word : counters_->chips[0].bytes)
			word = 0;
	}
	munmap(static_cast<void *>(counters_), sizeof(Counters));
}

Slot *SharedMemoryStatsProvider::slot(int pid, bool claim)
{
	for (Slot &slot : counters_->slots)
		if (slot.pid == pid)
			return &slot;
	for (Slot &slot : counters_->slots) {
		int32_t free = 0;

		if (!claim || !slot.pid.compare_exchange_strong(free, pid))
			continue;
		FILE *comm = fopen("/proc/self/comm", "re");

		if (comm && fgets(slot.name, sizeof(slot.name), comm))
			slot.name[strcspn(slot.name, "\n")] = '\0';
		if (comm)
			fclose(comm);
		counters_->processes++;
		return &slot;
	}
	return nullptr;
}

void SharedMemoryStatsProvider::release(Slot &slot)
{
	if (LAYOUT == 4)
		slot.pid = RELEASED;
	for (int i = 0; i < 5; i++)
		subtract(counters_->bytes[i], slot.bytes[i].exchange(0));
	counters_->processes--;
	slot.pid = 0;
}

void SharedMemoryStatsProvider::reap()
{
	for (Slot &slot : counters_->slots)
		if (slot.pid > 0 && kill(slot.pid, 0) < 0 && errno == ESRCH)
			release(slot);
}

static int place_of(ShmBufferType type)
{
	static const int places[] = { 0, 1, -1, 2, 3, 4 };

	return places[static_cast<int>(type)];
}

/*
 * Uses the current pid: a forked child has a slot of its own, or none if slots are taken when a
 * device is opened (layout 4).
 */
void SharedMemoryStatsProvider::record_allocation(int pid, uint64_t size, ShmBufferType type,
						  uint32_t)
{
	int place = place_of(type);
	Slot *own = counters_ && place >= 0 ? slot(pid, LAYOUT < 4) : nullptr;

	if (!own)
		return;
	own->bytes[place] += size;
	counters_->bytes[place] += size;
	counters_->chips[0].bytes[place] += size;
	own->updated = now();
	counters_->updated.store(own->updated);
}

/* A child that frees memory of its parent has no slot to subtract it from. */
void SharedMemoryStatsProvider::record_deallocation(int pid, uint64_t size, ShmBufferType type,
						    uint32_t)
{
	int place = place_of(type);
	Slot *own = counters_ && place >= 0 ? slot(pid, LAYOUT < 4) : nullptr;

	if (!own)
		return;
	subtract(own->bytes[place], size);
	subtract(counters_->bytes[place], size);
	subtract(counters_->chips[0].bytes[place], size);
	own->updated = now();
	counters_->updated.store(own->updated);
}
} // namespace tt::tt_metal
#endif
