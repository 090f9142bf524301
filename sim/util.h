/*
 * Per-core utilization as published by a collector in /dev/shm/tt_device_<asic id>_util: magic
 * TTUT, version 3.
 */
#pragma once

#include "basic/macros.h"
#include "board.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct util_core {
	uint8_t noc_x, noc_y;
	uint8_t logical_x, logical_y;
	uint8_t remote;
	uint8_t dispatched;
	uint16_t sfpu; /* per mille, this and the next five */
	uint16_t dispatch;
	uint16_t fpu;
	uint16_t unpack;
	uint16_t pack;
	uint16_t stall;
	uint16_t noc0_in, noc0_out; /* MB/s */
	uint16_t noc1_in, noc1_out;
	uint16_t padding0;
	uint32_t samples;
	uint32_t kernel;
	uint32_t padding1;
};

struct util_header {
	char magic[4];
	uint16_t version;
	uint16_t entry_size;
	uint64_t asic_id;
	uint32_t arch;
	uint32_t sources;  /* bit 0 dispatch, bit 1 compute */
	uint64_t start_us; /* CLOCK_MONOTONIC, both */
	uint64_t update_us;
	uint32_t cores;
	uint32_t program;
	uint32_t pid;
	uint32_t aiclk_mhz;
	uint32_t dram_read, dram_write, dram_peak; /* MB/s */
	uint32_t padding;
};

_Static_assert(sizeof(struct util_core) == 40, "version 3");
_Static_assert(offsetof(struct util_core, samples) == 28, "version 3");
_Static_assert(sizeof(struct util_header) == 72, "version 3");
_Static_assert(offsetof(struct util_header, dram_peak) == 64, "version 3");

/* The device that the figures describe, and the process that publishes them. */
struct util_source {
	uint64_t asic_id;
	enum sim_arch arch;
	unsigned cores;
	pid_t pid;
	uint64_t start_us;
};

/* Creates or overwrites the file below `directory`; the mean over the cores is `permille`. */
MUST_CHECK int util_write(const char *directory, const struct util_source *s, unsigned permille,
			  uint64_t now_us);
