/*
 * Compute utilisation, /dev/shm/tt_device_<chip id>_util: magic TTUT, versions 2 and 3. It is
 * published by a collector that samples the cores. The functions take bytes and return checked
 * figures.
 */
#pragma once

#include "basic/macros.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTIL_MAX_CORES 1024
#define UTIL_MAX_SIZE  (72 + UTIL_MAX_CORES * 64)

struct util_figures {
	uint64_t asic_id;
	uint64_t updated_us; /* CLOCK_MONOTONIC */
	uint32_t collector;  /* pid, in its own namespace */
	bool has_dispatch, has_compute, has_dram;
	double dispatch;	      /* 0 to 1, mean over the cores */
	double compute;		      /* 0 to 1, the busier of FPU and SFPU, mean over the cores */
	double dram_read, dram_write; /* bytes per second */
};

/* -EPROTONOSUPPORT: unknown version; -EBADMSG: not this format, or truncated. */
MUST_CHECK int util_decode(const void *data, size_t size, struct util_figures *ret,
			   uint32_t *ret_version);
