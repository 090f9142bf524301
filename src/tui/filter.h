/*
 * Which processes to show: `dram>1G user=root python`. Terms are separated by blanks or
 * `&`, and all must hold. A term compares a column (= != > < >= <= and ~ for "contains");
 * a word alone is looked for in the command and the user's name. `dev=0,3` asks for those
 * that have both open. What has blanks in it stands in quotes: `owner="slurm 4711.0"`. 1G is
 * what the screen calls 1 GB, by 1024 or 1000 (format_set_units()); 1Gi is always by 1024.
 */
#pragma once

#include "basic/macros.h"
#include "model/snapshot.h"
#include "render/process_column.h"

enum { FILTER_TERMS = 8, FILTER_TEXT = 128 };

enum filter_operator { OP_EQUAL, OP_UNEQUAL, OP_ABOVE, OP_BELOW, OP_LEAST, OP_MOST, OP_HAS };

struct filter_term {
	int column; /* enum process_column; -1: a word alone */
	enum filter_operator operator;
	double number;
	char text[FILTER_TEXT];
};

struct filter {
	struct filter_term terms[FILTER_TERMS];
	size_t count; /* 0: all are shown */
};

/* -EINVAL, and a sentence that says what is wrong; the filter is then as it was. */
MUST_CHECK int filter_parse(struct filter *filter, const char *text, char *ret_problem,
			    size_t size);

/*
 * The expression with `column=value` in the place of what it asked of that column; a NULL
 * value only takes that away. False: it would not fit, and is as it was.
 */
MUST_CHECK bool filter_replace(char *text, size_t size, enum process_column column,
			       const char *value);

bool filter_holds(const struct filter *filter, const struct snapshot *snapshot,
		  const struct process *process);

/* Does text occur in it, whatever the case of letters? */
bool text_contains(const char *text, const char *word);
