/*
 * The real-time profiler's objects, with the layouts of v0.77: a ring (D2HSocket) per chip, into
 * which the chip writes a page of 64 bytes for each program that has ended, and the state of the
 * chip (DeviceState), which has the anchor of its clock. v0.65 has no profiler.
 */
#pragma once

#include "library.h"

#include <stddef.h>
#include <stdint.h>

enum {
	PAGE_SIZE = 64, /* bytes */
	PAGE_WORDS = PAGE_SIZE / sizeof(uint32_t),
	FIFO_SIZE = 2 << 20,
	PUBLISH_MAX = 1024, /* pages in one call */
};

/* D2HSocket */
struct ring {
	uint8_t before[80];
	uint32_t fifo_size, page_size, bytes_acked, bytes_sent, read_ptr, fifo_curr_size;
	uint8_t before_buffer[40];
	uint8_t *host_buffer; /* the FIFO, followed by the counter of sent bytes */
	void *owner;
	uint32_t *bytes_sent_ptr;
	uint8_t before_huge_page[293 - 168];
	uint8_t has_huge_page;
	void *huge_page_data, *huge_page_counter;
};

_Static_assert(offsetof(struct ring, fifo_size) == 80, "as in TT-Metal");
_Static_assert(offsetof(struct ring, host_buffer) == 144, "as in TT-Metal");
_Static_assert(offsetof(struct ring, bytes_sent_ptr) == 160, "as in TT-Metal");
_Static_assert(offsetof(struct ring, has_huge_page) == 293, "as in TT-Metal");
_Static_assert(offsetof(struct ring, huge_page_data) == 296, "as in TT-Metal");

/* DeviceState */
struct device_state {
	void *device;
	uint32_t chip;
	uint8_t before_socket[68];
	struct ring *socket;
	uint8_t before_clock[24];
	uint64_t first_timestamp; /* tick of the chip's clock */
	int64_t sync_host_start;  /* the same time in ns of CLOCK_MONOTONIC */
	double sync_frequency;	  /* ticks per ns */
	uint8_t rest[56];
};

_Static_assert(offsetof(struct device_state, socket) == 80, "as in TT-Metal");
_Static_assert(offsetof(struct device_state, first_timestamp) == 112, "as in TT-Metal");
_Static_assert(sizeof(struct device_state) == 192, "as in TT-Metal");

/* RealtimeProfilerManager */
struct profiler_manager {
	uint8_t before[24];
	struct device_state *begin, *end, *room; /* a std::vector */
};

_Static_assert(offsetof(struct profiler_manager, begin) == 24, "as in TT-Metal");

/* Makes the rings of the chips that are profiled. NULL: no memory. */
struct profiler_manager *profiler_open(const struct sim_chip *chips, size_t count);
void profiler_close(struct profiler_manager *manager);

/* The state of a chip. NULL: it is not profiled. */
struct device_state *profiler_find(struct profiler_manager *manager, uint32_t chip);

/* The chip's side of a ring. */
void profiler_write(struct device_state *state, const struct sim_run *run);

/* The host's side of all rings. */
void profiler_receive(struct profiler_manager *manager);
