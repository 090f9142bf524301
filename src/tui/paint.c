#include "tui/paint.h"

#include "basic/text.h"
#include "render/device_style.h"

#include <string.h>
#include <uchar.h>

static struct canvas *canvas;
static bool unicode;

void paint_init(struct canvas *target, bool utf8)
{
	canvas = target;
	unicode = utf8;
}

void paint_clear(void)
{
	canvas_clear(canvas);
}

void paint_set_busiest(int row, int column)
{
	canvas->busiest = (struct cursor_place){ row, column };
}

bool paint_is_utf8(void)
{
	return unicode;
}

const char *paint_symbol(const char *symbol, const char *ascii)
{
	return unicode ? symbol : ascii;
}

enum plot_characters paint_characters(enum plot_characters wanted)
{
	return unicode ? wanted : PLOT_ASCII;
}

/* Columns from here to the edge of the screen, at most width. */
static int clip(int row, int column, int width)
{
	if (row < 0 || row >= canvas->rows || column < 0 || column >= canvas->columns)
		return 0;
	return MIN(width, canvas->columns - column);
}

/* The length of a printable ASCII prefix, which needs no cleaning and no measuring. */
static size_t count_printable(const char *text, size_t length)
{
	size_t n = 0;

	while (n < length && text[n] >= 0x20 && text[n] <= 0x7e)
		n++;
	return n;
}

/*
 * Lines, blocks and braille patterns, of which charts consist: U+2500 to U+25BF and U+2800 to
 * U+28FF, three bytes and one column each.
 */
static bool is_drawing(const char *text, size_t length, uint32_t *ret)
{
	const unsigned char *at = (const unsigned char *)text;

	if (!unicode || length < 3 || at[0] != 0xE2 || (at[2] & 0xC0) != 0x80 ||
	    !((at[1] >= 0x94 && at[1] <= 0x96) || (at[1] >= 0xA0 && at[1] <= 0xA3)))
		return false;
	*ret = 0x2000 | (at[1] & 0x3Fu) << 6 | (at[2] & 0x3Fu);
	return true;
}

/* The next character and its width; returns the number of its bytes. */
static size_t next_char(const char *text, size_t length, uint32_t *ret, size_t *ret_width)
{
	*ret = (unsigned char)*text;
	*ret_width = 1;
	if (*ret >= 0x20 && *ret <= 0x7e)
		return 1;
	return is_drawing(text, length, ret) ? 3 : text_next(text, length, unicode, ret, ret_width);
}

/* The width of a text in columns. */
static int measure(const char *text, size_t length)
{
	size_t sum = count_printable(text, length);

	for (size_t at = sum; at < length;) {
		size_t width;
		uint32_t c;

		at += next_char(text + at, length - at, &c, &width);
		sum += width;
	}
	return (int)sum;
}

/* Writes as much of a text as fits into `room` columns; returns the columns used. */
static int put(int row, int column, int room, enum style style, const char *text, size_t length)
{
	struct canvas_pen pen = canvas_pen(canvas, row, column, style);
	int used = 0;

	for (size_t at = 0, width; at < length; used += (int)width) {
		uint32_t c;

		at += next_char(text + at, length - at, &c, &width);
		if (used + (int)width > room)
			break;
		if (width == 1)
			canvas_pen_put(&pen, used, c);
		else if (width)
			canvas_put(canvas, row, column + used, style, c, (unsigned)width);
		else
			canvas_combine(canvas, row, column + used - 1, c);
	}
	return used;
}

/* Repeats one character. */
static void put_line(int row, int column, enum style style, uint32_t character, int length)
{
	struct canvas_pen pen;

	length = clip(row, column, length);
	if (length <= 0)
		return;
	pen = canvas_pen(canvas, row, column, style);
	for (int i = 0; i < length; i++)
		canvas_pen_put(&pen, i, character);
}

static int paint_bytes(int row, int column, int width, enum style style, const char *text,
		       size_t length)
{
	int used, room = clip(row, column, width);

	if (room <= 0 || length == 0)
		return 0;
	/* No character takes more columns than bytes. */
	if (length <= (size_t)room || measure(text, length) <= room)
		return put(row, column, room, style, text, length);
	used = put(row, column, room - 1, style, text, length);
	put_line(row, column + used, style, unicode ? U'…' : U'~', 1);
	return used + 1;
}

int paint_text(int row, int column, int width, enum style style, const char *text)
{
	return paint_bytes(row, column, width, style, text, strlen(text));
}

int paint_buf(int row, int column, int width, enum style style, const struct buf *text)
{
	return paint_bytes(row, column, width, style, buf_text(text), text->length);
}

void paint_styled(int row, int column, int width, const char *text, size_t length)
{
	const char *end = text + length;
	int room = clip(row, column, width), used = 0;
	enum style style = STYLE_PLAIN;

	while (text < end && room > 0) {
		const char *next = memchr(text, '\033', (size_t)(end - text));
		size_t skip;

		if (!next)
			next = end;
		used += put(row, column + used, room - used, style, text, (size_t)(next - text));
		text = next;
		if (text == end)
			return;
		style = style_of_sequence(text, &skip);
		if (style == STYLE_N) { /* not one of ours */
			style = STYLE_PLAIN;
			skip = 1;
		}
		text += skip;
	}
}

static void paint_blanks(int row, int column, int width, enum style style)
{
	put_line(row, column, style, ' ', clip(row, column, width));
}

void paint_cell(int row, int column, int width, bool right, enum style style, const char *text)
{
	size_t length = strlen(text);
	int used = MIN(measure(text, length), width);
	int before = right ? width - used : 0;

	paint_blanks(row, column, before, style);
	used = paint_bytes(row, column + before, width - before, style, text, length);
	paint_blanks(row, column + before + used, width - before - used, style);
}

void paint_rule(int row, int column, int width, const char *title)
{
	uint32_t line = unicode ? U'─' : U'-';
	int at = column, end = column + clip(row, column, width);

	if (end - at > 4 && title[0]) {
		put_line(row, at, STYLE_DIM, line, 1);
		at += 2;
		at += paint_text(row, at, end - at - 1, STYLE_TITLE, title) + 1;
	}
	put_line(row, at, STYLE_DIM, line, end - at);
}

bool paint_rule_fits(int width, const char *title, const char *more)
{
	enum { FRAME = 3 }; /* the sign and the blank before a title, the blank after it */

	return measure(title, strlen(title)) + measure(more, strlen(more)) + FRAME <= width;
}

void paint_rule_more(int row, int column, int width, const char *title, const char *more)
{
	int needs = MIN((int)text_width(more, strlen(more)), width);

	paint_text(row, column + width - needs, needs, STYLE_WARN, more);
	paint_rule(row, column, width - needs, title);
}

void paint_bar(int row, int column, int width, double full)
{
	int cells = clip(row, column, width);
	int filled = MIN((int)(MIN(MAX(full, 0), 1) * width + 0.5), cells);

	put_line(row, column, memory_style(full), unicode ? U'█' : U'#', filled);
	put_line(row, column + filled, STYLE_DIM, unicode ? U'░' : U'.', cells - filled);
}

void paint_box(const struct rect *box, const char *title)
{
	const char *side = paint_symbol("│", "|");

	for (int i = 0; i < box->height; i++) {
		int row = box->top + i;

		paint_blanks(row, box->left, box->width, STYLE_PLAIN);
		if (i == 0 || i == box->height - 1)
			paint_rule(row, box->left, box->width, i == 0 ? title : "");
		paint_text(row, box->left, 1, STYLE_DIM, side);
		paint_text(row, box->left + box->width - 1, 1, STYLE_DIM, side);
	}
}
