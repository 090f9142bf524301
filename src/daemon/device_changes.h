/*
 * Detects device nodes that appear or disappear, by inotify. A node appears before the last of its
 * files, and cards appear in groups, so changes are reported only after a quiet period.
 */
#pragma once

#include "basic/macros.h"
#include "basic/root.h"

#include <stdbool.h>
#include <stdint.h>

struct device_changes {
	int fd;		   /* inotify */
	int64_t settle_ns; /* CLOCK_MONOTONIC, end of the quiet period; 0: no change pending */
};

MUST_CHECK int device_changes_init(struct device_changes *changes);
void device_changes_done(struct device_changes *changes);

/* Watches the directories that exist. To be called again after a change, since one may be new. */
void device_changes_watch(const struct device_changes *changes, const struct root *root);

/* To be called when fd is readable. */
void device_changes_read(struct device_changes *changes);

/* Timeout for poll() in ms, until the quiet period ends; -1: no change pending. */
int device_changes_timeout(const struct device_changes *changes);

/* Has a quiet period ended? Returns true once for each. */
bool device_changes_take(struct device_changes *changes);
