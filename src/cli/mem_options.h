/* The command line of the memory monitor. */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"
#include "cli/common_options.h"

#include <stdbool.h>

struct mem_options {
	struct common_options common;
	bool help;
	bool all;
	bool once;
	bool dump;
	enum json json;
	unsigned period_ms;
};

/* 0, or an exit code after printing the error. */
MUST_CHECK int mem_options_parse(struct mem_options *options, int argc, char **argv);
void mem_options_done(struct mem_options *options);

void mem_options_help(struct buf *out);
