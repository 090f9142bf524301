/*
 * Options of a command: one table serves parser, help, manual page and completions. A
 * row has what an option is called, what it takes, and what it does to which member of
 * the command's struct.
 */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"

#include <stdbool.h>
#include <stddef.h>

enum argument { NO_ARGUMENT, ARGUMENT, NUMBER_OR_NOTHING, INLINE_OR_NOTHING };

/* One of a command line. */
struct given {
	const struct option *option;
	const char *word;  /* as it was typed */
	const char *value; /* NULL: none; there if it must be */
};

struct option {
	const char *names; /* separated by blanks; the first two are in the help */
	enum argument argument;
	const char *argument_name;
	const char *help;
	int (*set)(const struct given *given, void *member); /* an exit code; says why */
	size_t offset;					     /* of the member */
	int choice; /* what it is set to, where options choose between things */
};

/* All of a command line. An exit code; command is for the message: "tt_smi mem". */
MUST_CHECK int option_parse(const struct option *table, size_t count, const char *command, int argc,
			    char **argv, void *options);

void option_put_help(struct buf *out, const struct option *table, size_t count);

/* What an option does, by the type of the member. */
int option_flag(const struct given *given, void *member);      /* bool */
int option_text(const struct given *given, void *member);      /* const char * */
int option_root(const struct given *given, void *member);      /* const char *; "" is NULL */
int option_count(const struct given *given, void *member);     /* unsigned, from 1 */
int option_refresh(const struct given *given, void *member);   /* unsigned, milliseconds */
int option_color(const struct given *given, void *member);     /* enum color */
int option_selection(const struct given *given, void *member); /* struct selection */
int option_json(const struct given *given, void *member);      /* enum json */

/* For those of a command's own. */
MUST_CHECK int option_number(const struct given *given, unsigned low, unsigned high, unsigned *ret);
bool option_is_number(const char *text);

/* How JSON is laid out, if it is wanted. */
enum json { JSON_NO, JSON_AUTO, JSON_COMPACT, JSON_PRETTY };

/* AUTO: if it is one document, for a person. */
bool json_is_pretty(enum json json, bool single);
