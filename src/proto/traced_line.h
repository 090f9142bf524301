/*
 * Lines of the text tables that the tracer pins below /run/tt-smi/bpf: two lines of headings, then
 * words separated by blanks; "-" stands for none.
 */
#pragma once

#include "basic/macros.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACED_COMM 17u /* size of a name, including the NUL */

enum { TRACED_COLUMNS_MAX = 14 };

/* A line, split into words that point into the copy. */
struct traced_line {
	char text[512];
	const char *words[TRACED_COLUMNS_MAX];
	size_t count;
};

/* Reads the next line, which must end with a newline. Advances *text. -EBADMSG */
MUST_CHECK int traced_line_next(const char **text, struct traced_line *ret);

/* A table: its columns, and what its lines are parsed into. */
struct traced_table {
	const char *const *headings;
	size_t least, most; /* number of columns: older tracers write fewer */
	size_t size;	    /* of the struct of a line */
	int (*parse)(const struct traced_line *line, size_t columns, void *ret);
	int (*check_rest)(const char *rest); /* what follows the lines; NULL: nothing may */
};

/*
 * Parses a whole text: headings, lines up to a blank one or the end, and the rest. Returns an
 * array; the caller frees it. -EBADMSG; -EPROTONOSUPPORT: other columns; -ENOMEM.
 */
MUST_CHECK int traced_table_parse(const struct traced_table *table, const char *text, void **ret,
				  size_t *ret_count);

bool traced_is_none(const char *word);

/* -EBADMSG */
MUST_CHECK int traced_parse_pid(const char *word, int32_t *ret);
MUST_CHECK int traced_parse_comm(const char *word, char comm[static TRACED_COMM]);
