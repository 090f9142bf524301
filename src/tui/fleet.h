/*
 * The devices as a screen needs them: what a chip said last when it says no more, and
 * which chips belong together.
 */
#pragma once

#include "basic/macros.h"
#include "model/snapshot.h"

#include <stdint.h>

struct fleet_entry {
	struct device last; /* when it was well */
	int64_t when_ns;    /* CLOCK_MONOTONIC; 0: never */
};

struct fleet {
	struct fleet_entry *entries;
	size_t count;

	/* Of the last snapshot: positions in it, group by group. */
	size_t *order;	/* n_devices of them */
	size_t *groups; /* sizes */
	size_t n_groups;
};

void fleet_done(struct fleet *fleet);

/* -ENOMEM: the groups are those of no devices. */
MUST_CHECK int fleet_update(struct fleet *fleet, const struct snapshot *snapshot);

/*
 * The device itself, or what it was when it was last well; *ret_age_ns is how old its
 * readings are: 0: of now, -1: it never had any. Memory is not among them: that is told
 * by others than the chip.
 */
const struct device *fleet_look(const struct fleet *fleet, const struct device *dev, int64_t now_ns,
				int64_t *ret_age_ns);

/* Does it give no readings, though it should? */
bool device_is_troubled(const struct device *dev);

/* Of those: does it give old ones, since its firmware stands still? */
bool device_is_frozen(const struct device *dev);

/* "tray 2", "n300 0100…": what the group of this device is called. */
void device_group_name(const struct device *dev, char *text, size_t size);
