/*
 * The devices that a legacy client sees: its TT_VISIBLE_DEVICES, and the release of TT-Metal that
 * interprets it. Read once per process, by the observer, since reading a process's memory or a
 * library file can block.
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

/* A wait for a filter to be read; embedded in the waiting object. */
struct filter_wait {
	struct list member;
	bool waiting;
	void (*done)(struct filter_wait *wait);
};

void device_filters_init(struct device_filters *filters, struct probes *probes);
void device_filters_done(struct device_filters *filters);

/* The filter of this process, shared by all its connections. NULL: out of memory. */
struct device_filter *device_filter_get(struct device_filters *filters, const struct peer *peer);
struct device_filter *device_filter_put(struct device_filter *filter);

/* True: done() will be called once the filter was read, or failed to be read. */
bool device_filter_wait(struct device_filter *filter, struct filter_wait *wait);
void filter_wait_stop(struct filter_wait *wait);

/* VISIBLE_UNREADABLE while it is unknown, and for NULL. */
const struct visible_devices *device_filter_visible(struct device_filter *filter,
						    enum visible_meaning *ret_meaning);
