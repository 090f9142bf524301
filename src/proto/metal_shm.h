/*
 * TT-Metal's memory counters, /dev/shm/tt_device_<id>_memory: layouts 1 to 4.
 *
 * A file of somebody else, 0600 or 0666, that may be half-made, left behind or
 * forged: bytes in, checked figures out. Written by relaxed atomic adds, so two
 * figures of one file need not fit each other to the byte.
 */
#pragma once

#include "basic/macros.h"
#include "model/pool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define METAL_SLOTS    64
#define METAL_MAX_SIZE 9280 /* of layout 1, the largest */

struct metal_slot {
	int32_t pid;		    /* in the writer's namespace; always above 0 */
	uint64_t bytes[POOL_COUNT]; /* each apart from the others */
	uint64_t updated_ns;	    /* wall clock */
	char name[64];		    /* comm, NUL-terminated here */
};

struct metal_counters {
	uint32_t version;
	uint64_t updated_ns;
	uint64_t asic_id;   /* 0: not filled in */
	uint32_t device_id; /* logical, of the last process that attached */
	uint64_t total[POOL_COUNT];
	struct metal_slot slots[METAL_SLOTS];
	size_t n_slots; /* those in use, without holes */
};

/*
 * -EPROTONOSUPPORT: a version we do not know (*ret_version tells it);
 * -EBADMSG: too short, too long, or not what its version says;
 * -EAGAIN: just made, not initialised yet.
 */
MUST_CHECK int metal_decode(const void *data, size_t size, struct metal_counters *ret,
			    uint32_t *ret_version);
