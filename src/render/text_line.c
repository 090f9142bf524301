#include "render/text_line.h"

#include "basic/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static size_t left(const struct text_line *line)
{
	return line->options->columns - MIN(line->at, line->options->columns);
}

static void put_clean(struct text_line *line, enum style style, const struct buf *text,
		      size_t columns)
{
	CLEANUP_BUF struct buf cut = { 0 };
	const char *mark = line->options->utf8 ? "…" : "~";
	size_t width = text_width(buf_text(text), text->length);

	columns = MIN(columns, left(line));
	if (width > columns) {
		buf_add(&cut, buf_text(text),
			columns ? text_fit(buf_text(text), text->length, columns - 1) : 0);
		buf_puts(&cut, columns ? mark : "");
		style_put(line->out, line->options, style, buf_text(&cut));
		line->at += text_width(buf_text(&cut), cut.length);
		return;
	}
	style_put(line->out, line->options, style, buf_text(text));
	line->at += width;
}

void text_line_put(struct text_line *line, enum style style, const char *text)
{
	CLEANUP_BUF struct buf clean = { 0 };

	text_clean(&clean, text, strlen(text), line->options->utf8);
	put_clean(line, style, &clean, SIZE_MAX);
}

void text_line_printf(struct text_line *line, enum style style, const char *format, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	text_line_put(line, style, text);
}

static void put_blanks(struct text_line *line, size_t columns)
{
	columns = MIN(columns, left(line));
	buf_fill(line->out, ' ', columns);
	line->at += columns;
}

void text_line_cell(struct text_line *line, size_t width, enum style style, const char *text)
{
	CLEANUP_BUF struct buf clean = { 0 };
	size_t from = line->at;

	text_clean(&clean, text, strlen(text), line->options->utf8);
	put_clean(line, style, &clean, width);
	put_blanks(line, width - MIN(line->at - from, width));
}

void text_line_cell_right(struct text_line *line, size_t width, enum style style, const char *text)
{
	CLEANUP_BUF struct buf clean = { 0 };
	size_t columns;

	text_clean(&clean, text, strlen(text), line->options->utf8);
	columns = text_width(buf_text(&clean), clean.length);
	put_blanks(line, width - MIN(columns, width));
	put_clean(line, style, &clean, width);
}

void text_line_to(struct text_line *line, size_t column)
{
	if (column > line->at)
		put_blanks(line, column - line->at);
}

void text_line_end(struct text_line *line)
{
	buf_putc(line->out, '\n');
	line->at = 0;
}
