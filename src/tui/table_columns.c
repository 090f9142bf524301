#include "tui/table_columns.h"

enum { COMMAND_LEAST = 14 };

/* The width of all columns and of the sign at the left. */
static int plan_width(const int *widths)
{
	int sum = 1;

	for (size_t i = 0; i < PROCESS_COLUMNS; i++)
		sum += widths[i] ? widths[i] + 1 : 0;
	return sum;
}

/* Leaves out columns of the highest rank until the rest fits. */
void table_plan(const struct ui *ui, int width, int *widths)
{
	for (size_t i = 0; i < PROCESS_COLUMNS; i++)
		widths[i] = ui->settings.columns.hidden[i]
				    ? 0
				    : process_column_width((enum process_column)i);
	widths[COL_COMMAND] = COMMAND_LEAST;
	while (plan_width(widths) > width) {
		size_t worst = PROCESS_COLUMNS;

		for (size_t i = 0; i < PROCESS_COLUMNS; i++)
			if (widths[i] && process_columns[i].rank &&
			    (worst == PROCESS_COLUMNS ||
			     process_columns[i].rank >= process_columns[worst].rank))
				worst = i;
		if (worst == PROCESS_COLUMNS)
			return;
		widths[worst] = 0;
	}
	widths[COL_COMMAND] += width - plan_width(widths);
}
