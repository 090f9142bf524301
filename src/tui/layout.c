#include "tui/layout.h"

#include "basic/macros.h"

/* ---- cells ---- */

/* A form of a device and the space that it needs. */
struct shape {
	enum form form;
	int width, height; /* at least */
	int widest;	   /* at most */
};

static const struct shape panel_shape = { FORM_PANEL, 44, 5, 1000 };
static const struct shape line_shape = { FORM_LINE, 64, 1, 1000 };
static const struct shape brief_shape = { FORM_BRIEF, 20, 1, 26 };

/* Cells of the grid, those with most details first. */
static const struct shape grid_shapes[] = {
	{ FORM_CELL, 24, 8, 60 }, { FORM_CELL, 24, 7, 60 }, { FORM_CELL, 18, 5, 60 },
	{ FORM_CELL, 10, 5, 30 }, { FORM_CELL, 10, 4, 30 }, { FORM_CELL, 10, 3, 30 },
	{ FORM_CELL, 10, 2, 30 }, { FORM_CELL, 8, 1, 20 },
};

static size_t lines_for(size_t count, size_t per_line)
{
	return (count + per_line - 1) / per_line;
}

/* Number of rows for all devices. */
static size_t rows_needed(const struct cells *cells, const struct counts *counts)
{
	size_t lines = 0;

	if (!cells->headings)
		return lines_for(counts->devices, cells->per_line) * (size_t)cells->height;
	if (cells->groups_per_line > 1)
		return lines_for(counts->n_groups, cells->groups_per_line) *
		       (size_t)(cells->height + 1);
	for (size_t i = 0; i < counts->n_groups; i++)
		lines += lines_for(counts->groups[i], cells->per_line);
	return lines * (size_t)cells->height + counts->n_groups;
}

static size_t largest_group(const struct counts *counts)
{
	size_t most = 1;

	for (size_t i = 0; i < counts->n_groups; i++)
		most = MAX(most, counts->groups[i]);
	return most;
}

/* Lays out cells of this shape; lines are evenly filled, and cells as wide as that allows. */
static struct cells shape_cells(const struct shape *shape, const struct rect *area,
				const struct counts *counts, bool headings)
{
	struct cells cells = { .area = *area, .form = shape->form, .headings = headings };
	size_t most = headings ? largest_group(counts) : MAX(counts->devices, 1);
	size_t fit = area->width >= shape->width ? (size_t)(area->width / shape->width) : 1;

	if (headings && fit >= 2 * most) { /* several groups beside each other */
		cells.groups_per_line = MIN(fit / most, counts->n_groups);
		cells.per_line = cells.groups_per_line * most;
	} else {
		fit = MIN(fit, most);
		cells.per_line = lines_for(most, lines_for(most, fit));
	}
	cells.width = MIN(area->width / (int)cells.per_line, shape->widest);
	cells.height = shape->height;
	return cells;
}

static bool cells_fit(const struct cells *cells, const struct counts *counts, int rows)
{
	return rows > 0 && rows_needed(cells, counts) <= (size_t)rows;
}

/* Number of devices that fit, from the first one on. */
static size_t count_shown(const struct cells *cells, const struct counts *counts)
{
	struct cell_walk walk;
	struct cell cell;
	size_t shown = 0;

	cells_begin(&walk, cells, counts);
	while (cells_next(&walk, &cell))
		shown++;
	return shown;
}

/* Sets the area; if not all fit, its last row has the number of the others. */
static void cells_settle(struct cells *cells, const struct counts *counts, int rows)
{
	bool all = cells_fit(cells, counts, rows);

	cells->area.height = all ? (int)rows_needed(cells, counts) : MAX(rows, 0);
	if (!all && rows > 0) {
		cells->more = (struct rect){ cells->area.top + rows - 1, cells->area.left, 1,
					     cells->area.width };
		cells->area.height--;
	}
	cells->first = all ? 0 : MIN(counts->first, counts->devices ? counts->devices - 1 : 0);
	cells->shown = counts->devices;
	if (!all) {
		cells->first -= cells->first % cells->per_line;
		cells->shown = count_shown(cells, counts);
	}
}

void cells_begin(struct cell_walk *walk, const struct cells *cells, const struct counts *counts)
{
	*walk = (struct cell_walk){ .cells = cells, .counts = counts, .next = cells->first };
	walk->row = cells->area.top;
	walk->in_group = cells->first;
	while (walk->group < counts->n_groups && walk->in_group >= counts->groups[walk->group]) {
		walk->in_group -= counts->groups[walk->group];
		walk->group++;
	}
}

/* Moves to the next line of cells if the next one does not belong into this one. */
static void begin_cell(struct cell_walk *walk, bool heads)
{
	const struct cells *cells = walk->cells;
	size_t most = cells->groups_per_line > 1 ? cells->per_line / cells->groups_per_line : 0;

	if (heads && most) /* groups have equal widths */
		walk->in_line = lines_for(walk->in_line, most) * most;
	if (walk->in_line == cells->per_line || (heads && !most && walk->in_line)) {
		walk->in_line = 0;
		walk->row += cells->height;
		walk->below_heading = false;
	}
	if (heads && !walk->below_heading) {
		walk->row++;
		walk->below_heading = true;
	}
}

bool cells_next(struct cell_walk *walk, struct cell *ret)
{
	const struct cells *cells = walk->cells;
	const struct rect *area = &cells->area;
	bool heads = cells->headings && (walk->in_group == 0 || walk->next == cells->first);

	if (walk->next >= walk->counts->devices || cells->form == FORM_NONE)
		return false;
	begin_cell(walk, heads);
	*ret = (struct cell){ .device = walk->next, .group = walk->group };
	ret->rect = (struct rect){ walk->row, area->left + (int)walk->in_line * cells->width,
				   cells->height, cells->width };
	if (heads)
		ret->heading = (struct rect){ walk->row - 1, ret->rect.left, 1,
					      cells->groups_per_line > 1
						      ? area->width / (int)cells->groups_per_line
						      : area->width };
	if (walk->row + cells->height > area->top + area->height || cells->width <= 0)
		return false;
	walk->next++;
	walk->in_line++;
	if (walk->group < walk->counts->n_groups &&
	    ++walk->in_group == walk->counts->groups[walk->group]) {
		walk->in_group = 0;
		walk->group++;
	}
	return true;
}

/* ---- views ---- */

/* Takes rows from the top of the remaining area. */
static struct rect take_rows(struct rect *body, int rows)
{
	struct rect taken = *body;

	taken.height = MAX(MIN(rows, body->height), 0);
	body->top += taken.height;
	body->height -= taken.height;
	return taken;
}

/* The form with most details that leaves enough room for the rest of the screen. */
static struct cells overview_cells(const struct rect *body, const struct counts *counts)
{
	const struct {
		const struct shape *shape;
		int rows; /* maximum rows for devices */
	} choices[] = {
		{ &panel_shape, body->height / 2 },
		{ &line_shape, body->height / 2 },
		{ &brief_shape, body->height * 2 / 3 },
	};
	struct cells cells;

	for (size_t i = 0; i < ARRAY_SIZE(choices); i++) {
		cells = shape_cells(choices[i].shape, body, counts, false);
		if (body->width >= choices[i].shape->width &&
		    cells_fit(&cells, counts, choices[i].rows))
			break;
	}
	cells_settle(&cells, counts, MAX(body->height * 2 / 3, MIN(body->height, 2)));
	return cells;
}

enum {
	CHART_LOWEST = 6,
	CHART_PLEASANT = 8, /* height per chart that another line of charts requires */
	CHART_HIGHEST = 16,
	CHART_NARROWEST = 38,
	TABLE_AROUND = 2, /* title and headings */
};

/* Number of charts side by side. */
static size_t charts_per_line(int width, size_t most)
{
	return MIN((size_t)MAX(width / CHART_NARROWEST, 1), most);
}

/* Lines of charts, evenly filled. */
static void split_charts(struct layout *layout, struct rect area, size_t most)
{
	size_t per_line = charts_per_line(area.width, MIN(most, MAX_CHARTS));
	size_t lines =
		MIN(lines_for(most, per_line),
		    MIN((size_t)MAX(area.height / CHART_PLEASANT, 1), MAX_CHARTS / per_line));

	most = MIN(most, lines * per_line);
	for (size_t i = 0; i < lines; i++) {
		struct rect line = take_rows(&area, area.height / (int)(lines - i));
		size_t count = lines_for(most - layout->n_charts, lines - i);

		for (size_t k = 0; k < count; k++) {
			int width = line.width / (int)(count - k);

			layout->charts[layout->n_charts++] =
				(struct rect){ line.top, line.left, line.height, width };
			line.left += width;
			line.width -= width;
		}
	}
}

/* Puts charts above the table, if both have room for more than their frames. */
static void make_charts_and_table(struct layout *layout, struct rect *body,
				  const struct counts *counts)
{
	int wanted = TABLE_AROUND + (int)MIN(MAX(counts->processes, 3), 30);
	int high = MAX(body->height - wanted, body->height / 2);
	size_t most = MIN(counts->charts, MAX_CHARTS);

	if (most)
		high = MIN(high, CHART_HIGHEST *
					 (int)lines_for(most, charts_per_line(body->width, most)));
	if (most && high >= CHART_LOWEST && body->width >= CHART_NARROWEST &&
	    body->height - high >= TABLE_AROUND + 2)
		split_charts(layout, take_rows(body, high), most);
	layout->table = *body;
}

static void make_overview(struct layout *layout, struct rect *body, const struct counts *counts)
{
	layout->cells = overview_cells(body, counts);
	take_rows(body, layout->cells.area.height + layout->cells.more.height);
	make_charts_and_table(layout, body, counts);
}

/* The cells with most details that all fit. */
static bool find_grid(struct cells *cells, const struct rect *body, const struct counts *counts,
		      int rows, bool headings)
{
	for (size_t i = 0; i < ARRAY_SIZE(grid_shapes); i++) {
		*cells = shape_cells(&grid_shapes[i], body, counts, headings);
		if (body->width >= grid_shapes[i].width && cells_fit(cells, counts, rows))
			return true;
	}
	return false;
}

enum { HIGH_ENOUGH = 10 }; /* body of a grid with more than its cells */

/* Headings of trays take precedence over larger cells; single chips have no group. */
static struct cells grid_cells(const struct rect *body, const struct counts *counts)
{
	enum { FOR_PROCESSES = 2 };
	int rows = body->height >= HIGH_ENOUGH ? body->height - FOR_PROCESSES : body->height;
	struct cells cells;

	if (counts->n_groups == counts->devices || !find_grid(&cells, body, counts, rows, true))
		find_grid(&cells, body, counts, rows, false); /* the last shape if none fits */
	cells_settle(&cells, counts, rows);
	return cells;
}

/* Only a heading of the screen's width has room to explain the percentages of narrow cells. */
static bool needs_legend(const struct cells *cells, const struct counts *counts)
{
	return cells->width < CELL_NAMES_SHARES && cells->height > 1 &&
	       cells->shown == counts->devices && (!cells->headings || cells->groups_per_line > 1);
}

static void make_grid(struct layout *layout, struct rect *body, const struct counts *counts)
{
	layout->cells = grid_cells(body, counts);
	if (body->height >= HIGH_ENOUGH && needs_legend(&layout->cells, counts)) {
		layout->legend = take_rows(body, 1);
		layout->cells = grid_cells(body, counts);
	}
	take_rows(body, layout->cells.area.height + layout->cells.more.height);
	make_charts_and_table(layout, body, counts);
}

/* Bars of all devices; for a single one they are part of the text. */
static void make_bars(struct layout *layout, struct rect *body, const struct counts *counts)
{
	struct cells *cells = &layout->cells;

	if (counts->devices == 1)
		return;
	*cells = shape_cells(&line_shape, body, counts, false);
	cells->height = 2;
	if (!cells_fit(cells, counts, body->height / 2))
		cells->height = 1;
	cells_settle(cells, counts, MAX(body->height / 2, MIN(body->height, 2)));
	take_rows(body, cells->area.height + cells->more.height);
}

/* Charts fill what text and processes leave, the text what the processes leave. */
static void make_memory(struct layout *layout, struct rect *body, const struct counts *counts)
{
	enum { PAGE_LEAST = 4, TABLE_LEAST = TABLE_AROUND + 2 };
	int page = 1 + (int)MIN(counts->lines, 1000);
	int table = TABLE_AROUND + (int)MIN(MAX(counts->processes, 3), 30);
	int high;

	make_bars(layout, body, counts);
	high = MAX(body->height - page - table, CHART_LOWEST);
	if (counts->charts && body->height - high >= PAGE_LEAST + TABLE_LEAST &&
	    body->width >= CHART_NARROWEST)
		split_charts(layout, take_rows(body, high), counts->charts);
	if (body->height >= PAGE_LEAST + TABLE_LEAST)
		page = MIN(page, MAX(body->height - table, MAX(body->height / 2, PAGE_LEAST)));
	layout->page = take_rows(body, page);
	layout->table = *body;
}

/* Text beside its charts, if there is room for both. */
static void make_device(struct layout *layout, struct rect *body, const struct counts *counts)
{
	enum { TEXT_WIDEST = 75 };
	struct rect right = *body;
	int texts = MAX((body->width - CHART_NARROWEST) / (TEXT_WIDEST + 1), 1);

	layout->page = *body;
	if (body->width <= TEXT_WIDEST + CHART_NARROWEST || body->height < CHART_LOWEST ||
	    !counts->charts)
		return;
	layout->page_columns = texts;
	layout->page.width = texts * (TEXT_WIDEST + 1) - 1;
	right.left += layout->page.width + 1;
	right.width -= layout->page.width + 1;
	split_charts(layout, right, counts->charts);
}

void layout_make(struct layout *layout, enum view view, int rows, int columns,
		 const struct counts *counts)
{
	struct rect body = { 0, 0, MAX(rows, 0), MAX(columns, 0) };

	*layout = (struct layout){ .page_columns = 1 };
	if (rect_is_empty(&body))
		return;
	layout->header = take_rows(&body, 1);
	if (body.height >= 4) {
		layout->keys = (struct rect){ body.top + body.height - 1, 0, 1, body.width };
		body.height--;
	}
	switch (view) {
	case VIEW_OVERVIEW: make_overview(layout, &body, counts); break;
	case VIEW_GRID: make_grid(layout, &body, counts); break;
	case VIEW_PROCESSES: layout->table = body; break;
	case VIEW_MEMORY: make_memory(layout, &body, counts); break;
	case VIEW_DEVICE: make_device(layout, &body, counts); break;
	case VIEW_N: break;
	}
}

struct rect box_outside(const struct rect *screen, int height, int width)
{
	struct rect box = { .height = MAX(MIN(height + 2, screen->height), 0),
			    .width = MAX(MIN(width + 4, screen->width), 0) };

	box.top = screen->top + (screen->height - box.height) / 2;
	box.left = screen->left + (screen->width - box.width) / 2;
	return box;
}

struct rect box_inside(const struct rect *box)
{
	return (struct rect){ box->top + 1, box->left + 2, MAX(box->height - 2, 0),
			      MAX(box->width - 4, 0) };
}
