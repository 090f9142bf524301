/*
 * Lines of dmon and pmon: one per device, or per process and device, with the columns of
 * nvidia-smi, which scripts expect. Columns are in groups with a letter each. What is unknown, or
 * has no meaning for these devices, is "-".
 */
#pragma once

#include "basic/buf.h"
#include "model/snapshot.h"
#include "model/want.h"
#include "render/render_options.h"

#include <stdbool.h>

enum monitor_kind { MONITOR_DEVICES, MONITOR_PROCESSES, MONITOR_N };

struct monitor {
	enum monitor_kind kind;
	const char *groups; /* letters */
	bool date, time;    /* before each line */
};

/* The groups that are shown if none are chosen. */
extern const char *const monitor_default_groups[MONITOR_N];

/* The letters of all groups. */
const char *monitor_groups(enum monitor_kind kind);

void monitor_wants(const struct monitor *monitor, struct want *want);

/* Two lines: names and units. */
void monitor_render_header(struct buf *out, const struct monitor *monitor);
void monitor_render(struct buf *out, const struct render_options *options,
		    const struct monitor *monitor, const struct snapshot *snapshot);
