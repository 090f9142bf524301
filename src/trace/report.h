/*
 * The text of `tt_smi trace status`. Every user may read the pinned files, but only root may read
 * the maps, so each scan writes the state of libraries and holders into a text file.
 */
#pragma once

#include "trace/pins.h"
#include "trace/scan.h"

#include "proto/traced.h"

#define REPORT_FILE    TRACE_FOLDER "/trace.report"
#define REPORT_WATCHER "/" TRACED_WATCHER

/* Writes the file if it has changed; text has what was written last. */
MUST_CHECK int report_write(const struct trace_scan *scan, struct buf *text);

/* Records that this process is the watcher, until it clears that. */
MUST_CHECK int report_watcher_set(void);
void report_watcher_clear(void);

/* The pid of the watcher; 0: none. */
pid_t report_watcher(void);
