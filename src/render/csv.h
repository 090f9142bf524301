/*
 * Selective queries with the syntax of nvidia-smi: --query-gpu=a,b --format=csv. Values are
 * separated by a comma and a blank, headings carry their unit in brackets, unknown values are
 * [N/A]. Only values that need quotes (RFC 4180) get them.
 */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"
#include "basic/suggestion.h"
#include "model/snapshot.h"
#include "model/want.h"
#include "render/render_options.h"

#include <stdbool.h>

enum query_kind { QUERY_DEVICES, QUERY_PROCESSES, QUERY_ACCOUNTS, QUERY_N };

/*
 * Names of the options ("query-gpu"); "help-" before a name gives the option that lists its
 * fields.
 */
extern const char *const query_names[QUERY_N];

struct query_column {
	const struct field_table *table;
	unsigned index;
	char *name; /* the name in the query, which becomes the heading */
};

struct query {
	enum query_kind kind;
	struct query_column *columns;
	size_t n_columns;
	bool header, units;
};

/*
 * Parses a comma-separated list of fields. -EINVAL: *ret_bad, to be freed by the caller, is the
 * name that does not exist ("" if one is empty). Also -ENOMEM.
 */
MUST_CHECK int query_parse(enum query_kind kind, const char *fields, struct query *ret,
			   char **ret_bad);
void query_done(struct query *query);

void query_wants(const struct query *query, struct want *want);

void query_render_header(struct buf *out, const struct query *query);
void query_render(struct buf *out, const struct render_options *options, const struct query *query,
		  const struct snapshot *snapshot);

/* Lists every field with its aliases, unit and description. */
void query_help(struct buf *out, enum query_kind kind);

/* The existing name closest to a misspelt one. */
struct suggestion query_suggest(enum query_kind kind, const char *name);
