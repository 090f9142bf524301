/* Selection and order of the columns of processes. */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"
#include "render/process_column.h"

struct column_choice {
	/* all of them, in the order of the screen */
	enum process_column order[PROCESS_COLUMNS];
	bool hidden[PROCESS_COLUMNS]; /* by column; others are shown if there is room */
};

void column_choice_init(struct column_choice *choice);

/* "pid user dram": those not named are hidden and follow. -EINVAL: nothing is changed. */
MUST_CHECK int column_choice_parse(struct column_choice *choice, const char *text);
void column_choice_put(const struct column_choice *choice, struct buf *out);

/* Shows a column or hides it; pid and command are always shown. */
void column_choice_show(struct column_choice *choice, enum process_column column, bool shown);

/* Moves a column one place to the left (-1) or right (1). */
void column_choice_move(struct column_choice *choice, size_t place, int direction);
