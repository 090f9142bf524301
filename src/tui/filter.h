/*
 * Filter expressions for processes: `dram>1G user=root python`. Terms are separated by blanks or
 * `&`, and all must match. A term compares a column (= != > < >= <= and ~ for "contains"); a single
 * word is searched for in the command and the user's name. `dev=0,3` matches processes that have
 * both open. Values with blanks need quotes: `owner="slurm 4711.0"`. 1G is what the screen shows as
 * 1 GB, by 1024 or 1000 (format_set_units()); 1Gi is always by 1024.
 */
#pragma once

#include "basic/macros.h"
#include "model/snapshot.h"
#include "render/process_column.h"

enum { FILTER_TERMS = 8, FILTER_TEXT = 128 };

enum filter_operator { OP_EQUAL, OP_UNEQUAL, OP_ABOVE, OP_BELOW, OP_LEAST, OP_MOST, OP_HAS };

struct filter_term {
	int column; /* enum process_column; -1: a single word */
	enum filter_operator operator;
	double number;
	char text[FILTER_TEXT];
};

struct filter {
	struct filter_term terms[FILTER_TERMS];
	size_t count; /* 0: all are shown */
};

/* -EINVAL, with a message; the filter is unchanged. */
MUST_CHECK int filter_parse(struct filter *filter, const char *text, char *ret_problem,
			    size_t size);

/*
 * Replaces the conditions on a column in the expression by `column=value`; NULL only removes them.
 * False: it would not fit, and is unchanged.
 */
MUST_CHECK bool filter_replace(char *text, size_t size, enum process_column column,
			       const char *value);

bool filter_holds(const struct filter *filter, const struct process_scope *scope,
		  const struct process *process);

/* Does text contain the word, ignoring case? */
bool text_contains(const char *text, const char *word);
