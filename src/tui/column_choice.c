#include "tui/column_choice.h"

#include <errno.h>
#include <string.h>

void column_choice_init(struct column_choice *choice)
{
	*choice = (struct column_choice){ 0 };
	for (size_t i = 0; i < TASK_N; i++)
		choice->order[i] = (enum task_column)i;
}

void column_choice_show(struct column_choice *choice, enum task_column column, bool shown)
{
	choice->hidden[column] = !shown && column != TASK_PID && column != TASK_COMMAND;
}

void column_choice_move(struct column_choice *choice, size_t place, int direction)
{
	size_t other = place + (size_t)direction;
	enum task_column column;

	if (place >= TASK_N || other >= TASK_N)
		return;
	column = choice->order[place];
	choice->order[place] = choice->order[other];
	choice->order[other] = column;
}

/* In the order given; those not named follow, hidden, where they would be found again. */
int column_choice_parse(struct column_choice *choice, const char *text)
{
	struct column_choice next = *choice;
	bool named[TASK_N] = { false };
	size_t n = 0;

	while (*text) {
		size_t length = strcspn(text, ", ");
		int column = task_column_find(text, length);

		if (column < 0 || named[column])
			return -EINVAL;
		named[column] = true;
		next.order[n++] = (enum task_column)column;
		text += length;
		text += strspn(text, ", ");
	}
	if (!named[TASK_PID]) {
		memmove(next.order + 1, next.order, n++ * sizeof(next.order[0]));
		next.order[0] = TASK_PID;
	}
	for (enum task_column i = 0; i < TASK_N; i++) {
		column_choice_show(&next, i, named[i]);
		if (!named[i] && i != TASK_PID)
			next.order[n++] = i;
	}
	*choice = next;
	return 0;
}

void column_choice_put(const struct column_choice *choice, struct buf *out)
{
	const char *between = "";

	for (size_t i = 0; i < TASK_N; i++) {
		if (choice->hidden[choice->order[i]])
			continue;
		buf_printf(out, "%s%s", between, task_infos[choice->order[i]].key);
		between = " ";
	}
}
