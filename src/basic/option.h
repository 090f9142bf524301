/*
 * Options of a program or command: one table serves parser and help, and tests compare manual
 * pages and completions with that help. A row has what an option is called, what it takes, and
 * what it does to which member of the program's struct.
 *
 * Accepted are "--name value", "--name=value", an unambiguous beginning of a long name, "-n 5",
 * "-n5", and flags together: "-qv".
 */
#pragma once

#include "basic/buf.h"
#include "basic/exit_code.h"
#include "basic/macros.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_argument { NO_ARGUMENT, ARGUMENT, NUMBER_OR_NOTHING, INLINE_OR_NOTHING };

struct option_spec;

/* An option of a command line. */
struct option_given {
	const struct option_spec *option;
	const char *word;  /* as it was typed */
	const char *value; /* NULL: none; there if it must be */
	struct buf *error; /* for option_error() */
};

struct option_spec {
	const char *names; /* separated by blanks; the first two are in the help */
	enum option_argument argument;
	const char *argument_name;
	const char *help;
	int (*set)(const struct option_given *given, void *member); /* an exit code */
	size_t offset;						    /* of the member */
	int choice; /* what it is set to, where options choose between things */
};

/* Words that are not options. */
enum option_operands {
	OPERANDS_NONE,
	OPERANDS_ANY,		 /* before, between and after options; all words after "--" */
	OPERANDS_COMMAND,	 /* the first one, or what follows "--", begins a command line */
	OPERANDS_BEFORE_COMMAND, /* as ANY; what follows "--" is a command line */
};

struct option_table {
	const struct option_spec *rows;
	size_t count;
	const char *command; /* for messages: "tt_smi mem" */
	enum option_operands operands;
};

struct option_words {
	char **operands; /* NULL at the end */
	int count;
	char **command; /* a command line, NULL at the end; NULL: there is none */
};

/*
 * Reads a command line into *values. An exit code; then error holds the reason, one sentence.
 * Operands are moved to the front of argv. ret may be NULL with OPERANDS_NONE.
 */
MUST_CHECK int option_parse(const struct option_table *table, int argc, char **argv, void *values,
			    struct option_words *ret, struct buf *error);

/* The options, one or more lines each. */
void option_put_help(struct buf *out, const struct option_table *table);

/* ---- for functions that set ---- */

/* Says why the value cannot be taken. Returns the code. */
int option_error(const struct option_given *given, int code, const char *format, ...) PRINTF(3, 4);

/* By the type of the member. */
int option_flag(const struct option_given *given, void *member);   /* bool */
int option_text(const struct option_given *given, void *member);   /* const char * */
int option_root(const struct option_given *given, void *member);   /* const char *; "" is NULL */
int option_ignore(const struct option_given *given, void *member); /* for older callers' sake */

/* A number of that range, for functions of the program's own. */
MUST_CHECK int option_number(const struct option_given *given, uint32_t low, uint32_t high,
			     uint32_t *ret);
bool option_is_number(const char *text);
