/*
 * Reads the rings of TT-Metal's real-time profiler (v0.76 and later) from the memory of a process:
 * start and end of each program, as measured on the chip. There is one ring per profiled chip.
 *
 * These layouts are not documented by TT-Metal. Each number is checked before every use, and a ring
 * with an invalid one is rejected.
 */
#pragma once

#include "metal/live.h"
#include "metal/program_clock.h"

enum {
	PROFILER_CHIPS = 64,
	PROFILER_RECORD = 64,	 /* bytes */
	PROFILER_RING = 2 << 20, /* bytes, 32768 records; a counter of sent bytes follows */
	PROFILER_RECORDS = PROFILER_RING / PROFILER_RECORD,
};

struct profiler_ring {
	uint32_t chip;	/* logical id in that process */
	uint64_t state; /* address of its DeviceState */
	uint64_t socket, data, counter;
	bool is_huge;	   /* in a huge page, where only records that TT-Metal has acknowledged are
			      certain to be in memory */
	uint32_t position; /* of the next byte to read, modulo 2^32, as TT-Metal counts */
};

/* The result of one reading of a ring. The next reading reuses the array. */
struct profiler_batch {
	struct program_record *records; /* room for PROFILER_RECORDS */
	size_t count;
	uint64_t lost;	  /* records that were overwritten before they were read */
	uint64_t invalid; /* pages that are not records */
	uint64_t first_tick;
	int64_t host_ns;
	double ticks_per_ns;
};

/*
 * Finds the rings of a RealtimeProfilerManager and returns their number; reading begins with the
 * next record. -EBADMSG: no such object, or its layout is not known.
 */
int profiler_rings_find(const struct metal_memory *memory, uint64_t manager,
			struct profiler_ring *ret, size_t room);

/*
 * The ring of the chip whose DeviceState is at this address. Returns 1, or 0 for a chip without
 * one; -EBADMSG as above.
 */
int profiler_ring_find(const struct metal_memory *memory, uint64_t state,
		       struct profiler_ring *ret);

/* Is it the same ring as when it was found? Takes the anchor of its clock. -EBADMSG: no longer. */
int profiler_ring_check(const struct profiler_ring *ring, const struct metal_memory *memory,
			struct profiler_batch *ret);

/*
 * Reads the records since the last reading. `pages` has room for PROFILER_RING bytes. -EBADMSG: it
 * is no longer a ring.
 */
int profiler_ring_read(struct profiler_ring *ring, const struct metal_memory *memory, void *pages,
		       struct profiler_batch *ret);

/* Decodes one record. False: it does not count, as a marker or a program without number. */
bool profiler_record_decode(const void *page, struct program_record *ret);

/* Adds the records in these bytes, of which there may be as many as the batch has room for. */
void profiler_pages_decode(struct profiler_batch *batch, const uint8_t *pages, uint32_t length);
