/* The shortest text that moves a terminal's cursor. */
#pragma once

#include "tui/terminal_strings.h"

struct cursor_place {
	int row, column; /* from 0; a row of -1: it is not known where the cursor is */
};

/* How many bytes cursor_move() appends; an estimate if the terminal is not an ordinary one. */
size_t cursor_move_cost(const struct terminal_strings *strings, struct cursor_place from,
			struct cursor_place to);

void cursor_move(const struct terminal_strings *strings, struct cursor_place from,
		 struct cursor_place to, struct buf *out);
