#include "render/sheet.h"

#include "basic/text.h"

#include <string.h>

static const char *const tints[TINT_N] = {
	[TINT_NONE] = "",	  [TINT_BOLD] = "\033[1m",  [TINT_DIM] = "\033[2m",
	[TINT_GOOD] = "\033[32m", [TINT_WARN] = "\033[33m", [TINT_BAD] = "\033[31m",
};

struct sheet sheet_new(struct buf *out, const struct look *look)
{
	return (struct sheet){ .out = out, .look = look, .inner = look->columns - 2 };
}

void sheet_rule(struct sheet *sheet, enum rule rule)
{
	static const char *const lines[3][2] = {
		[RULE_TOP] = { "┌", "┐" },
		[RULE_MIDDLE] = { "├", "┤" },
		[RULE_BOTTOM] = { "└", "┘" },
	};
	bool utf8 = sheet->look->utf8;

	buf_puts(sheet->out, utf8 ? lines[rule][0] : "+");
	for (size_t i = 0; i < sheet->inner; i++)
		buf_puts(sheet->out, utf8 ? "─" : "-");
	buf_puts(sheet->out, utf8 ? lines[rule][1] : "+");
	buf_putc(sheet->out, '\n');
}

void sheet_begin(struct sheet *sheet)
{
	buf_puts(sheet->out, sheet->look->utf8 ? "│ " : "| ");
	sheet->at = 1;
}

size_t sheet_left(const struct sheet *sheet)
{
	return sheet->inner - sheet->at - 1;
}

void tint_put(struct buf *out, const struct look *look, enum tint tint, const char *text)
{
	if (look->color && tint != TINT_NONE && text[0])
		buf_printf(out, "%s%s\033[0m", tints[tint], text);
	else
		buf_puts(out, text);
}

/* As much of the text as fits, with a mark at the end of what was cut. */
static size_t put_fitting(struct sheet *sheet, const char *text, size_t columns, enum tint tint)
{
	CLEANUP_BUF struct buf cell = { 0 };
	const char *mark = sheet->look->utf8 ? "…" : "~";
	size_t length;

	text_clean(&cell, text, strlen(text), sheet->look->utf8);
	length = cell.length;
	if (text_width(buf_text(&cell), length) > columns) {
		CLEANUP_BUF struct buf cut = { 0 };

		length = columns ? text_fit(buf_text(&cell), length, columns - 1) : 0;
		buf_add(&cut, buf_text(&cell), length);
		if (columns)
			buf_puts(&cut, mark);
		tint_put(sheet->out, sheet->look, tint, buf_text(&cut));
		return text_width(buf_text(&cut), cut.length);
	}
	tint_put(sheet->out, sheet->look, tint, buf_text(&cell));
	return text_width(buf_text(&cell), length);
}

size_t sheet_room(const struct sheet *sheet, size_t width)
{
	size_t left = sheet_left(sheet);

	/* A blank between this cell and the next. */
	return width == 0 || width >= left ? left : width - 1;
}

void sheet_cell(struct sheet *sheet, size_t width, enum tint tint, const char *text)
{
	size_t left = sheet_left(sheet), used;

	used = put_fitting(sheet, text, sheet_room(sheet, width), tint);
	if (width == 0 || width > left)
		width = left;
	buf_fill(sheet->out, ' ', width - used);
	sheet->at += width;
}

void sheet_end(struct sheet *sheet)
{
	buf_fill(sheet->out, ' ', sheet->inner - sheet->at);
	buf_puts(sheet->out, sheet->look->utf8 ? "│\n" : "|\n");
}
