/* What the program tt_smi-trace does. Each returns an exit code. */
#pragma once

#include "trace/tracer.h"

/* As in src/cli/exit.h, where they mean the same. */
enum trace_exit {
	TRACE_FINE = 0,
	TRACE_NOT_LOADED = 1, /* status: nothing is traced */
	TRACE_USAGE = 2,
	TRACE_UNAVAILABLE = 3, /* this kernel cannot do it */
	TRACE_PERMISSION = 4,
	TRACE_OUTPUT = 74,
	TRACE_INTERNAL = 255,
};

struct trace_options {
	struct tracer_options tracer;
	bool watch;
	char **files; /* to attach to, NULL at the end */
};

int command_start(const struct trace_options *options);
int command_stop(const struct trace_options *options);
int command_status(const struct trace_options *options);

/* The exit code of an error. */
int exit_code(int r);

/* A line on stderr. Returns the code. */
int complain(int code, const char *format, ...) PRINTF(2, 3);

/* The locks cannot be had. Returns the code. */
int complain_lock(int r);
