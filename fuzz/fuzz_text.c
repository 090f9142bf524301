/*
 * Fuzzes the cleaning of text for a terminal and for JSON. The result is read back by an
 * independent decoder.
 */
#include "fuzz.h"

#include "basic/text.h"
#include "render/json_writer.h"

#include <locale.h>

/* Decodes one character of UTF-8, by the table of RFC 3629; 0: invalid. */
static size_t strict_utf8(const unsigned char *s, size_t length, uint32_t *ret)
{
	static const struct {
		unsigned char first, last, low, high;
		size_t more;
	} forms[] = {
		{ 0x00, 0x7F, 0, 0, 0 },       { 0xC2, 0xDF, 0x80, 0xBF, 1 },
		{ 0xE0, 0xE0, 0xA0, 0xBF, 2 }, { 0xE1, 0xEC, 0x80, 0xBF, 2 },
		{ 0xED, 0xED, 0x80, 0x9F, 2 }, { 0xEE, 0xEF, 0x80, 0xBF, 2 },
		{ 0xF0, 0xF0, 0x90, 0xBF, 3 }, { 0xF1, 0xF3, 0x80, 0xBF, 3 },
		{ 0xF4, 0xF4, 0x80, 0x8F, 3 },
	};

	for (size_t i = 0; length && i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (s[0] < forms[i].first || s[0] > forms[i].last || forms[i].more >= length)
			continue;
		*ret = forms[i].more ? s[0] & (0x3Fu >> forms[i].more) : s[0];
		for (size_t k = 1; k <= forms[i].more; k++) {
			if (k == 1 ? s[1] < forms[i].low || s[1] > forms[i].high
				   : s[k] < 0x80 || s[k] > 0xBF)
				return 0;
			*ret = *ret << 6 | (s[k] & 0x3F);
		}
		return forms[i].more + 1;
	}
	return 0;
}

static void check_decoder(const char *text, size_t length)
{
	for (size_t at = 0; at < length; at++) {
		uint32_t a = 0, b = 0;
		size_t n = utf8_decode(text + at, length - at, &a);

		CHECK(n == strict_utf8((const unsigned char *)text + at, length - at, &b));
		CHECK(n == 0 || a == b);
	}
}

/* The result is valid, has no control characters, and its width can be computed. */
static void check_clean(const char *data, size_t size, bool utf8)
{
	struct buf out = { 0 };
	size_t width;

	text_clean(&out, data, size, utf8);
	CHECK(!out.failed);
	for (size_t at = 0; at < out.length;) {
		uint32_t c;
		size_t n = strict_utf8((unsigned char *)out.data + at, out.length - at, &c);

		CHECK(n > 0 && c >= 0x20 && !(c >= 0x7F && c < 0xA0));
		CHECK(c != 0x202E && c != 0x2028 && c != 0x200B && c != 0xFEFF);
		CHECK(utf8 || c < 0x80);
		at += n;
	}
	width = text_width(buf_text(&out), out.length);
	CHECK(width <= out.length * 2);
	CHECK(text_fit(buf_text(&out), out.length, width) == out.length);
	for (size_t columns = 0; columns < 8; columns++) {
		size_t fits = text_fit(buf_text(&out), out.length, columns);

		CHECK(text_width(buf_text(&out), fits) <= columns);
	}
	buf_done(&out);
}

static unsigned hex4(const char *at)
{
	unsigned value = 0;

	for (unsigned i = 0; i < 4; i++) {
		const char *digit = strchr("0123456789abcdef", at[i]);

		CHECK(at[i] && digit);
		value = value * 16 + (unsigned)(digit - "0123456789abcdef");
	}
	return value;
}

/* Decodes the next character of a JSON string and advances. */
static uint32_t json_character(const char **text)
{
	static const char escapes[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	const char *at = *text;
	uint32_t c;

	if (at[0] != '\\') {
		size_t n = strict_utf8((const unsigned char *)at, strlen(at), &c);

		CHECK(n > 0 && c >= 0x20);
		*text += n;
		return c;
	}
	if (at[1] != 'u') {
		const char *found = strchr(escapes, at[1]);

		CHECK(at[1] && found);
		*text += 2;
		return (unsigned char)meant[found - escapes];
	}
	c = hex4(at + 2);
	*text += 6;
	CHECK(c < 0xDC00 || c > 0xDFFF);
	if (c >= 0xD800 && c < 0xDC00) {
		unsigned low;

		CHECK(at[6] == '\\' && at[7] == 'u');
		low = hex4(at + 8);
		CHECK(low >= 0xDC00 && low <= 0xDFFF);
		*text += 6;
		c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
	}
	return c;
}

/* The string reads back as the input, with U+FFFD for each byte that is not UTF-8. */
static void check_json(const char *input, bool ascii)
{
	struct buf out = { 0 };
	struct json json = { .out = &out, .ascii = ascii };
	size_t left = strlen(input);
	const char *at;

	json_open(&json, NULL, '{');
	json_text(&json, "k", input);
	json_close(&json, '}');
	CHECK(!out.failed && strlen(out.data) == out.length);
	CHECK(strncmp(out.data, "{\"k\":\"", 6) == 0);
	for (at = out.data + 6; *at != '"';) {
		uint32_t expected = 0xFFFD;
		size_t n = strict_utf8((const unsigned char *)input, left, &expected);

		CHECK(left > 0);
		CHECK(!ascii || (unsigned char)*at < 0x80);
		CHECK(json_character(&at) == (n ? expected : 0xFFFD));
		input += n ? n : 1;
		left -= n ? n : 1;
	}
	CHECK(left == 0 && strcmp(at, "\"}") == 0);
	buf_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool utf8, asked;
	char *text = fuzz_text(data, size);

	if (!asked) {
		utf8 = setlocale(LC_CTYPE, "C.UTF-8");
		asked = true;
	}
	check_decoder(text, size);
	check_clean(text, size, false);
	if (utf8)
		check_clean(text, size, true);
	check_json(text, false);
	check_json(text, true);
	free(text);
	return 0;
}
