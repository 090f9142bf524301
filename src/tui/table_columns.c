#include "tui/table_columns.h"

/* The width of all columns and of the mark at the left. */
static int plan_width(const int *widths)
{
	int sum = 1;

	for (size_t i = 0; i < PROCESS_COLUMNS; i++)
		sum += widths[i] ? widths[i] + 1 : 0;
	return sum;
}

/* Drops columns of the highest rank until the rest fits. */
void table_plan(const struct ui *ui, int width, int *widths)
{
	struct process_scope scope = ui_scope(ui);

	for (enum process_column i = 0; i < PROCESS_COLUMNS; i++) {
		bool shown = !ui->settings.columns.hidden[i] &&
			     (!scope.snapshot || process_column_is_used(i, &scope));

		widths[i] = shown ? process_column_screen_width(i) : 0;
	}
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
