/* The command line of the default command. */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"
#include "cli/common_options.h"
#include "render/csv.h"
#include "render/monitor_lines.h"

#include <stdbool.h>

enum mode {
	MODE_TABLE,
	MODE_LIST,
	MODE_DETAIL,
	MODE_JSON,
	MODE_QUERY,
	MODE_VENDOR,
	MODE_TRAYS,
	MODE_DMON,
	MODE_PMON,
	MODE_HELP,
	MODE_HELP_QUERY,
	MODE_VERSION,
};

struct show_options {
	struct common_options common;
	enum mode mode;
	const char *mode_name; /* the option that selected it */
	struct query query;
	bool has_format; /* of the query */
	enum query_kind help_kind;
	const char *sections;	/* of -q; NULL: all */
	struct monitor monitor; /* of dmon and pmon */
	enum json json;
	bool help; /* of dmon and pmon */
	bool watch;
	bool loop;
	bool bare_l;	    /* -l without a number: the vendor's --local, used together with -s */
	unsigned period_ms; /* of -w, -l or -lms */
	const char *file;
};

/* 0, or an exit code after printing the error. */
MUST_CHECK int show_options_parse(struct show_options *options, int argc, char **argv);
void show_options_done(struct show_options *options);

/* As option_find_operand(). */
int show_options_find_operand(int argc, char **argv, bool *ret_unknown);

void show_options_help(struct buf *out);
