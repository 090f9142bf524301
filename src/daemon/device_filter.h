/*
 * Which devices a legacy client sees: its TT_VISIBLE_DEVICES, and the release of TT-Metal that
 * reads it. Read once per process, by the observer, since neither a process's memory nor
 * the file of a library need answer.
 */
#pragma once

#include "daemon/list.h"
#include "daemon/process_probe.h"
#include "daemon/peer.h"
#include "proto/visible_devices.h"

struct device_filter;

struct device_filters {
	struct list list;
	struct probes *probes;
};

/* Waits for a filter to be read; a member of the object that does. */
struct filter_wait {
	struct list member;
	bool waiting;
	void (*done)(struct filter_wait *wait);
};

void device_filters_init(struct device_filters *filters, struct probes *probes);
void device_filters_done(struct device_filters *filters);

/* The one of this process, shared by all its connections. NULL: no memory. */
struct device_filter *device_filter_get(struct device_filters *filters, const struct peer *peer);
struct device_filter *device_filter_put(struct device_filter *filter);

/* True: done() will be called once it is known, or known to be unreadable. */
bool device_filter_wait(struct device_filter *filter, struct filter_wait *wait);
void filter_wait_stop(struct filter_wait *wait);

/* VISIBLE_UNREADABLE while it is not known, and for NULL. */
const struct visible_devices *device_filter_visible(struct device_filter *filter,
						    enum visible_meaning *ret_meaning);
