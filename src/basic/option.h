/*
 * Command-line options: one table serves parser and help, and tests compare manual pages and
 * completions with that help. A row has an option's names, its argument, and the setter with the
 * member of the program's struct that it sets.
 *
 * Accepted are "--name value", "--name=value", an unambiguous abbreviation of a long name, "-n 5",
 * "-n5", and combined flags: "-qv".
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
	const char *word;  /* as typed */
	const char *value; /* NULL: none; never NULL if it is mandatory */
	struct buf *error; /* for option_error() */
};

struct option_spec {
	const char *names; /* separated by blanks; the help shows the first two */
	enum option_argument argument;
	const char *argument_name; /* NULL: the values themselves, "auto|never" */
	const char *help;
	int (*set)(const struct option_given *given, void *member); /* returns an exit code */
	size_t offset;						    /* of the member */
	int choice; /* the value to set, for options that choose between values */
	/*
	 * The words that the argument may be: the help lists them, and option_word() accepts them.
	 */
	const char *const *values;
	size_t n_values;
};
#define OPTION_VALUES(list) .values = (list), .n_values = ARRAY_SIZE(list)

/* Words that are not options. */
enum option_operands {
	OPERANDS_NONE,
	OPERANDS_ANY,		 /* anywhere between options; all words after "--" */
	OPERANDS_COMMAND,	 /* the first one, or what follows "--", starts a command line */
	OPERANDS_BEFORE_COMMAND, /* as ANY; what follows "--" is a command line */
};

/* An option of another tool that people try, and what to use instead. */
struct option_hint {
	const char *names; /* separated by blanks */
	const char *text;
};

struct option_table {
	const struct option_spec *rows;
	size_t count;
	const char *command; /* for messages: "tt_smi mem" */
	enum option_operands operands;
	const struct option_hint *hints;
	size_t n_hints;
};

struct option_words {
	char **operands; /* NULL-terminated */
	int count;
	char **command; /* a command line, NULL-terminated; NULL: there is none */
};

/*
 * Parses a command line into *values. Returns an exit code; if it is not 0, error has the reason in
 * one sentence. Operands are moved to the front of argv. ret may be NULL with OPERANDS_NONE.
 */
MUST_CHECK int option_parse(const struct option_table *table, int argc, char **argv, void *values,
			    struct option_words *ret, struct buf *error);

/*
 * The place in argv of the first word that is neither an option of the table nor the value of one;
 * argc if there is none. *ret_unknown: whether an option before it is not in the table, so that the
 * word may be the value of that.
 */
int option_find_operand(const struct option_table *table, int argc, char **argv, bool *ret_unknown);

/* Appends the help of all options. */
void option_put_help(struct buf *out, const struct option_table *table);

/* The values of an option, and the name of its argument. */
void option_put_values(struct buf *out, const struct option_spec *option, const char *separator,
		       const char *last_separator);
void option_put_argument(struct buf *out, const struct option_spec *option);

/* ---- rows that several programs have; the argument is the offset of the member ---- */

#define OPTION_ROOT(offset)                                                                       \
	{                                                                                         \
		"--root", ARGUMENT, "DIR",                                                        \
			"look for /sys, /proc, /dev, /etc and /run below DIR (also TT_SMI_ROOT)", \
			option_root, offset                                                       \
	}
#define OPTION_HELP(offset)                                                      \
	{                                                                        \
		"-h --help", NO_ARGUMENT, NULL, "this help", option_flag, offset \
	}
#define OPTION_VERSION(offset)                                                              \
	{                                                                                   \
		"-V --version", NO_ARGUMENT, NULL, "print the version", option_flag, offset \
	}

/* ---- for functions that set ---- */

/* Reports why the value is invalid. Returns the code. */
int option_error(const struct option_given *given, int code, const char *format, ...) PRINTF(3, 4);

/* The same for a word, or a part of one, that is not among the values of the option. */
int option_error_word(const struct option_given *given, const char *word, size_t length);

/* Setters, by the type of the member. */
int option_flag(const struct option_given *given, void *member); /* bool */
int option_text(const struct option_given *given, void *member); /* const char * */
const char *option_root_default(void); /* from the environment; NULL: the machine itself */
int option_root(const struct option_given *given, void *member);   /* const char *; "" is NULL */
int option_word(const struct option_given *given, void *member);   /* int, the index of the value */
int option_ignore(const struct option_given *given, void *member); /* accepted for compatibility */

/* Parses a number in this range, for setters of the program. */
MUST_CHECK int option_number(const struct option_given *given, uint32_t low, uint32_t high,
			     uint32_t *ret);
bool option_is_number(const char *text);
