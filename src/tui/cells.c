#include "tui/cells.h"

#include "basic/macros.h"

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

struct cells cells_shape(const struct shape *shape, const struct rect *area,
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

bool cells_fit(const struct cells *cells, const struct counts *counts, int rows)
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

void cells_settle(struct cells *cells, const struct counts *counts, int rows)
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
