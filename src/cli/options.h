/*
 * The command line: a table of options serves parser, help, manual page and
 * completions.
 */
#pragma once

#include "cli/look.h"
#include "cli/option.h"
#include "model/select.h"
#include "render/csv.h"

#include <stdbool.h>

enum mode {
	MODE_TABLE,
	MODE_LIST,
	MODE_DETAIL,
	MODE_JSON,
	MODE_QUERY,
	MODE_VENDOR,
	MODE_HELP,
	MODE_HELP_QUERY,
	MODE_VERSION,
};

enum { MAX_SETTINGS = 16 };

struct options {
	enum mode mode;
	const char *mode_name; /* the option that chose it */
	struct query query;
	enum query_kind help_kind;
	const char *sections; /* of -q, NULL: all */
	enum pretty pretty;
	bool watch;
	bool loop;
	unsigned period_ms;
	unsigned count; /* 0: for ever */
	const char *file;
	const char *root;
	enum color color;
	bool ascii;
	/* of the full screen */
	bool plain; /* not wanted */
	bool read_only;
	const char *view, *theme;	    /* NULL: as the settings have it */
	const char *settings[MAX_SETTINGS]; /* "name=value" */
	unsigned n_settings;
	bool has_period; /* -r was given */
	struct selection selection;
};

/* 0, or an exit code after the reason was said on standard error. */
MUST_CHECK int options_parse(struct options *options, int argc, char **argv);
void options_done(struct options *options);

void options_help(struct buf *out);
