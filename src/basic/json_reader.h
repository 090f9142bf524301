/*
 * A strict JSON reader (RFC 8259) for answers of servers: the caller pulls one token after the
 * other, so a document of any size needs the memory of its longest string.
 *
 * The text must be one complete document. There is one exception from strictness: bytes that are
 * not UTF-8, unpaired surrogates and NUL characters inside strings are replaced by U+FFFD. Labels
 * come from many machines, and a bad one must not make the whole answer unreadable.
 */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"

#include <stdbool.h>
#include <stddef.h>

enum json_token {
	TOKEN_INVALID, /* not JSON, nested too deeply, or out of memory; all later tokens too */
	TOKEN_END,     /* of the document */
	TOKEN_OBJECT,
	TOKEN_OBJECT_END,
	TOKEN_ARRAY,
	TOKEN_ARRAY_END,
	TOKEN_KEY, /* its value follows */
	TOKEN_STRING,
	TOKEN_NUMBER,
	TOKEN_TRUE,
	TOKEN_FALSE,
	TOKEN_NULL,
};

enum { JSON_MAX_DEPTH = 32 };

struct json_reader {
	const char *at, *end;
	struct buf text; /* of the last key, string or number; NUL-terminated */
	unsigned depth;
	bool in_object[JSON_MAX_DEPTH]; /* by level; else in an array */
	enum json_token last;
	bool has_key; /* the value of a key is expected */
};

/* The text must stay valid; it need not be NUL-terminated. */
struct json_reader json_reader_make(const char *text, size_t length);
void json_reader_done(struct json_reader *reader);

enum json_token json_next(struct json_reader *reader);

/* Skips the value that begins with the last token. False: invalid. */
MUST_CHECK bool json_skip(struct json_reader *reader);

/* Reads the next token. False: it is not of this kind. */
MUST_CHECK bool json_expect(struct json_reader *reader, enum json_token token);
