/*
 * Options of a command: one table serves parser, help, manual page and completions.
 */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"
#include "cli/look.h"
#include "model/select.h"

#include <stdbool.h>
#include <stddef.h>

enum argument { NO_ARGUMENT, ARGUMENT, NUMBER_OR_NOTHING, INLINE_OR_NOTHING };

struct option {
	const char *names; /* separated by blanks; the first two are in the help */
	enum argument argument;
	const char *argument_name;
	const char *help;
};

/* One of a command line, by its place in the table. */
struct parsed_option {
	int id;
	const char *word;  /* as it was typed */
	const char *value; /* NULL: none; there if it must be */
};

/*
 * Calls apply() for each option, until it returns non-zero; returns that, or an exit
 * code after the reason was said. command is for the message: "tt_smi mem".
 */
MUST_CHECK int options_each(const struct option *table, size_t count, const char *command, int argc,
			    char **argv,
			    int (*apply)(void *arg, const struct parsed_option *option), void *arg);

/* A line or more of help. */
void option_put_help(struct buf *out, const struct option *option);

/* Values. 0, or an exit code after the reason was said. */
MUST_CHECK int option_number(const char *what, const char *text, unsigned low, unsigned high,
			     unsigned *ret);
bool option_is_number(const char *text);
MUST_CHECK int option_color(const char *value, enum color *ret);
MUST_CHECK int option_selection(const char *what, const char *value, struct selection *ret);

/* How JSON is laid out; value NULL leaves it as it is. */
enum pretty { PRETTY_AUTO, PRETTY_YES, PRETTY_NO };
MUST_CHECK int option_pretty(const char *value, enum pretty *ret);
