#include "tui/layout.h"

#include "basic/macros.h"

static const struct shape panel_shape = { FORM_PANEL, 44, 5, 1000 };
static const struct shape line_shape = { FORM_LINE, 64, 1, 1000 };
static const struct shape brief_shape = { FORM_BRIEF, 20, 1, 26 };

/* Cells of the grid, those with most details first. */
static const struct shape grid_shapes[] = {
	{ FORM_CELL, 24, 8, 60 }, { FORM_CELL, 24, 7, 60 }, { FORM_CELL, 18, 5, 60 },
	{ FORM_CELL, 10, 5, 30 }, { FORM_CELL, 10, 4, 30 }, { FORM_CELL, 10, 3, 30 },
	{ FORM_CELL, 10, 2, 30 }, { FORM_CELL, 8, 1, 20 },
};

/* Bars of the memory view: a line per pool, both in one line, or both without bars. */
static const struct shape pool_shapes[] = {
	{ FORM_LINE, 48, 2, 1000 },
	{ FORM_LINE, 80, 1, 1000 },
	{ FORM_LINE, 56, 1, 1000 },
};

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
		cells = cells_shape(choices[i].shape, body, counts, false);
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
	CHART_HIGHEST = 16, /* a higher area has more lines of wider charts, if there are enough */
	CHART_NARROWEST = 38,
	TABLE_AROUND = 2, /* title and headings */
};

/* Number of charts side by side. */
static size_t charts_per_line(int width, size_t most)
{
	return MIN((size_t)MAX(width / CHART_NARROWEST, 1), most);
}

/* Lines of charts, evenly filled; most: at most MAX_CHARTS. */
static void split_charts(struct layout *layout, struct rect area, size_t most)
{
	size_t per_line = charts_per_line(area.width, most);
	size_t wanted =
		MAX(lines_for(most, per_line), lines_for((size_t)area.height, CHART_HIGHEST));
	size_t lines = MIN(MIN(wanted, most), (size_t)MAX(area.height / CHART_PLEASANT, 1));

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

	if (most && high >= CHART_LOWEST && body->width >= CHART_NARROWEST &&
	    body->height - high >= TABLE_AROUND + 2)
		split_charts(layout, take_rows(body, high), most);
	layout->table = *body;
}

enum { HIGH_ENOUGH = 10 }; /* body of a view with more than its cells */

static void make_overview(struct layout *layout, struct rect *body, const struct counts *counts)
{
	layout->cells = overview_cells(body, counts);
	if (body->height >= HIGH_ENOUGH && layout->cells.form == FORM_BRIEF) {
		layout->legend = take_rows(body, 1);
		layout->cells = overview_cells(body, counts);
	}
	take_rows(body, layout->cells.area.height + layout->cells.more.height);
	make_charts_and_table(layout, body, counts);
}

/* The cells with most details that all fit. */
static bool find_grid(struct cells *cells, const struct rect *body, const struct counts *counts,
		      int rows, bool headings)
{
	for (size_t i = 0; i < ARRAY_SIZE(grid_shapes); i++) {
		*cells = cells_shape(&grid_shapes[i], body, counts, headings);
		if (body->width >= grid_shapes[i].width && cells_fit(cells, counts, rows))
			return true;
	}
	return false;
}

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
	for (size_t i = 0; i < ARRAY_SIZE(pool_shapes); i++) {
		*cells = cells_shape(&pool_shapes[i], body, counts, false);
		if (cells_fit(cells, counts, body->height / 2))
			break;
	}
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
		split_charts(layout, take_rows(body, high), MIN(counts->charts, MAX_CHARTS));
	if (body->height >= PAGE_LEAST + TABLE_LEAST)
		page = MIN(page, MAX(body->height - table, MAX(body->height / 2, PAGE_LEAST)));
	layout->page = take_rows(body, page);
	layout->table = *body;
}

enum { TEXT_WIDEST = 75 };

/* The rows that the list leaves have details of the selected process. */
static void make_processes(struct layout *layout, struct rect *body, const struct counts *counts)
{
	enum { PAGE_LEAST = 8 };
	int table = TABLE_AROUND + (int)MIN(MAX(counts->processes, 3), 1000);

	if (counts->processes == 0 || body->height - table < PAGE_LEAST) {
		layout->table = *body;
		return;
	}
	layout->table = take_rows(body, table);
	layout->page = *body;
	layout->page_columns = MAX(body->width / (TEXT_WIDEST + 1), 1);
}

/* Text beside its charts, if there is room for both. */
static void make_device(struct layout *layout, struct rect *body, const struct counts *counts)
{
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
	split_charts(layout, right, MIN(counts->charts, MAX_CHARTS));
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
	case VIEW_PROCESSES: make_processes(layout, &body, counts); break;
	case VIEW_MEMORY: make_memory(layout, &body, counts); break;
	case VIEW_DEVICE: make_device(layout, &body, counts); break;
	case VIEW_N: break;
	}
}
