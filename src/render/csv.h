/*
 * Selective queries in nvidia-smi's dialect: --query-gpu=a,b --format=csv.
 * Separator is comma and blank, a heading carries its unit in brackets, what is
 * not known is [N/A]. Quotes (RFC 4180) only where a value needs them.
 */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"
#include "model/snapshot.h"
#include "model/want.h"
#include "render/render_options.h"

#include <stdbool.h>

enum query_kind { QUERY_DEVICES, QUERY_PROCESSES, QUERY_ACCOUNTS, QUERY_N };

/* "query-gpu": the option, and with --help- before it its explanation. */
extern const char *const query_names[QUERY_N];

struct query_column {
	const struct field_table *table;
	unsigned index;
	char *name; /* as it was asked for: the heading */
};

struct query {
	enum query_kind kind;
	struct query_column *columns;
	size_t n_columns;
	bool header, units;
};

/*
 * Understands a comma-separated list of fields. -EINVAL: *ret_bad is the one that
 * does not exist ("" if one is empty), to be freed by the caller; -ENOMEM.
 */
MUST_CHECK int query_parse(enum query_kind kind, const char *fields, struct query *ret,
			   char **ret_bad);
void query_done(struct query *query);

void query_wants(const struct query *query, struct want *want);

void query_render_header(struct buf *out, const struct query *query);
void query_render(struct buf *out, const struct render_options *options, const struct query *query,
		  const struct snapshot *snapshot);

/* Every field with its other names, unit and meaning. */
void query_help(struct buf *out, enum query_kind kind);

/* The existing name that is nearest to a wrong one; NULL: none is near. */
const char *query_suggest(enum query_kind kind, const char *name);
