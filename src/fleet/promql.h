/* Writes parts of PromQL expressions, and checks those that a user enters. */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"

/* Appends a string literal, quotes included, whatever the text is. */
void promql_put_string(struct buf *out, const char *text);

/* Appends a regular expression that matches exactly this text, for use inside a string literal. */
void promql_put_pattern(struct buf *out, const char *text);

/*
 * Appends label matchers, as a user writes them, each followed by a comma: rack="a",row=~"1.*".
 * -EINVAL: they are not such a list; nothing is appended.
 */
MUST_CHECK int promql_put_matchers(struct buf *out, const char *text);

/* Appends an expression, in which each '@' is replaced by the matchers. */
void promql_put(struct buf *out, const char *expression, const char *matchers);
