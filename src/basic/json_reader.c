#include "basic/json_reader.h"

#include "basic/text.h"

#include <ctype.h>
#include <string.h>

struct json_reader json_reader_make(const char *text, size_t length)
{
	return (struct json_reader){ .at = text, .end = text + length };
}

void json_reader_done(struct json_reader *reader)
{
	buf_done(&reader->text);
}

static int peek(const struct json_reader *reader)
{
	return reader->at < reader->end ? (unsigned char)*reader->at : -1;
}

static bool take(struct json_reader *reader, char c)
{
	if (peek(reader) != c)
		return false;
	reader->at++;
	return true;
}

static bool is_blank(int c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_blanks(struct json_reader *reader)
{
	while (is_blank(peek(reader)))
		reader->at++;
}

/* Copies digits; at least one. */
static bool read_digits(struct json_reader *reader)
{
	const char *from = reader->at;

	while (peek(reader) >= '0' && peek(reader) <= '9')
		reader->at++;
	buf_add(&reader->text, from, (size_t)(reader->at - from));
	return reader->at > from;
}

static bool read_number(struct json_reader *reader)
{
	buf_reset(&reader->text);
	if (take(reader, '-'))
		buf_putc(&reader->text, '-');
	if (take(reader, '0'))
		buf_putc(&reader->text, '0');
	else if (!read_digits(reader))
		return false;
	if (take(reader, '.')) {
		buf_putc(&reader->text, '.');
		if (!read_digits(reader))
			return false;
	}
	if (!take(reader, 'e') && !take(reader, 'E'))
		return true;
	buf_putc(&reader->text, 'e');
	if (take(reader, '-'))
		buf_putc(&reader->text, '-');
	else
		(void)take(reader, '+');
	return read_digits(reader);
}

/* Four hexadecimal digits; -1: something else. */
static int read_unit(struct json_reader *reader)
{
	int unit = 0;

	for (int i = 0; i < 4; i++) {
		int c = peek(reader);

		if (c < 0 || !isxdigit(c))
			return -1;
		unit = unit * 16 + (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
		reader->at++;
	}
	return unit;
}

static bool is_high(int unit)
{
	return unit >= 0xD800 && unit < 0xDC00;
}

static bool is_low(int unit)
{
	return unit >= 0xDC00 && unit < 0xE000;
}

enum { REPLACEMENT = 0xFFFD };

/* What follows "\u". The second half of a pair is consumed only if it is one. */
static bool read_unicode(struct json_reader *reader)
{
	int first = read_unit(reader), second = 0;
	const char *after = reader->at;
	uint32_t c = REPLACEMENT;

	if (first < 0)
		return false;
	if (is_high(first) && take(reader, '\\') && take(reader, 'u')) {
		second = read_unit(reader);
		if (is_low(second))
			c = 0x10000 + ((uint32_t)(first - 0xD800) << 10) +
			    (uint32_t)(second - 0xDC00);
	}
	if (is_high(first) && c == REPLACEMENT)
		reader->at = after;
	if (!is_high(first) && !is_low(first) && first)
		c = (uint32_t)first;
	utf8_encode(&reader->text, c);
	return true;
}

/* What follows a backslash. */
static bool read_escape(struct json_reader *reader)
{
	static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
	int c = peek(reader);
	const char *found = c > 0 ? strchr(names, c) : NULL;

	if (c < 0)
		return false;
	reader->at++;
	if (c == 'u')
		return read_unicode(reader);
	if (found)
		buf_putc(&reader->text, meanings[found - names]);
	return found;
}

/* Bytes beyond ASCII: one character, or one byte that is not part of a character. */
static void read_character(struct json_reader *reader)
{
	uint32_t c = REPLACEMENT;
	size_t n = utf8_decode(reader->at, (size_t)(reader->end - reader->at), &c);

	utf8_encode(&reader->text, n ? c : REPLACEMENT);
	reader->at += n ? n : 1;
}

/* What follows the opening quote. */
static bool read_string(struct json_reader *reader)
{
	buf_reset(&reader->text);
	for (;;) {
		const char *from = reader->at;

		while (peek(reader) >= 0x20 && peek(reader) < 0x80 && *reader->at != '"' &&
		       *reader->at != '\\')
			reader->at++;
		buf_add(&reader->text, from, (size_t)(reader->at - from));
		if (take(reader, '"'))
			return true;
		if (peek(reader) >= 0x80)
			read_character(reader);
		else if (!take(reader, '\\') || !read_escape(reader))
			return false;
	}
}

static bool read_word(struct json_reader *reader, const char *word)
{
	size_t length = strlen(word);

	if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, word, length) != 0)
		return false;
	reader->at += length;
	return true;
}

static enum json_token open_level(struct json_reader *reader, bool object)
{
	if (reader->depth == JSON_MAX_DEPTH)
		return TOKEN_INVALID;
	reader->at++;
	reader->in_object[reader->depth++] = object;
	return object ? TOKEN_OBJECT : TOKEN_ARRAY;
}

static enum json_token read_value(struct json_reader *reader)
{
	reader->has_key = false;
	switch (peek(reader)) {
	case '{': return open_level(reader, true);
	case '[': return open_level(reader, false);
	case '"': reader->at++; return read_string(reader) ? TOKEN_STRING : TOKEN_INVALID;
	case 't': return read_word(reader, "true") ? TOKEN_TRUE : TOKEN_INVALID;
	case 'f': return read_word(reader, "false") ? TOKEN_FALSE : TOKEN_INVALID;
	case 'n': return read_word(reader, "null") ? TOKEN_NULL : TOKEN_INVALID;
	default: return read_number(reader) ? TOKEN_NUMBER : TOKEN_INVALID;
	}
}

static enum json_token read_key(struct json_reader *reader)
{
	if (!take(reader, '"') || !read_string(reader))
		return TOKEN_INVALID;
	skip_blanks(reader);
	if (!take(reader, ':'))
		return TOKEN_INVALID;
	reader->has_key = true;
	return TOKEN_KEY;
}

/* Inside an object or array, after a value or after its opening bracket. */
static enum json_token read_item(struct json_reader *reader)
{
	bool object = reader->in_object[reader->depth - 1];
	bool first = reader->last == TOKEN_OBJECT || reader->last == TOKEN_ARRAY;

	if (take(reader, object ? '}' : ']')) {
		reader->depth--;
		return object ? TOKEN_OBJECT_END : TOKEN_ARRAY_END;
	}
	if (!first && !take(reader, ','))
		return TOKEN_INVALID;
	skip_blanks(reader);
	return object ? read_key(reader) : read_value(reader);
}

static enum json_token read_token(struct json_reader *reader)
{
	bool begun = reader->last != TOKEN_INVALID;

	skip_blanks(reader);
	if (reader->has_key || !begun)
		return read_value(reader);
	if (reader->depth)
		return read_item(reader);
	return reader->at == reader->end ? TOKEN_END : TOKEN_INVALID;
}

enum json_token json_next(struct json_reader *reader)
{
	if (!reader->at)
		return TOKEN_INVALID;
	reader->last = read_token(reader);
	if (reader->text.failed)
		reader->last = TOKEN_INVALID;
	if (reader->last == TOKEN_INVALID)
		reader->at = NULL; /* it stays invalid */
	return reader->last;
}

bool json_skip(struct json_reader *reader)
{
	enum json_token token = reader->last;
	unsigned depth = reader->depth;

	if (token == TOKEN_KEY)
		token = json_next(reader);
	else if (token == TOKEN_OBJECT || token == TOKEN_ARRAY)
		depth--;
	while (token != TOKEN_INVALID && reader->depth > depth)
		token = json_next(reader);
	return token != TOKEN_INVALID;
}

bool json_expect(struct json_reader *reader, enum json_token token)
{
	return json_next(reader) == token;
}
