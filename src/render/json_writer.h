/*
 * A streaming JSON writer, which takes care of commas, indentation and escaping. Strings come out
 * as valid UTF-8 whatever their input is.
 */
#pragma once

#include "basic/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json {
	struct buf *out;
	unsigned indent; /* blanks per level; 0: everything on one line */
	bool ascii;	 /* write non-ASCII characters as \uXXXX */
	unsigned depth;
	bool first; /* nothing written at this level yet */
};

/* key is NULL inside arrays and for the document itself. */
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);
void json_text(struct json *json, const char *key, const char *text);
void json_u64(struct json *json, const char *key, uint64_t number);
void json_i64(struct json *json, const char *key, int64_t number);
void json_double(struct json *json, const char *key, double number);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

/* key need not be NUL-terminated. */
void json_open_part(struct json *json, const char *key, size_t length, char bracket);
