/* Options that several commands have: their values, and how they are read. */
#pragma once

#include "basic/option.h"
#include "cli/look.h"
#include "model/select.h"

#include <stdbool.h>

enum { MAX_SETTINGS = 16 };

struct common_options {
	const char *root; /* NULL: this machine */
	struct selection selection;
	enum color color;
	bool ascii;
	unsigned refresh_ms; /* 0: not given */
	unsigned count;	     /* samples; 0: no limit */
	/* of the full screen */
	bool plain; /* not wanted */
	bool read_only;
	const char *view, *theme;	    /* NULL: as the settings have it */
	const char *settings[MAX_SETTINGS]; /* "name=value" */
	unsigned n_settings;
};

/* As the environment has them. */
struct common_options common_options_default(void);
void common_options_done(struct common_options *common);

/* option_parse() without operands, and the line on standard error. An exit code. */
MUST_CHECK int options_read(const struct option_table *table, int argc, char **argv, void *values);

/* What an option does, by the type of the member. */
int option_count(const struct option_given *given, void *member);     /* unsigned, from 1 */
int option_refresh(const struct option_given *given, void *member);   /* unsigned, milliseconds */
int option_color(const struct option_given *given, void *member);     /* enum color */
int option_selection(const struct option_given *given, void *member); /* struct selection */
int option_json(const struct option_given *given, void *member);      /* enum json */

/* How JSON is laid out, if it is wanted. */
enum json { JSON_NO, JSON_AUTO, JSON_COMPACT, JSON_PRETTY };

/* AUTO: pretty if it is a single document on a terminal. */
bool json_is_pretty(enum json json, bool single);
