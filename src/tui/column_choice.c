#include "tui/column_choice.h"

#include <errno.h>
#include <string.h>

void column_choice_init(struct column_choice *choice)
{
	*choice = (struct column_choice){ 0 };
	for (size_t i = 0; i < PROCESS_COLUMNS; i++)
		choice->order[i] = (enum process_column)i;
}

void column_choice_show(struct column_choice *choice, enum process_column column, bool shown)
{
	choice->hidden[column] = !shown && column != COL_PID && column != COL_COMMAND;
}

void column_choice_move(struct column_choice *choice, size_t place, int direction)
{
	size_t other = place + (size_t)direction;
	enum process_column column;

	if (place >= PROCESS_COLUMNS || other >= PROCESS_COLUMNS)
		return;
	column = choice->order[place];
	choice->order[place] = choice->order[other];
	choice->order[other] = column;
}

/* Uses the given order; columns that are not named follow, hidden, in their current order. */
int column_choice_parse(struct column_choice *choice, const char *text)
{
	struct column_choice next = *choice;
	bool named[PROCESS_COLUMNS] = { false };
	size_t n = 0;

	while (*text) {
		size_t length = strcspn(text, ", ");
		int column = process_column_find(text, length);

		if (column < 0 || named[column])
			return -EINVAL;
		named[column] = true;
		next.order[n++] = (enum process_column)column;
		text += length;
		text += strspn(text, ", ");
	}
	if (!named[COL_PID]) {
		memmove(next.order + 1, next.order, n++ * sizeof(next.order[0]));
		next.order[0] = COL_PID;
	}
	for (enum process_column i = 0; i < PROCESS_COLUMNS; i++) {
		column_choice_show(&next, i, named[i]);
		if (!named[i] && i != COL_PID)
			next.order[n++] = i;
	}
	*choice = next;
	return 0;
}

void column_choice_put(const struct column_choice *choice, struct buf *out)
{
	const char *between = "";

	for (size_t i = 0; i < PROCESS_COLUMNS; i++) {
		if (choice->hidden[choice->order[i]])
			continue;
		buf_printf(out, "%s%s", between, process_columns[choice->order[i]].key);
		between = " ";
	}
}
