#include "tui/paint.h"

#include "basic/text.h"
#include "render/device_style.h"

#include <curses.h>
#include <string.h>
#include <wchar.h>

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

enum plot_signs paint_signs(enum plot_signs wanted)
{
	return unicode ? wanted : PLOT_ASCII;
}

/* Columns there are from here to the edge of the screen, at most width. */
static int clip(int row, int column, int width)
{
	if (row < 0 || row >= LINES || column < 0 || column >= COLS)
		return 0;
	return MIN(width, COLS - column);
}

/* The length of a printable ASCII prefix, which needs no cleaning and no measuring. */
static size_t count_printable(const char *text, size_t length)
{
	size_t n = 0;

	while (n < length && text[n] >= 0x20 && text[n] <= 0x7e)
		n++;
	return n;
}

/* Columns that it takes. */
static int measure(const char *text, size_t length)
{
	size_t sum = count_printable(text, length);

	for (size_t at = sum; at < length;) {
		size_t width;
		uint32_t c;

		at += text_next(text + at, length - at, unicode, &c, &width);
		sum += width;
	}
	return (int)sum;
}

/* ASCII only: curses need not decode multibyte characters. */
static void put_printable(int row, int column, chtype attributes, const char *text, size_t length)
{
	chtype cells[64];

	while (length) {
		size_t n = MIN(length, ARRAY_SIZE(cells));

		for (size_t i = 0; i < n; i++)
			cells[i] = attributes | (unsigned char)text[i];
		mvaddchnstr(row, column, cells, (int)n);
		column += (int)n;
		text += n;
		length -= n;
	}
}

/* A combining character is added to the cell before it. */
static void put_char(int row, int column, attr_t attributes, short pair, uint32_t c, size_t width)
{
	const wchar_t sign[] = { (wchar_t)c, L'\0' };
	cchar_t cell;

	setcchar(&cell, sign, attributes, pair, NULL);
	if (width)
		mvadd_wchnstr(row, column, &cell, 1);
	else
		mvadd_wch(row, column, &cell);
}

/* As much as there is room for; returns the columns that it took. */
static int put(int row, int column, int room, enum style style, const char *text, size_t length)
{
	unsigned attributes;
	int used = 0;
	short pair;

	theme_style(style, &attributes, &pair);
	for (size_t at = 0, width; at < length; used += (int)width) {
		uint32_t c;

		width = count_printable(text + at, MIN(length - at, (size_t)(room - used)));
		if (width) {
			put_printable(row, column + used, attributes | (chtype)COLOR_PAIR(pair),
				      text + at, width);
			at += width;
			continue;
		}
		at += text_next(text + at, length - at, unicode, &c, &width);
		if (used + (int)width > room)
			break;
		put_char(row, column + used, attributes, pair, c, width);
	}
	return used;
}

/* The same sign so many times. */
static void put_line(int row, int column, enum style style, const wchar_t *sign, int length)
{
	unsigned attributes;
	cchar_t cell;
	short pair;

	if (length <= 0)
		return;
	theme_style(style, &attributes, &pair);
	setcchar(&cell, sign, attributes, pair, NULL);
	mvhline_set(row, column, &cell, length);
}

static int paint_bytes(int row, int column, int width, enum style style, const char *text,
		       size_t length)
{
	int used, room = clip(row, column, width);

	if (room <= 0 || length == 0)
		return 0;
	if (measure(text, length) <= room)
		return put(row, column, room, style, text, length);
	used = put(row, column, room - 1, style, text, length);
	put_line(row, column + used, style, unicode ? L"…" : L"~", 1);
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

		put(row, column, n, style, blanks, (size_t)n);
		column += n;
		left -= n;
	}
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
	const wchar_t *line = unicode ? L"─" : L"-";
	int at = column, end = column + clip(row, column, width);

	if (end - at > 4 && title[0]) {
		put_line(row, at, STYLE_DIM, line, 1);
		at += 2;
		at += paint_text(row, at, end - at - 1, STYLE_TITLE, title) + 1;
	}
	put_line(row, at, STYLE_DIM, line, end - at);
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

	put_line(row, column, memory_style(full), unicode ? L"█" : L"#", filled);
	put_line(row, column + filled, STYLE_DIM, unicode ? L"░" : L".", cells - filled);
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
