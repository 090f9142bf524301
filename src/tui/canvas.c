#include "tui/canvas.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct canvas_cell blank = { .c = ' ', .style = STYLE_PLAIN, .width = 1 };

int canvas_resize(struct canvas *canvas, int rows, int columns)
{
	size_t count = (size_t)rows * (size_t)columns;

	canvas_done(canvas);
	canvas->drawn = calloc(count + 1, sizeof(*canvas->drawn));
	canvas->shown = calloc(count + 1, sizeof(*canvas->shown));
	canvas->touched = calloc((size_t)rows + 1, sizeof(*canvas->touched));
	if (!canvas->drawn || !canvas->shown || !canvas->touched) {
		canvas_done(canvas);
		return -ENOMEM;
	}
	canvas->rows = rows;
	canvas->columns = columns;
	for (int row = 0; row < rows; row++)
		canvas_clear_row(canvas, row);
	canvas_forget(canvas);
	return 0;
}

void canvas_done(struct canvas *canvas)
{
	free(canvas->drawn);
	free(canvas->shown);
	free(canvas->touched);
	*canvas = (struct canvas){ .cursor.row = -1, .saved.row = -1, .busiest.row = -1 };
}

void canvas_forget(struct canvas *canvas)
{
	canvas->is_known = false;
}

void canvas_clear_row(struct canvas *canvas, int row)
{
	struct canvas_cell *cells = &canvas->drawn[row * canvas->columns];

	for (int column = 0; column < canvas->columns; column++)
		cells[column] = blank;
	canvas->touched[row] = true;
}

/* Half of a wide character cannot be shown: the other half becomes a blank. */
static void split(struct canvas *canvas, int row, int column)
{
	struct canvas_cell *cell = &canvas->drawn[row * canvas->columns + column];

	if (cell->c == 0 && column > 0)
		cell[-1] = blank;
	if (cell->width == 2 && column + 1 < canvas->columns)
		cell[1] = blank;
}

void canvas_put(struct canvas *canvas, int row, int column, enum style style, uint32_t c,
		unsigned width)
{
	struct canvas_cell *cell;

	if (row < 0 || row >= canvas->rows || column < 0 || column + (int)width > canvas->columns)
		return;
	cell = &canvas->drawn[row * canvas->columns + column];
	if (cell->width != 1)
		split(canvas, row, column);
	if (width == 2)
		split(canvas, row, column + 1);
	if (c == ' ' && theme_blank_is_plain(style))
		style = STYLE_PLAIN;
	canvas->touched[row] = true;
	cell[0] = (struct canvas_cell){ .c = c, .style = style, .width = (uint16_t)width };
	if (width == 2)
		cell[1] = (struct canvas_cell){ .style = style };
}

void canvas_combine(struct canvas *canvas, int row, int column, uint32_t c)
{
	struct canvas_cell *cell;

	if (row < 0 || row >= canvas->rows || column < 0 || column >= canvas->columns)
		return;
	cell = &canvas->drawn[row * canvas->columns + column];
	if (cell->c == 0 && column > 0)
		cell--;
	canvas->touched[row] = true;
	for (size_t i = 0; i < ARRAY_SIZE(cell->marks); i++)
		if (!cell->marks[i]) {
			cell->marks[i] = c;
			break;
		}
}
