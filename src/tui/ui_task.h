/*
 * Requests of the user that access the machine: signals, the settings file, details of a process.
 * They can block, so the sampler thread runs them (tui/feed.h).
 */
#pragma once

#include "basic/buf.h"
#include "basic/root.h"
#include "tui/process_id.h"
#include "tui/settings.h"

#include <stdint.h>

enum ui_task_kind {
	UI_TASK_SIGNAL,	 /* send a signal to processes */
	UI_TASK_SAVE,	 /* write the settings file */
	UI_TASK_INSPECT, /* read environment and open files of a process */
	UI_TASK_N,
};

struct ui_task {
	enum ui_task_kind kind;
	int32_t pid; /* to inspect */
	int signal;
	struct process_id *targets; /* to signal; freed with the task */
	size_t n_targets;
	struct settings settings; /* to save */
};

/* Appends the result: one sentence, or several lines of text. */
void ui_task_run(const struct ui_task *task, const struct root *root, struct buf *ret);
