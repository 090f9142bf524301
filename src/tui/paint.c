#include "tui/paint.h"

#include "basic/text.h"

#include <curses.h>
#include <math.h>
#include <string.h>

static bool unicode;

void paint_init(bool utf8)
{
	unicode = utf8;
}

bool paint_is_utf8(void)
{
	return unicode;
}

const char *paint_sign(const char *sign, const char *ascii)
{
	return unicode ? sign : ascii;
}

/* Columns there are from here to the edge of the screen, at most width. */
static int clip(int row, int column, int width)
{
	if (row < 0 || row >= LINES || column < 0 || column >= COLS)
		return 0;
	return MIN(width, COLS - column);
}

static void put(int row, int column, enum style style, const char *text, size_t length)
{
	unsigned attributes;
	short pair;

	theme_style(style, &attributes, &pair);
	attr_set(attributes, pair, NULL);
	mvaddnstr(row, column, text, (int)length);
}

/* Most of what is shown is ours and ASCII: that needs no cleaning and no measuring. */
static bool is_printable(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] < 0x20 || (unsigned char)text[i] > 0x7e)
			return false;
	return true;
}

static int paint_bytes(int row, int column, int width, enum style style, const char *text,
		       size_t length)
{
	CLEANUP_BUF struct buf clean = { 0 };
	int used, room = clip(row, column, width);

	if (room <= 0 || length == 0)
		return 0;
	if (is_printable(text, length)) {
		used = (int)length;
	} else {
		text_clean(&clean, text, length, unicode);
		text = buf_text(&clean);
		length = clean.length;
		used = (int)text_width(text, length);
	}
	if (used <= room) {
		put(row, column, style, text, length);
		return used;
	}
	length = text_fit(text, length, (size_t)room - 1);
	put(row, column, style, text, length);
	used = (int)text_width(text, length);
	addstr(unicode ? "…" : "~");
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

static void paint_blanks(int row, int column, int width, enum style style)
{
	static const char blanks[] =
		"                                                                ";

	for (int left = clip(row, column, width); left > 0;) {
		int n = MIN(left, (int)sizeof(blanks) - 1);

		put(row, column, style, blanks, (size_t)n);
		column += n;
		left -= n;
	}
}

void paint_cell(int row, int column, int width, bool right, enum style style, const char *text)
{
	CLEANUP_BUF struct buf clean = { 0 };
	int used, before;

	text_clean(&clean, text, strlen(text), unicode);
	used = MIN((int)text_width(buf_text(&clean), clean.length), width);
	before = right ? width - used : 0;
	paint_blanks(row, column, before, style);
	used = paint_buf(row, column + before, width - before, style, &clean);
	paint_blanks(row, column + before + used, width - before - used, style);
}

void paint_rule(int row, int column, int width, const char *title)
{
	const char *line = paint_sign("─", "-");
	int at = column, end = column + clip(row, column, width);

	if (end - at > 4 && title[0]) {
		at += paint_text(row, at, 1, STYLE_DIM, line) + 1;
		at += paint_text(row, at, end - at - 1, STYLE_TITLE, title) + 1;
	}
	if (at >= end)
		return;
	put(row, at, STYLE_DIM, line, strlen(line));
	while (++at < end)
		addstr(line);
}

enum style paint_bar_style(double full)
{
	if (full >= 0.9)
		return STYLE_BAD;
	return full >= 0.75 ? STYLE_WARN : STYLE_GOOD;
}

void paint_bar(int row, int column, int width, double full)
{
	const char *on = paint_sign("█", "#"), *off = paint_sign("░", ".");
	int cells = clip(row, column, width);
	int filled = (int)lround(MIN(MAX(full, 0), 1) * width);

	if (cells <= 0)
		return;
	move(row, column);
	for (int i = 0; i < cells; i++) {
		if (i == 0 || i == filled) {
			unsigned attributes;
			short pair;

			theme_style(i < filled ? paint_bar_style(full) : STYLE_DIM, &attributes,
				    &pair);
			attr_set(attributes, pair, NULL);
		}
		addstr(i < filled ? on : off);
	}
}

void paint_box(const struct rect *box, const char *title)
{
	const char *side = paint_sign("│", "|");

	for (int i = 0; i < box->height; i++) {
		int row = box->top + i;

		paint_blanks(row, box->left, box->width, STYLE_PLAIN);
		if (i == 0 || i == box->height - 1)
			paint_rule(row, box->left, box->width, i == 0 ? title : "");
		paint_text(row, box->left, 1, STYLE_DIM, side);
		paint_text(row, box->left + box->width - 1, 1, STYLE_DIM, side);
	}
}
