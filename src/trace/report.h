/*
 * What `status` tells. The pinned files are for everybody, the maps for root only, so
 * whoever scans leaves what it knows about libraries and holders as a text beside them.
 */
#pragma once

#include "trace/pins.h"
#include "trace/scan.h"

#include "proto/traced.h"

#define REPORT_FILE    TRACE_FOLDER "/trace.report"
#define REPORT_WATCHER "/" TRACED_WATCHER

/* Written anew if it has changed; text is what was written last. */
MUST_CHECK int report_write(const struct scan *scan, struct buf *text);

/* Says who watches: this process, until it says so no more. */
MUST_CHECK int report_watcher_set(void);
void report_watcher_clear(void);

/* The process that watches; 0: none. */
pid_t report_watcher(void);
