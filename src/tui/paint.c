#include "tui/paint.h"

#include "basic/text.h"
#include "render/device_style.h"
#include "tui/paint_rows.h"

#include <limits.h>
#include <string.h>
#include <uchar.h>

static struct canvas *canvas;
static struct paint_rows rows;
static bool unicode;

void paint_init(struct canvas *target, bool utf8)
{
	canvas = target;
	unicode = utf8;
}

void paint_done(void)
{
	paint_rows_done(&rows);
}

void paint_begin(void)
{
	paint_rows_begin(&rows, canvas);
}

void paint_end(void)
{
	paint_rows_draw(&rows, canvas, unicode);
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

/* The width of a text in columns. */
static int measure(const char *text, size_t length)
{
	int used;

	paint_fit(text, length, INT_MAX, unicode, &used);
	return used;
}

/* Paints as much of a text as fits into `room` columns; returns the columns used. */
static int put(int row, int column, int room, enum style style, const char *text, size_t length)
{
	int used;

	length = paint_fit(text, length, room, unicode, &used);
	paint_rows_add(&rows, row, column, style, text, length);
	return used;
}

/* Repeats one character. */
static void put_line(int row, int column, enum style style, uint32_t character, int length)
{
	length = clip(row, column, length);
	if (length > 0)
		paint_rows_repeat(&rows, row, column, style, character, length);
}

static int paint_bytes(int row, int column, int width, enum style style, const char *text,
		       size_t length)
{
	int used, room = clip(row, column, width);

	if (room <= 0 || length == 0)
		return 0;
	if (paint_fit(text, length, room, unicode, &used) == length) {
		paint_rows_add(&rows, row, column, style, text, length);
		return used;
	}
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
	int used, before;

	if (paint_fit(text, length, width, unicode, &used) < length)
		used = width; /* with an ellipsis */
	before = right ? width - used : 0;
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
