/* Draws the devices of a view, group by group. */
#include "tui/draw.h"

#include "tui/drawn_device.h"
#include "tui/paint.h"

/* Explains the unnamed percentages of narrow cells, as well as there is room. */
static const char *choose_legend(int width, const char *name)
{
	static const char *const legends[] = { " % of DRAM, b: % of time busy ",
					       " % of DRAM, b: busy ", " b: busy " };

	for (size_t i = 0; i < ARRAY_SIZE(legends); i++)
		if (paint_rule_fits(width, name, legends[i]))
			return legends[i];
	return NULL;
}

/* Returns whether the heading explains percentages. */
static bool draw_group(const struct ui *ui, const struct cell *cell, bool explain)
{
	const struct rect *heading = &cell->heading;
	const char *legend;
	char name[64];

	if (rect_is_empty(heading))
		return false;
	device_group_name(&ui->device_view, ui_device(ui, cell->device), name, sizeof(name));
	legend = explain ? choose_legend(heading->width, name) : NULL;
	paint_rule_more(heading->top, heading->left, heading->width, name, legend ? legend : "");
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
		buf_printf(&text, "  %s %zu before", paint_sign("↑", "^"), cells->first);
	if (cells->first + cells->shown < count)
		buf_printf(&text, "  %s %zu after", paint_sign("↓", "v"),
			   count - cells->first - cells->shown);
	paint_buf(cells->more.top, cells->more.left, cells->more.width, STYLE_WARN, &text);
}

void draw_cells(const struct ui *ui)
{
	struct counts counts = ui_counts(ui);
	struct cell_walk walk;
	struct cell cell;
	bool explained = false;

	cells_begin(&walk, &ui->layout.cells, &counts);
	while (cells_next(&walk, &cell)) {
		if (draw_group(ui, &cell, !explained && !draw_device_cell_names_shares(&cell.rect)))
			explained = true;
		draw_one(ui, &cell);
	}
	draw_more(ui);
}
