#include "basic/text.h"

#include "basic/locale.h"
#include "basic/macros.h"

#include <string.h>
#include <wchar.h>

static const uint32_t mark = 0xFFFD; /* REPLACEMENT CHARACTER */

size_t utf8_decode(const char *text, size_t length, uint32_t *ret)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *s = (const unsigned char *)text;
	uint32_t c;
	size_t n;

	if (length == 0)
		return 0;
	if (s[0] < 0x80) {
		*ret = s[0];
		return 1;
	}
	n = s[0] >= 0xF0 && s[0] < 0xF8 ? 4 : s[0] >= 0xE0 ? 3 : 2;
	if (s[0] < 0xC2 || s[0] >= 0xF8 || n > length)
		return 0;
	c = s[0] & (0x7Fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xC0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3F);
	}
	if (c < least[n] || (c >= 0xD800 && c <= 0xDFFF) || c > 0x10FFFF)
		return 0;
	*ret = c;
	return n;
}

void utf8_encode(struct buf *out, uint32_t c)
{
	if (c < 0x80) {
		buf_putc(out, (char)c);
	} else if (c < 0x800) {
		buf_putc(out, (char)(0xC0 | c >> 6));
		buf_putc(out, (char)(0x80 | (c & 0x3F)));
	} else if (c < 0x10000) {
		buf_putc(out, (char)(0xE0 | c >> 12));
		buf_putc(out, (char)(0x80 | (c >> 6 & 0x3F)));
		buf_putc(out, (char)(0x80 | (c & 0x3F)));
	} else {
		buf_putc(out, (char)(0xF0 | c >> 18));
		buf_putc(out, (char)(0x80 | (c >> 12 & 0x3F)));
		buf_putc(out, (char)(0x80 | (c >> 6 & 0x3F)));
		buf_putc(out, (char)(0x80 | (c & 0x3F)));
	}
}

bool text_is_plain(uint32_t c)
{
	if (c < 0x20 || (c >= 0x7F && c < 0xA0))
		return false; /* C0, DEL, C1 */
	if ((c >= 0x200B && c <= 0x200F) || c == 0x061C)
		return false; /* zero width, direction marks */
	if (c == 0x00AD || c == 0x034F || c == 0x115F || c == 0x1160 ||
	    (c >= 0x17B4 && c <= 0x17B5) || (c >= 0x180B && c <= 0x180F) || c == 0x3164 ||
	    c == 0xFFA0)
		return false; /* soft hyphen, joiners, fillers: invisible */
	if ((c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F))
		return false; /* line separators, direction overrides, invisible operators */
	if (c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0xE0000 && c <= 0xE007F))
		return false; /* byte order mark, annotations, tags */
	return true;
}

/*
 * Columns that a character takes; -1: it cannot be shown. Those of our own outputs take one in
 * every locale, so that usually none is loaded: Latin letters and symbols, "≥", "≤", "…", lines and
 * blocks.
 */
static int columns_of(uint32_t c)
{
	if (c < 0x80 || (c >= 0xA1 && c < 0x180 && c != 0xAD) || c == 0x2265 || c == 0x2026 ||
	    (c >= 0x2500 && c < 0x25A0))
		return 1;
	locale_load();
	return wcwidth((wchar_t)c);
}

static size_t char_width(uint32_t c)
{
	int width = columns_of(c);

	return width < 0 ? 1 : (size_t)width;
}

size_t text_next(const char *text, size_t length, bool utf8, uint32_t *ret, size_t *ret_width)
{
	uint32_t c = 0;
	size_t n = utf8_decode(text, length, &c);

	if (n == 0 || !text_is_plain(c) || (utf8 && columns_of(c) < 0))
		c = mark;
	if (!utf8 && c >= 0x80)
		c = '?';
	*ret = c;
	*ret_width = char_width(c);
	return MAX(n, 1);
}

static bool is_ascii(char byte)
{
	return byte >= 0x20 && byte < 0x7F;
}

/* Does it begin with a line or block character, U+2500 to U+259F? Those of our tables and bars. */
static bool is_drawing(const char *text, size_t length)
{
	const unsigned char *s = (const unsigned char *)text;

	return length >= 3 && s[0] == 0xE2 && s[1] >= 0x94 && s[1] <= 0x96 && s[2] >= 0x80 &&
	       s[2] < (s[1] == 0x96 ? 0xA0 : 0xC0);
}

/* Does it begin with the sign of degrees, U+00B0? */
static bool is_degree(const char *text, size_t length)
{
	return length >= 2 && (unsigned char)text[0] == 0xC2 && (unsigned char)text[1] == 0xB0;
}

/*
 * Bytes from the beginning that are shown as they are, one column for each character: printable
 * ASCII and, with utf8, drawings and degrees. Saves decoding them one by one.
 */
static size_t simple_length(const char *text, size_t length, bool utf8, size_t *ret_columns)
{
	size_t n = 0, columns = 0;

	for (; n < length; columns++) {
		if (is_ascii(text[n]))
			n++;
		else if (utf8 && is_drawing(text + n, length - n))
			n += 3;
		else if (utf8 && is_degree(text + n, length - n))
			n += 2;
		else
			break;
	}
	*ret_columns = columns;
	return n;
}

bool text_is_simple(const char *text, size_t length, bool utf8, size_t *ret_width)
{
	return simple_length(text, length, utf8, ret_width) == length;
}

void text_clean(struct buf *out, const char *text, size_t length, bool utf8)
{
	for (size_t at = 0; at < length;) {
		size_t width, simple = simple_length(text + at, length - at, utf8, &width);
		uint32_t c;

		buf_add(out, text + at, simple);
		at += simple;
		if (at == length)
			break;
		at += text_next(text + at, length - at, utf8, &c, &width);
		utf8_encode(out, c);
	}
}

size_t text_width(const char *text, size_t length)
{
	size_t width = 0;

	while (length) {
		size_t columns, n = simple_length(text, length, true, &columns);
		uint32_t c = mark;

		if (n == 0) {
			n = MAX(utf8_decode(text, length, &c), 1);
			columns = char_width(c);
		}
		width += columns;
		text += n;
		length -= n;
	}
	return width;
}

size_t text_fit(const char *text, size_t length, size_t columns)
{
	size_t at = 0, width = 0;

	while (at < length) {
		uint32_t c = mark;
		size_t n = utf8_decode(text + at, length - at, &c);

		width += char_width(c);
		if (width > columns)
			break;
		at += n ? n : 1;
	}
	return at;
}

void text_copy(char *to, size_t room, const char *from)
{
	size_t length = MIN(strlen(from), room - 1);

	memcpy(to, from, length);
	to[length] = '\0';
}
