/*
 * The devices as shown on the screen: grouped by tray or board, with the last readings of a device
 * that no longer delivers any.
 */
#pragma once

#include "basic/macros.h"
#include "model/snapshot.h"

#include <stdint.h>

/* A device as it was in its last good sample. */
struct last_reading {
	struct device device;
	int64_t taken_ns; /* CLOCK_MONOTONIC */
};

struct device_view {
	struct last_reading *readings;
	size_t n_readings;

	/* For the last snapshot: indices into it, group by group. */
	size_t *order;	/* n_devices of them */
	size_t *groups; /* sizes */
	size_t n_groups;

	const struct board *galaxy; /* what all chips are whose board is known; NULL: no Galaxy */
};

void device_view_done(struct device_view *view);

/* -ENOMEM: there are no groups, and no devices are shown. */
MUST_CHECK int device_view_update(struct device_view *view, const struct snapshot *snapshot);

/*
 * The device itself, or its last good reading. *ret_age_ns is the age of its readings; 0: current,
 * -1: it never had any. Memory is always current: other sources report it.
 */
const struct device *device_view_find(const struct device_view *view, const struct device *dev,
				      int64_t now_ns, int64_t *ret_age_ns);

/* The name of the device's group: "tray 2", "n300 0100…". */
void device_group_name(const struct device_view *view, const struct device *dev, char *text,
		       size_t size);
