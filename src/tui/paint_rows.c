#include "tui/paint_rows.h"

#include "basic/text.h"

#include <stdlib.h>
#include <string.h>

/* One entry of a list; its text follows. Without padding: lists are compared as bytes. */
struct painted {
	uint32_t length;    /* of the text; 0: a character is repeated */
	uint32_t character; /* that is repeated */
	uint16_t times;
	uint16_t column;
	uint32_t style;
};

/*
 * Lines, blocks and braille patterns, of which charts consist: U+2500 to U+25BF and U+2800 to
 * U+28FF, three bytes and one column each.
 */
static bool is_drawing(const char *text, size_t length, uint32_t *ret)
{
	const unsigned char *at = (const unsigned char *)text;

	if (length < 3 || at[0] != 0xE2 || (at[2] & 0xC0) != 0x80 ||
	    !((at[1] >= 0x94 && at[1] <= 0x96) || (at[1] >= 0xA0 && at[1] <= 0xA3)))
		return false;
	*ret = 0x2000 | (at[1] & 0x3Fu) << 6 | (at[2] & 0x3Fu);
	return true;
}

/* The next character and its width; returns the number of its bytes. */
static size_t next_char(const char *text, size_t length, bool utf8, uint32_t *ret,
			size_t *ret_width)
{
	*ret = (unsigned char)*text;
	*ret_width = 1;
	if (*ret >= 0x20 && *ret <= 0x7e)
		return 1;
	return utf8 && is_drawing(text, length, ret)
		       ? 3
		       : text_next(text, length, utf8, ret, ret_width);
}

/* The length of a printable ASCII prefix, of as many columns. */
static size_t count_printable(const char *text, size_t most)
{
	size_t n = 0;

	while (n < most && text[n] >= 0x20 && text[n] <= 0x7e)
		n++;
	return n;
}

size_t paint_fit(const char *text, size_t length, int room, bool utf8, int *ret_used)
{
	size_t at = count_printable(text, MIN(length, (size_t)room)), bytes, width;
	int used = (int)at;

	for (; at < length; at += bytes, used += (int)width) {
		uint32_t c;

		bytes = next_char(text + at, length - at, utf8, &c, &width);
		if (used + (int)width > room)
			break;
	}
	*ret_used = used;
	return at;
}

/* ---- the lists ---- */

void paint_rows_done(struct paint_rows *rows)
{
	for (int i = 0; i < rows->count; i++) {
		buf_done(&rows->rows[i].now);
		buf_done(&rows->rows[i].before);
	}
	free(rows->rows);
	*rows = (struct paint_rows){ 0 };
}

void paint_rows_begin(struct paint_rows *rows, const struct canvas *canvas)
{
	if (rows->count != canvas->rows) {
		paint_rows_done(rows);
		rows->rows = calloc((size_t)canvas->rows + 1, sizeof(*rows->rows));
		rows->count = rows->rows ? canvas->rows : 0;
	}
	for (int i = 0; i < rows->count; i++) {
		struct paint_row *row = &rows->rows[i];
		struct buf now = row->now;

		row->now = row->before;
		row->before = now;
		buf_reset(&row->now);
	}
}

static void add(struct paint_rows *rows, int row, const struct painted *entry, const char *text)
{
	struct buf *list;

	if (row >= rows->count)
		return; /* out of memory */
	list = &rows->rows[row].now;
	buf_add(list, entry, sizeof(*entry));
	if (entry->length)
		buf_add(list, text, entry->length);
}

void paint_rows_add(struct paint_rows *rows, int row, int column, enum style style,
		    const char *text, size_t length)
{
	const struct painted entry = { .length = (uint32_t)length,
				       .column = (uint16_t)column,
				       .style = style };

	if (length)
		add(rows, row, &entry, text);
}

void paint_rows_repeat(struct paint_rows *rows, int row, int column, enum style style,
		       uint32_t character, int times)
{
	const struct painted entry = { .character = character,
				       .times = (uint16_t)times,
				       .column = (uint16_t)column,
				       .style = style };

	add(rows, row, &entry, "");
}

/* ---- drawing ---- */

static void draw_text(struct canvas *canvas, int row, const struct painted *entry, const char *text,
		      bool utf8)
{
	struct canvas_pen pen = canvas_pen(canvas, row, entry->column, entry->style);
	size_t width;
	int used = 0;

	for (size_t at = 0; at < entry->length; used += (int)width) {
		uint32_t c;

		at += next_char(text + at, entry->length - at, utf8, &c, &width);
		if (width == 1)
			canvas_pen_put(&pen, used, c);
		else if (width)
			canvas_put(canvas, row, entry->column + used, entry->style, c,
				   (unsigned)width);
		else
			canvas_combine(canvas, row, entry->column + used - 1, c);
	}
}

static void draw_repeated(struct canvas *canvas, int row, const struct painted *entry)
{
	struct canvas_pen pen = canvas_pen(canvas, row, entry->column, entry->style);

	for (int i = 0; i < entry->times; i++)
		canvas_pen_put(&pen, i, entry->character);
}

static void draw_row(const struct buf *list, struct canvas *canvas, int row, bool utf8)
{
	struct painted entry;

	canvas_clear_row(canvas, row);
	for (size_t at = 0; at < list->length; at += sizeof(entry) + entry.length) {
		memcpy(&entry, list->data + at, sizeof(entry));
		if (entry.length)
			draw_text(canvas, row, &entry, list->data + at + sizeof(entry), utf8);
		else
			draw_repeated(canvas, row, &entry);
	}
}

void paint_rows_draw(const struct paint_rows *rows, struct canvas *canvas, bool utf8)
{
	for (int i = 0; i < rows->count; i++) {
		const struct buf *now = &rows->rows[i].now, *before = &rows->rows[i].before;

		if (!canvas->is_known || now->failed || now->length != before->length ||
		    memcmp(buf_text(now), buf_text(before), now->length) != 0)
			draw_row(now, canvas, i, utf8);
	}
}
