/* Draws the devices of a view, group by group. */
#include "tui/draw.h"

#include "tui/drawn_device.h"
#include "tui/paint.h"

#include <string.h>

/* Explains the percentages of narrow cells, as well as there is room. */
static const char *choose_legend(enum form form, int width, const char *name)
{
	static const char *const cells[] = { " % of DRAM, b: % of time busy ",
					     " % of DRAM, b: busy ", " b: busy ", NULL };
	static const char *const briefs[] = { " D: % of DRAM in use ", " D: DRAM ", NULL };
	const char *const *legend = form == FORM_BRIEF ? briefs : cells;

	while (*legend && !paint_rule_fits(width, name, *legend))
		legend++;
	return *legend;
}

/* "n300 …131979b69": boards of one kind differ in the last digits of their serial numbers. */
static void put_name(struct buf *out, const char *name, int width)
{
	const char *serial = strchr(name, ' ');

	buf_puts(out, name);
	for (const char *tail = serial; tail && *tail && !paint_rule_fits(width, buf_text(out), "");
	     tail++) {
		buf_reset(out);
		buf_printf(out, "%.*s%s%s", (int)(serial + 1 - name), name, paint_symbol("…", "~"),
			   tail + 1);
	}
}

/* Returns whether the heading explains percentages. */
static bool draw_group(const struct ui *ui, const struct cell *cell, bool explain)
{
	const struct rect *heading = &cell->heading;
	CLEANUP_BUF struct buf title = { 0 };
	const char *legend;
	char name[64];

	if (rect_is_empty(heading))
		return false;
	device_group_name(&ui->device_view, ui_device(ui, cell->device), name, sizeof(name));
	legend = explain ? choose_legend(FORM_CELL, heading->width, name) : NULL;
	put_name(&title, name, heading->width);
	paint_rule_more(heading->top, heading->left, heading->width, buf_text(&title),
			legend ? legend : "");
	return legend != NULL;
}

static void draw_one(const struct ui *ui, const struct cell *cell)
{
	struct drawn_device subject = drawn_device_make(ui, cell->device);

	switch (ui->layout.cells.form) {
	case FORM_PANEL: draw_device_panel(&subject, &cell->rect); break;
	case FORM_LINE:
		if (ui->settings.view == VIEW_MEMORY)
			draw_device_pools(&subject, &cell->rect);
		else
			draw_device_line(&subject, &cell->rect);
		break;
	case FORM_BRIEF: draw_device_brief(&subject, &cell->rect); break;
	case FORM_CELL: draw_device_cell(&subject, &cell->rect); break;
	case FORM_NONE: break;
	}
}

/* "+4 devices": number of devices before and after those shown. */
static void draw_more(const struct ui *ui)
{
	const struct cells *cells = &ui->layout.cells;
	size_t count = ui_counts(ui).devices, hidden = count - cells->shown;
	CLEANUP_BUF struct buf text = { 0 };

	if (rect_is_empty(&cells->more) || !hidden)
		return;
	buf_printf(&text, " +%zu device%s", hidden, hidden == 1 ? "" : "s");
	if (cells->first)
		buf_printf(&text, "  %s %zu before", paint_symbol("↑", "^"), cells->first);
	if (cells->first + cells->shown < count)
		buf_printf(&text, "  %s %zu after", paint_symbol("↓", "v"),
			   count - cells->first - cells->shown);
	paint_buf(cells->more.top, cells->more.left, cells->more.width, STYLE_WARN, &text);
}

/* Does what a heading would do for cells that have none. */
static void draw_legend(const struct ui *ui)
{
	const struct rect *line = &ui->layout.legend;
	CLEANUP_BUF struct buf name = { 0 };
	const char *legend;

	if (rect_is_empty(line))
		return;
	buf_printf(&name, "%zu devices", ui_counts(ui).devices);
	legend = choose_legend(ui->layout.cells.form, line->width, buf_text(&name));
	paint_rule_more(line->top, line->left, line->width, buf_text(&name), legend ? legend : "");
}

void draw_cells(const struct ui *ui)
{
	struct counts counts = ui_counts(ui);
	struct cell_walk walk;
	struct cell cell;
	bool explained =
		ui->layout.cells.width >= CELL_NAMES_SHARES || !rect_is_empty(&ui->layout.legend);

	draw_legend(ui);
	cells_begin(&walk, &ui->layout.cells, &counts);
	while (cells_next(&walk, &cell)) {
		explained |= draw_group(ui, &cell, !explained);
		draw_one(ui, &cell);
	}
	draw_more(ui);
}
