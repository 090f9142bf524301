/*
 * TT-Metal's memory counters, /dev/shm/tt_device_<id>_memory: layouts 1 to 4.
 *
 * The file is written by other users, with mode 0600 or 0666, and may be incomplete, stale or
 * forged. The functions take bytes and return checked figures. It is updated by relaxed atomic
 * additions, so two figures of one file may be slightly inconsistent.
 */
#pragma once

#include "basic/macros.h"
#include "model/pool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define METAL_SLOTS    64
#define METAL_MAX_SIZE 9280 /* that of layout 1, the largest */

struct metal_slot {
	int32_t pid;		    /* in the writer's pid namespace; always above 0 */
	uint64_t bytes[POOL_COUNT]; /* disjoint */
	uint64_t updated_ns;	    /* wall clock */
	char name[64];		    /* comm, NUL-terminated here */
};

struct metal_counters {
	uint32_t version;
	uint64_t updated_ns;
	uint64_t asic_id;   /* 0: not set */
	uint32_t device_id; /* logical number in the last process that attached */
	uint64_t total[POOL_COUNT];
	struct metal_slot slots[METAL_SLOTS];
	size_t n_slots; /* those in use, without holes */
};

/*
 * -EPROTONOSUPPORT: unknown version (returned in *ret_version); -EBADMSG: too short, too long, or
 * inconsistent with its version; -EAGAIN: just created, not initialised yet.
 */
MUST_CHECK int metal_decode(const void *data, size_t size, struct metal_counters *ret,
			    uint32_t *ret_version);
