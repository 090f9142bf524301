#include "tui/table_columns.h"

enum { COMMAND_LEAST = 14 };

/* What it takes beside the sign at the left. */
static int plan_width(const int *widths)
{
	int sum = 1;

	for (size_t i = 0; i < TASK_N; i++)
		sum += widths[i] ? widths[i] + 1 : 0;
	return sum;
}

/* Of the columns chosen, those of the highest rank go until the rest fits. */
void table_plan(const struct ui *ui, int width, int *widths)
{
	for (size_t i = 0; i < TASK_N; i++)
		widths[i] = ui->settings.columns.hidden[i] ? 0 : task_infos[i].width;
	widths[TASK_COMMAND] = COMMAND_LEAST;
	while (plan_width(widths) > width) {
		size_t worst = TASK_N;

		for (size_t i = 0; i < TASK_N; i++)
			if (widths[i] && task_infos[i].rank &&
			    (worst == TASK_N || task_infos[i].rank >= task_infos[worst].rank))
				worst = i;
		if (worst == TASK_N)
			return;
		widths[worst] = 0;
	}
	widths[TASK_COMMAND] += width - plan_width(widths);
}
