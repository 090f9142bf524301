/* The memory of a process that the observer watches, per device and pool, over all samples. */
#pragma once

#include "proto/snapshot_image.h"

#include <stdbool.h>
#include <stdint.h>

/* Its usage of one pool of one device. */
struct observed_usage {
	struct image_usage usage;	  /* the peak is the maximum of all samples */
	bool current;			  /* present in the latest sample */
	uint64_t last_bytes, last_allocs; /* when it was last present */
};

struct observed_usages {
	struct observed_usage *list; /* by device, then by pool */
	uint32_t count;
};

/* Takes the figures of a sample. Without memory, or with too many entries, they are left out. */
void observed_usages_update(struct observed_usages *usages, const struct image_usage *now);

/* Before the figures of a new sample: no pool is used. */
void observed_usages_forget(struct observed_usages *usages);
