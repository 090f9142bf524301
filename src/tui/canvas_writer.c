#include "tui/canvas_writer.h"

#include "basic/text.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

static const char save[] = "\0337", restore[] = "\0338";

enum {
	RESTORE_COST = sizeof(restore) - 1,
	MOST_RUNS = 64,	  /* that are put in order; more are written from top to bottom */
	MOST_AGAIN = 4,	  /* unchanged cells that are written again rather than skipped */
	LEAST_ERASED = 8, /* cells for which the line is erased up to its end */
};

/* Changed cells beside each other, in one style. */
struct cell_run {
	int row, column, length;
	enum style style;
	bool erases; /* up to the end of the line */
};

struct canvas_difference {
	struct canvas *canvas;
	const struct terminal_strings *strings;
	struct buf *out;
	struct cell_run runs[MOST_RUNS];
	size_t count;
	bool in_order; /* there are more than fit: write them as they come */
};

/* Cells have no padding. */
static_assert(sizeof(struct canvas_cell) == 16, "cells are compared as bytes");

static bool is_changed(const struct canvas *canvas, int row, int column)
{
	int at = row * canvas->columns + column;

	return memcmp(&canvas->drawn[at], &canvas->shown[at], sizeof(canvas->drawn[at])) != 0;
}

static bool is_blank(const struct canvas_cell *cell)
{
	return cell->c == ' ' && cell->style == STYLE_PLAIN && !cell->marks[0];
}

/* Can this cell be written in this style? A blank can, if the style is not visible on it. */
static bool fits_style(const struct canvas_cell *cell, enum style style)
{
	return cell->style == style || (is_blank(cell) && theme_blank_is_plain(style));
}

/* ---- style and cursor ---- */

static void set_style(struct canvas_difference *w, enum style style)
{
	if (w->canvas->style != style)
		terminal_change_style(w->strings, w->canvas->style, style, w->out);
	w->canvas->style = style;
}

/* Where the terminal's cursor is, and the style that it writes in. */
struct pen {
	struct cursor_place at;
	enum style style;
};

/* A way to move the cursor to a run: its cost in bytes, and its steps. */
struct way {
	size_t cost;
	bool restores;	  /* first of all the saved place and style */
	bool style_first; /* the style is set before the movement */
	/* where cells are written again from, in the row of the run; -1: the cursor only moves */
	int again_from;
};

/* Can the cells from one column to another be written again, as a way to get there? */
static bool can_write_again(const struct canvas *canvas, int row, int from, int to,
			    enum style style)
{
	if (to <= from || to - from > MOST_AGAIN)
		return false;
	for (int i = from; i < to; i++) {
		const struct canvas_cell *cell = canvas_at(canvas, row, i);

		if (!fits_style(cell, style) || cell->c < ' ' || cell->c > '~' || cell->marks[0] ||
		    is_changed(canvas, row, i))
			return false;
	}
	return true;
}

/* The shortest way from one place to another, in one style. */
static struct way find_movement(const struct canvas_difference *w, struct cursor_place from,
				struct cursor_place to, enum style style)
{
	const int starts[] = { from.column, 0 };
	struct way best = { .cost = cursor_move_cost(w->strings, from, to), .again_from = -1 };

	for (size_t i = 0; i < ARRAY_SIZE(starts) && from.row >= 0; i++) {
		struct cursor_place start = { to.row, starts[i] };
		size_t bytes;

		if (best.cost <= 1 ||
		    !can_write_again(w->canvas, to.row, starts[i], to.column, style))
			continue;
		bytes = cursor_move_cost(w->strings, from, start) + (size_t)(to.column - starts[i]);
		if (bytes <= best.cost)
			best = (struct way){ .cost = bytes, .again_from = starts[i] };
	}
	return best;
}

/* Without restoring: the style is set at the end, or at the beginning if that is shorter. */
static struct way find_way_from(const struct canvas_difference *w, struct pen pen,
				const struct cell_run *run)
{
	const struct cursor_place to = { run->row, run->column };
	struct way late = find_movement(w, pen.at, to, pen.style), early;

	if (pen.style == run->style)
		return late;
	early = find_movement(w, pen.at, to, run->style);
	if (early.cost < late.cost) {
		late = early;
		late.style_first = true;
	}
	late.cost += terminal_style_cost(w->strings, pen.style, run->style);
	return late;
}

static struct way find_way(const struct canvas_difference *w, const struct cell_run *run,
			   bool may_restore)
{
	const struct canvas *canvas = w->canvas;
	struct way way = find_way_from(w, (struct pen){ canvas->cursor, canvas->style }, run),
		   other;

	if (!may_restore || canvas->saved.row < 0 || way.cost <= RESTORE_COST)
		return way;
	other = find_way_from(w, (struct pen){ canvas->saved, canvas->saved_style }, run);
	other.cost += RESTORE_COST;
	other.restores = true;
	return other.cost < way.cost ? other : way;
}

static void write_cell(struct canvas_difference *w, const struct canvas_cell *cell)
{
	if (cell->c)
		utf8_encode(w->out, cell->c);
	for (size_t i = 0; i < ARRAY_SIZE(cell->marks) && cell->marks[i]; i++)
		utf8_encode(w->out, cell->marks[i]);
}

static void go(struct canvas_difference *w, const struct way *way, const struct cell_run *run)
{
	struct canvas *canvas = w->canvas;
	struct cursor_place to = { run->row, way->again_from < 0 ? run->column : way->again_from };

	if (way->restores) {
		buf_puts(w->out, restore);
		canvas->cursor = canvas->saved;
		canvas->style = canvas->saved_style;
	}
	if (way->style_first)
		set_style(w, run->style);
	cursor_move(w->strings, canvas->cursor, to, w->out);
	for (; to.column < run->column; to.column++)
		write_cell(w, canvas_at(canvas, to.row, to.column));
	canvas->cursor = to;
	set_style(w, run->style);
}

/* ---- runs ---- */

/* Saves the position if it is known to be needed again, unless it is saved already. */
static void save_place(struct canvas_difference *w)
{
	struct canvas *canvas = w->canvas;

	if (!w->strings->can_save || canvas->cursor.row != canvas->busiest.row ||
	    canvas->cursor.column != canvas->busiest.column ||
	    (canvas->saved.row == canvas->cursor.row &&
	     canvas->saved.column == canvas->cursor.column && canvas->saved_style == canvas->style))
		return;
	buf_puts(w->out, save);
	canvas->saved = canvas->cursor;
	canvas->saved_style = canvas->style;
}

static void write_run(struct canvas_difference *w, const struct cell_run *run, bool may_restore)
{
	const struct way way = find_way(w, run, may_restore);
	struct canvas *canvas = w->canvas;

	go(w, &way, run);
	if (run->erases) {
		buf_puts(w->out, w->strings->erase);
		return;
	}
	for (int i = 0; i < run->length; i++) {
		save_place(w);
		write_cell(w, canvas_at(canvas, run->row, run->column + i));
		canvas->cursor.column++;
	}
	/* Terminals differ in where the cursor is after the last column was written. */
	if (canvas->cursor.column >= canvas->columns)
		canvas->cursor.row = -1;
}

/* The bytes for moving from a place and style to a run; if they exceed most, perhaps fewer. */
static size_t estimate_cost(const struct canvas_difference *w, struct pen pen,
			    const struct cell_run *run, size_t most)
{
	const struct cursor_place to = { run->row, run->column };
	size_t bytes = terminal_style_cost(w->strings, pen.style, run->style);

	return bytes < most ? bytes + cursor_move_cost(w->strings, pen.at, to) : bytes;
}

/* The same, perhaps after restoring the saved place; most, if they exceed it. */
static size_t estimate_least(const struct canvas_difference *w, const struct cell_run *run,
			     bool may_restore, size_t most)
{
	const struct canvas *canvas = w->canvas;
	const struct pen here = { canvas->cursor, canvas->style },
			 saved = { canvas->saved, canvas->saved_style };
	size_t least = MIN(estimate_cost(w, here, run, most), most);

	if (may_restore && canvas->saved.row >= 0 && least > RESTORE_COST)
		least = MIN(least,
			    RESTORE_COST + estimate_cost(w, saved, run, least - RESTORE_COST));
	return least;
}

/* Restoring the position restores its style too: text in that style is written first. */
static bool may_restore_now(const struct canvas_difference *w)
{
	for (size_t i = 0; i < w->count; i++)
		if (w->runs[i].style == w->canvas->style)
			return false;
	return true;
}

/* Next is always the run that is cheapest to reach from the cursor. */
static void write_runs(struct canvas_difference *w)
{
	while (w->count) {
		bool may_restore = !w->in_order && may_restore_now(w);
		size_t best = 0, least = SIZE_MAX;

		for (size_t i = 0; i < w->count && !w->in_order; i++) {
			size_t bytes = estimate_least(w, &w->runs[i], may_restore, least);

			if (bytes < least) {
				least = bytes;
				best = i;
			}
		}
		write_run(w, &w->runs[best], may_restore);
		w->count--;
		memmove(&w->runs[best], &w->runs[best + 1], (w->count - best) * sizeof(w->runs[0]));
	}
}

static void add_run(struct canvas_difference *w, const struct cell_run *run)
{
	if (w->count == MOST_RUNS) {
		w->in_order = true;
		write_runs(w);
	}
	if (w->in_order)
		write_run(w, run, false);
	else
		w->runs[w->count++] = *run;
}

/* Where the blanks begin that fill the rest of the line, if erasing it is shorter. */
static int find_erased(const struct canvas_difference *w, int row)
{
	const struct canvas *canvas = w->canvas;
	int at = canvas->columns, changed = 0;

	if (!w->strings->erase[0] || w->strings->styles[STYLE_PLAIN][0])
		return canvas->columns;
	while (at > 0 && is_blank(canvas_at(canvas, row, at - 1)))
		changed += is_changed(canvas, row, --at);
	while (at < canvas->columns && !is_changed(canvas, row, at))
		at++;
	return changed >= LEAST_ERASED ? at : canvas->columns;
}

/* The style of a run: blanks before a text are written in that of the text, if they fit it. */
static enum style find_style(const struct canvas *canvas, int row, int column, int end)
{
	enum style first = canvas_at(canvas, row, column)->style;

	while (column < end && is_blank(canvas_at(canvas, row, column)) &&
	       is_changed(canvas, row, column))
		column++;
	if (column == end || !is_changed(canvas, row, column))
		return first;
	return fits_style(canvas_at(canvas, row, column - 1), canvas_at(canvas, row, column)->style)
		       ? canvas_at(canvas, row, column)->style
		       : first;
}

/* The right half of a wide character goes with the left one. */
static struct cell_run find_run(const struct canvas *canvas, int row, int column, int end)
{
	struct cell_run run = { .row = row, .column = column };

	if (canvas_at(canvas, row, column)->c == 0 && column > 0)
		run.column--;
	run.style = is_blank(canvas_at(canvas, row, run.column))
			    ? find_style(canvas, row, run.column, end)
			    : canvas_at(canvas, row, run.column)->style;
	for (column++; column < end; column++) {
		const struct canvas_cell *cell = canvas_at(canvas, row, column);

		if (cell->c && (!is_changed(canvas, row, column) || !fits_style(cell, run.style)))
			break;
	}
	run.length = column - run.column;
	return run;
}

static void find_runs(struct canvas_difference *w, int row)
{
	struct canvas *canvas = w->canvas;
	int erased = find_erased(w, row), end = erased;

	if (row == canvas->rows - 1 && !w->strings->can_fill)
		end = MIN(end, canvas->columns - 1);
	for (int column = 0; column < end;) {
		struct cell_run run;

		if (!is_changed(canvas, row, column)) {
			column++;
			continue;
		}
		run = find_run(canvas, row, column, end);
		add_run(w, &run);
		column = run.column + run.length;
	}
	if (erased < canvas->columns)
		add_run(w, &(struct cell_run){ .row = row, .column = erased, .erases = true });
}

/* The terminal is cleared, in colours of its own. */
static void begin_anew(struct canvas_difference *w)
{
	struct canvas *canvas = w->canvas;
	const struct canvas_cell cleared = {
		.c = ' ',
		/* On another background than that of a cleared terminal, blanks must be written. */
		.style = w->strings->styles[STYLE_PLAIN][0] ? STYLE_N : STYLE_PLAIN,
		.width = 1,
	};

	buf_puts(w->out, w->strings->reset);
	buf_puts(w->out, w->strings->clear);
	for (int i = 0; i < canvas->rows * canvas->columns; i++)
		canvas->shown[i] = cleared;
	canvas->is_known = true;
	canvas->cursor = (struct cursor_place){ 0, 0 };
	canvas->style = STYLE_PLAIN;
	canvas->saved.row = -1;
	buf_puts(w->out, w->strings->styles[STYLE_PLAIN]);
}

/* The terminal shows what is drawn in this row. */
static void keep_row(struct canvas *canvas, int row)
{
	size_t at = (size_t)row * (size_t)canvas->columns;

	memcpy(canvas->shown + at, canvas->drawn + at,
	       (size_t)canvas->columns * sizeof(*canvas->shown));
	canvas->touched[row] = false;
}

void canvas_write(struct canvas *canvas, const struct terminal_strings *strings, struct buf *out)
{
	struct canvas_difference w = { .canvas = canvas, .strings = strings, .out = out };
	bool all = !canvas->is_known;

	if (all) {
		w.in_order = true;
		begin_anew(&w);
	}
	for (int row = 0; row < canvas->rows; row++)
		if (all || canvas->touched[row])
			find_runs(&w, row);
	write_runs(&w);
	for (int row = 0; row < canvas->rows; row++)
		if (all || canvas->touched[row])
			keep_row(canvas, row);
}
