/*
 * Which devices a legacy client sees: its TT_VISIBLE_DEVICES, and the release of TT-Metal that
 * reads it. Read once per process, in a thread of its own, since neither a process's memory nor
 * the file of a library need answer. The server waits for it for a moment only.
 */
#pragma once

#include "basic/root.h"
#include "daemon/list.h"
#include "daemon/peer.h"
#include "proto/visible_devices.h"

struct device_filter;

struct device_filters {
	struct list list;
	struct root machine; /* where the peers run, whatever tree --root points to */
};

MUST_CHECK int device_filters_init(struct device_filters *filters);
void device_filters_done(struct device_filters *filters);

/* The one of this process, shared by all who ask. NULL: no memory. */
struct device_filter *device_filter_get(struct device_filters *filters, const struct peer *peer);
struct device_filter *device_filter_put(struct device_filter *filter);

/* VISIBLE_UNREADABLE while it is not known, and for NULL. */
const struct visible_devices *device_filter_visible(struct device_filter *filter,
						    enum visible_meaning *ret_meaning);
