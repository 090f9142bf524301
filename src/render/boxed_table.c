#include "render/boxed_table.h"

#include "basic/text.h"

#include <string.h>

struct boxed_table boxed_table_new(struct buf *out, const struct render_options *options)
{
	return (struct boxed_table){ .out = out,
				     .options = options,
				     .inner = options->columns - 2 };
}

void boxed_table_rule(struct boxed_table *box, enum rule rule)
{
	static const char *const lines[3][2] = {
		[RULE_TOP] = { "┌", "┐" },
		[RULE_MIDDLE] = { "├", "┤" },
		[RULE_BOTTOM] = { "└", "┘" },
	};
	bool utf8 = box->options->utf8;

	buf_puts(box->out, utf8 ? lines[rule][0] : "+");
	buf_repeat(box->out, utf8 ? "─" : "-", box->inner);
	buf_puts(box->out, utf8 ? lines[rule][1] : "+");
	buf_putc(box->out, '\n');
}

void boxed_table_begin(struct boxed_table *box)
{
	buf_puts(box->out, box->options->utf8 ? "│ " : "| ");
	box->at = 1;
}

size_t boxed_table_left(const struct boxed_table *box)
{
	return box->inner - box->at - 1;
}

/* Appends as much of the text as fits, ending with an ellipsis if it was cut. */
static size_t put_fitting(struct boxed_table *box, const char *text, size_t columns,
			  enum style style)
{
	CLEANUP_BUF struct buf cell = { 0 };
	const char *mark = box->options->utf8 ? "…" : "~";
	size_t length, width;

	if (text_is_simple(text, strlen(text), box->options->utf8, &width) && width <= columns) {
		style_put(box->out, box->options, style, text);
		return width;
	}
	text_clean(&cell, text, strlen(text), box->options->utf8);
	length = cell.length;
	width = text_width(buf_text(&cell), length);
	if (width > columns) {
		CLEANUP_BUF struct buf cut = { 0 };

		length = columns ? text_fit(buf_text(&cell), length, columns - 1) : 0;
		buf_add(&cut, buf_text(&cell), length);
		if (columns)
			buf_puts(&cut, mark);
		style_put(box->out, box->options, style, buf_text(&cut));
		return text_width(buf_text(&cut), cut.length);
	}
	style_put(box->out, box->options, style, buf_text(&cell));
	return width;
}

size_t boxed_table_room(const struct boxed_table *box, size_t width)
{
	size_t left = boxed_table_left(box);

	/* Leave a blank before the next cell. */
	return width == 0 || width >= left ? left : width - 1;
}

void boxed_table_cell(struct boxed_table *box, size_t width, enum style style, const char *text)
{
	size_t left = boxed_table_left(box), used;

	used = put_fitting(box, text, boxed_table_room(box, width), style);
	if (width == 0 || width > left)
		width = left;
	buf_fill(box->out, ' ', width - used);
	box->at += width;
}

void boxed_table_end(struct boxed_table *box)
{
	buf_fill(box->out, ' ', box->inner - box->at);
	buf_puts(box->out, box->options->utf8 ? "│\n" : "|\n");
}
