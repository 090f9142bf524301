/* The command line of the memory monitor. */
#pragma once

#include "cli/option.h"

struct mem_options {
	bool help;
	bool all;
	bool json;
	bool once;
	bool dump;
	bool ascii;
	bool plain; /* no full screen */
	bool read_only;
	enum pretty pretty;
	enum color color;
	unsigned period_ms;
	bool has_period; /* -r was given */
	unsigned count;	 /* 0: for ever */
	const char *root;
	struct selection selection;
};

/* 0, or an exit code after the reason was said on standard error. */
MUST_CHECK int mem_options_parse(struct mem_options *options, int argc, char **argv);
void mem_options_done(struct mem_options *options);

void mem_options_help(struct buf *out);
