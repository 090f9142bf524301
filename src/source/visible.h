/* How a process interprets TT_VISIBLE_DEVICES: the value, and the release of its TT-Metal. */
#pragma once

#include "basic/root.h"
#include "proto/visible_devices.h"

#include <stdint.h>

struct visible_view {
	const struct root *root;
	int32_t pid;
	struct visible_devices visible; /* status VISIBLE_UNREADABLE: it cannot be read */
	enum visible_meaning meaning;	/* for the TT-Metal that it has mapped */
};

/*
 * Fills the last two members. Call it in a job: reading a process's memory, or the file of a
 * library, may block.
 */
void visible_view_read(void *view);
