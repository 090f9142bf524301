/* The commands of tt_smi-trace. Each returns an exit code. */
#pragma once

#include "basic/exit_code.h"
#include "trace/program_links.h"

struct trace_options {
	struct tracer_options tracer;
	bool watch;
	struct program_follow follow; /* of programs on chips */
	bool help, version;	      /* print and exit */
	char **files;		      /* files to attach to, NULL-terminated */
};

int command_start(const struct trace_options *options);
int command_stop(const struct trace_options *options);
int command_status(const struct trace_options *options);

/* The exit code for an error. */
int exit_code(int r);

/* Prints an error on stderr. Returns the code. */
int print_error(int code, const char *format, ...) PRINTF(2, 3);

/* Reports that a lock cannot be taken. Returns the code. */
int print_lock_error(int r);
