#include "render/json_writer.h"

#include "basic/text.h"
#include "render/format.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void put_escape(struct buf *out, uint32_t c)
{
	if (c >= 0x10000) {
		c -= 0x10000;
		buf_printf(out, "\\u%04x\\u%04x", 0xD800 + (c >> 10), 0xDC00 + (c & 0x3FF));
	} else {
		buf_printf(out, "\\u%04x", c);
	}
}

static void put_string(struct json *json, const char *text, size_t length)
{
	static const char short_escapes[] = {
		['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f',
		['\r'] = 'r', ['"'] = '"',  ['\\'] = '\\'
	};

	buf_putc(json->out, '"');
	while (length) {
		uint32_t c = 0xFFFD; /* replaces a byte that is not valid UTF-8 */
		size_t n = utf8_decode(text, length, &c);

		if (c < sizeof(short_escapes) && short_escapes[c]) {
			buf_putc(json->out, '\\');
			buf_putc(json->out, short_escapes[c]);
		} else if (c < 0x20 || (c >= 0x80 && (json->ascii || !text_is_plain(c))) ||
			   c == 0x7F) {
			put_escape(json->out, c);
		} else {
			utf8_encode(json->out, c);
		}
		text += n ? n : 1;
		length -= n ? n : 1;
	}
	buf_putc(json->out, '"');
}

static void put_line(struct json *json)
{
	if (!json->indent)
		return;
	buf_putc(json->out, '\n');
	buf_fill(json->out, ' ', (size_t)json->depth * json->indent);
}

/* Writes the comma if needed, and the key if there is one. */
static void put_key(struct json *json, const char *key, size_t length)
{
	if (!json->first && json->depth)
		buf_putc(json->out, ',');
	if (json->depth)
		put_line(json);
	json->first = false;
	if (!key)
		return;
	put_string(json, key, length);
	buf_puts(json->out, json->indent ? ": " : ":");
}

static void put_name(struct json *json, const char *key)
{
	put_key(json, key, key ? strlen(key) : 0);
}

void json_open_part(struct json *json, const char *key, size_t length, char bracket)
{
	put_key(json, key, length);
	buf_putc(json->out, bracket);
	json->depth++;
	json->first = true;
}

void json_open(struct json *json, const char *key, char bracket)
{
	json_open_part(json, key, key ? strlen(key) : 0, bracket);
}

void json_close(struct json *json, char bracket)
{
	json->depth--;
	if (!json->first)
		put_line(json);
	buf_putc(json->out, bracket);
	json->first = false;
}

void json_text(struct json *json, const char *key, const char *text)
{
	put_name(json, key);
	put_string(json, text, strlen(text));
}

void json_u64(struct json *json, const char *key, uint64_t number)
{
	put_name(json, key);
	buf_printf(json->out, "%" PRIu64, number);
}

void json_i64(struct json *json, const char *key, int64_t number)
{
	put_name(json, key);
	buf_printf(json->out, "%" PRId64, number);
}

void json_double(struct json *json, const char *key, double number)
{
	put_name(json, key);
	if (isfinite(number))
		format_shortest(json->out, number);
	else
		buf_puts(json->out, "null");
}

void json_bool(struct json *json, const char *key, bool value)
{
	put_name(json, key);
	buf_puts(json->out, value ? "true" : "false");
}

void json_null(struct json *json, const char *key)
{
	put_name(json, key);
	buf_puts(json->out, "null");
}
