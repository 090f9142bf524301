/*
 * Notices device nodes that come and go, by inotify. A node appears before the last of its files
 * do, and cards come in groups, so a change counts only after a moment without another.
 */
#pragma once

#include "basic/macros.h"
#include "basic/root.h"

#include <stdbool.h>
#include <stdint.h>

struct device_changes {
	int fd;		   /* inotify */
	int64_t settle_ns; /* CLOCK_MONOTONIC, when changes have settled; 0: there are none */
};

MUST_CHECK int device_changes_init(struct device_changes *changes);
void device_changes_done(struct device_changes *changes);

/* Watches the directories that are there; again after a change, since one may be new. */
void device_changes_watch(const struct device_changes *changes, const struct root *root);

/* After fd became readable. */
void device_changes_read(struct device_changes *changes);

/* How long poll() may wait, in ms, until changes have settled; -1: there are none. */
int device_changes_timeout(const struct device_changes *changes);

/* Have changes settled? Once for each. */
bool device_changes_take(struct device_changes *changes);
