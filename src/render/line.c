#include "render/line.h"

#include "basic/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static size_t left(const struct line *line)
{
	return line->look->columns - MIN(line->at, line->look->columns);
}

static void put_clean(struct line *line, enum tint tint, const struct buf *text, size_t columns)
{
	CLEANUP_BUF struct buf cut = { 0 };
	const char *mark = line->look->utf8 ? "…" : "~";
	size_t width = text_width(buf_text(text), text->length);

	columns = MIN(columns, left(line));
	if (width > columns) {
		buf_add(&cut, buf_text(text),
			columns ? text_fit(buf_text(text), text->length, columns - 1) : 0);
		buf_puts(&cut, columns ? mark : "");
		tint_put(line->out, line->look, tint, buf_text(&cut));
		line->at += text_width(buf_text(&cut), cut.length);
		return;
	}
	tint_put(line->out, line->look, tint, buf_text(text));
	line->at += width;
}

void line_put(struct line *line, enum tint tint, const char *text)
{
	CLEANUP_BUF struct buf clean = { 0 };

	text_clean(&clean, text, strlen(text), line->look->utf8);
	put_clean(line, tint, &clean, SIZE_MAX);
}

void line_printf(struct line *line, enum tint tint, const char *format, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	line_put(line, tint, text);
}

static void put_blanks(struct line *line, size_t columns)
{
	columns = MIN(columns, left(line));
	buf_fill(line->out, ' ', columns);
	line->at += columns;
}

void line_cell(struct line *line, size_t width, enum tint tint, const char *text)
{
	CLEANUP_BUF struct buf clean = { 0 };
	size_t from = line->at;

	text_clean(&clean, text, strlen(text), line->look->utf8);
	put_clean(line, tint, &clean, width);
	put_blanks(line, width - MIN(line->at - from, width));
}

void line_cell_right(struct line *line, size_t width, enum tint tint, const char *text)
{
	CLEANUP_BUF struct buf clean = { 0 };
	size_t columns;

	text_clean(&clean, text, strlen(text), line->look->utf8);
	columns = text_width(buf_text(&clean), clean.length);
	put_blanks(line, width - MIN(columns, width));
	put_clean(line, tint, &clean, width);
}

void line_to(struct line *line, size_t column)
{
	if (column > line->at)
		put_blanks(line, column - line->at);
}

void line_end(struct line *line)
{
	buf_putc(line->out, '\n');
	line->at = 0;
}
