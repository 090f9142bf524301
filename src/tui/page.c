#include "tui/page.h"

#include "basic/text.h"
#include "render/mem_parts.h"
#include "render/device_symbol.h"
#include "tui/page_parts.h"
#include "tui/paint.h"

#include <string.h>

size_t page_lines(const struct buf *text)
{
	size_t lines = 0;

	for (size_t i = 0; i < text->length; i++)
		lines += text->data[i] == '\n';
	return lines;
}

/* Length of the line up to a blank, unless less than half of the width would be used. */
static size_t break_at(const char *line, size_t fit)
{
	for (size_t n = fit; n > fit / 2; n--)
		if (line[n] == ' ')
			return n;
	return fit;
}

/* Wraps long values; continued lines are indented. */
static void wrap_line(struct buf *out, const char *line, size_t length, size_t width, int indent)
{
	CLEANUP_BUF struct buf clean = { 0 };

	text_clean(&clean, line, length, paint_is_utf8());
	line = buf_text(&clean);
	length = clean.length;
	for (size_t room = width; width > 2 * (size_t)indent && text_width(line, length) > room;) {
		size_t n = break_at(line, text_fit(line, length, room));

		buf_add(out, line, n);
		buf_printf(out, "\n%*s", indent, "");
		n += line[n] == ' ';
		line += n;
		length -= n;
		room = width - (size_t)indent;
	}
	buf_add(out, line, length);
	buf_putc(out, '\n');
}

void page_wrap(struct buf *out, const struct buf *text, int width, int indent)
{
	for (const char *at = buf_text(text); *at;) {
		size_t length = strcspn(at, "\n");

		if (length > (size_t)MAX(width, 0)) {
			wrap_line(out, at, length, (size_t)MAX(width, 0), indent);
		} else {
			buf_add(out, at, length);
			buf_putc(out, '\n');
		}
		at += length + (at[length] == '\n');
	}
}

/* The lines that stay together: a heading with its first entry, an entry with its continued lines.
 */
static size_t entry_length(const char *text, size_t indent, size_t *ret_lines)
{
	bool heading = *text != ' ';
	size_t length = 0;

	*ret_lines = 0;
	do {
		length += strcspn(text + length, "\n");
		length += text[length] == '\n';
		++*ret_lines;
	} while (text[length] &&
		 (strspn(text + length, " ") >= indent || (heading && *ret_lines == 1)));
	return length;
}

void page_keep_entries(struct buf *text, size_t indent, size_t height, size_t columns)
{
	CLEANUP_BUF struct buf kept = { 0 };
	size_t used = 0;

	for (const char *at = buf_text(text); *at;) {
		size_t lines, length = entry_length(at, indent, &lines);
		size_t room = height - used % height;

		if (lines > room && lines <= height) {
			for (size_t i = 0; i < room; i++)
				buf_putc(&kept, '\n');
			used += room;
		}
		buf_add(&kept, at, length);
		used += lines;
		at += length;
	}
	if (!kept.failed && used <= height * columns) {
		buf_reset(text);
		buf_add(text, kept.data, kept.length);
	}
}

enum { HELP_INDENT = 11, PAGE_INDENT = 4 };

static void put_help(struct buf *out)
{
	for (size_t i = 0; i < n_keys; i++)
		buf_printf(out, "%s%s %-9s %s\n", keys[i].group ? keys[i].group : "",
			   keys[i].group ? "\n" : "", keys[i].names, keys[i].help);
	buf_puts(out, "Columns, for F4 and F6\n          ");
	for (size_t i = 0; i < PROCESS_COLUMNS; i++)
		buf_printf(out, " %s", process_columns[i].key);
	buf_puts(out, "\nSigns\n");
	for (size_t i = 0; i < n_device_symbols; i++) {
		buf_putc(out, ' ');
		page_put_cell(out, paint_symbol(device_symbols[i].utf8, device_symbols[i].ascii),
			      9);
		buf_printf(out, " %s\n", device_symbols[i].help);
	}
}

/*
 * The same text as tt_smi mem: pools, single allocations, and what exited processes left. It has
 * escape sequences for its styles.
 */
static void put_memory(struct buf *out, const struct ui *ui)
{
	const struct device *dev = ui_device(ui, ui->device);
	const struct render_options options = { .version = ui->version,
						.utf8 = paint_is_utf8(),
						.color = true,
						.columns = (size_t)MAX(ui->columns, 1) };
	const struct mem_view view = { .snapshot = ui_snapshot(ui),
				       .history = ui->history,
				       .period_ms = ui->settings.refresh_ms };
	struct text_line line = { .out = out, .options = &options };
	size_t position;

	if (!dev)
		return;
	position = (size_t)(dev - view.snapshot->devices);
	mem_put_pools(&line, &view, position);
	mem_put_stale_usages(&line, &view, position);
	mem_put_allocations(&line, &view, position);
}

void page_of_view(const struct ui *ui, struct buf *out)
{
	CLEANUP_BUF struct buf text = { 0 };

	if (ui->settings.view == VIEW_MEMORY) {
		put_memory(out, ui); /* in columns, as wide as the screen */
		return;
	}
	if (ui->settings.view == VIEW_PROCESSES)
		page_put_selected(&text, ui);
	else
		page_put_device(&text, ui);
	page_wrap(out, &text, (ui->layout.page.width + 1) / ui->layout.page_columns - 1,
		  PAGE_INDENT);
	if (ui->settings.view == VIEW_PROCESSES)
		page_keep_entries(out, PAGE_INDENT, (size_t)MAX(ui->layout.page.height - 1, 1),
				  (size_t)ui->layout.page_columns);
}

int overlay_columns(const struct ui *ui)
{
	enum { HELP_WIDTH = 38 };

	return ui->overlay == OVERLAY_HELP ? MAX((ui->columns - PAGE_FRAME) / HELP_WIDTH, 1) : 1;
}

int overlay_rows(const struct ui *ui)
{
	return MAX(ui->rows - 4, 1); /* without bars and frame */
}

void page_of_overlay(const struct ui *ui, struct buf *out)
{
	CLEANUP_BUF struct buf text = { 0 };

	int width = (ui->columns - PAGE_FRAME) / overlay_columns(ui);

	if (ui->overlay == OVERLAY_HELP)
		put_help(&text);
	else
		page_put_process(&text, ui);
	page_wrap(out, &text, overlay_columns(ui) > 1 ? width - 1 : width,
		  ui->overlay == OVERLAY_HELP ? HELP_INDENT : PAGE_INDENT);
	if (ui->overlay == OVERLAY_HELP)
		page_keep_entries(out, HELP_INDENT, (size_t)overlay_rows(ui),
				  (size_t)overlay_columns(ui));
}

void page_go_to(struct ui *ui, const char *anchor)
{
	CLEANUP_BUF struct buf text = { 0 };
	const char *at;
	size_t line = 0;

	if (!anchor || ui->overlay != OVERLAY_DETAIL)
		return;
	page_of_overlay(ui, &text);
	for (at = buf_text(&text); *at && strncmp(at, anchor, strlen(anchor)) != 0; line++) {
		at += strcspn(at, "\n");
		at += *at == '\n';
	}
	if (*at)
		ui->overlay_top = line;
}
