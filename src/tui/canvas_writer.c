#include "tui/canvas_writer.h"

#include "basic/text.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

enum {
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

/* Can this cell be written in this style? A blank can, if no style is seen on it. */
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

/* Can the cells from the cursor to this column be written again, as a way to get there? */
static bool can_write_again(const struct canvas *canvas, int column, enum style style)
{
	if (column - canvas->cursor.column > MOST_AGAIN)
		return false;
	for (int i = canvas->cursor.column; i < column; i++) {
		const struct canvas_cell *cell = canvas_at(canvas, canvas->cursor.row, i);

		if (!fits_style(cell, style) || cell->c < ' ' || cell->c > '~' || cell->marks[0] ||
		    is_changed(canvas, canvas->cursor.row, i))
			return false;
	}
	return true;
}

static void write_cell(struct canvas_difference *w, const struct canvas_cell *cell)
{
	if (cell->c)
		utf8_encode(w->out, cell->c);
	for (size_t i = 0; i < ARRAY_SIZE(cell->marks) && cell->marks[i]; i++)
		utf8_encode(w->out, cell->marks[i]);
}

static void move_to(struct canvas_difference *w, int row, int column)
{
	struct canvas *canvas = w->canvas;
	struct cursor_place to = { row, column };

	if (canvas->cursor.row == row && column > canvas->cursor.column &&
	    can_write_again(canvas, column, canvas->style))
		for (int i = canvas->cursor.column; i < column; i++)
			write_cell(w, canvas_at(canvas, row, i));
	else
		cursor_move(w->strings, canvas->cursor, to, w->out);
	canvas->cursor = to;
}

/* ---- runs ---- */

static void write_run(struct canvas_difference *w, const struct cell_run *run)
{
	struct canvas *canvas = w->canvas;

	/* Cells on the way are written again in the style of the last run, or of this one. */
	if (canvas->cursor.row != run->row || !can_write_again(canvas, run->column, canvas->style))
		set_style(w, run->style);
	move_to(w, run->row, run->column);
	set_style(w, run->style);
	if (run->erases) {
		buf_puts(w->out, w->strings->erase);
		return;
	}
	for (int i = 0; i < run->length; i++)
		write_cell(w, canvas_at(canvas, run->row, run->column + i));
	canvas->cursor.column += run->length;
	/* After the last column terminals differ over where the cursor is. */
	if (canvas->cursor.column >= canvas->columns)
		canvas->cursor.row = -1;
}

/* About how many bytes it takes to get to a run and into its style. */
static size_t cost(const struct canvas_difference *w, const struct cell_run *run)
{
	const struct canvas *canvas = w->canvas;
	size_t bytes = 0;

	if (canvas->style != run->style)
		bytes = 2 + strlen(w->strings->styles[run->style]);
	return bytes + cursor_move_cost(w->strings, canvas->cursor,
					(struct cursor_place){ run->row, run->column });
}

/* Each time the cheapest one from where the cursor is. */
static void write_runs(struct canvas_difference *w)
{
	while (w->count) {
		size_t best = 0, least = SIZE_MAX;

		for (size_t i = 0; i < w->count && !w->in_order; i++) {
			size_t bytes = cost(w, &w->runs[i]);

			if (bytes < least) {
				least = bytes;
				best = i;
			}
		}
		write_run(w, &w->runs[best]);
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
		write_run(w, run);
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
	buf_puts(w->out, w->strings->styles[STYLE_PLAIN]);
}

void canvas_write(struct canvas *canvas, const struct terminal_strings *strings, struct buf *out)
{
	struct canvas_difference w = { .canvas = canvas, .strings = strings, .out = out };
	size_t bytes = (size_t)canvas->columns * sizeof(*canvas->shown); /* of a row */

	if (!canvas->is_known) {
		w.in_order = true;
		begin_anew(&w);
	}
	for (int row = 0; row < canvas->rows; row++) {
		size_t at = (size_t)row * (size_t)canvas->columns;

		/* Most rows stay as they are. */
		if (memcmp(canvas->drawn + at, canvas->shown + at, bytes) != 0)
			find_runs(&w, row);
	}
	write_runs(&w);
	memcpy(canvas->shown, canvas->drawn, (size_t)canvas->rows * bytes);
}
