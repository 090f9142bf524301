/*
 * The mouse: a click selects, on a heading sorts, on the key bar presses that key; the wheel moves.
 */
#pragma once

#include "tui/ui.h"

void ui_click(struct ui *ui, int row, int column);

/* direction: -1 up, 1 down. */
void ui_wheel(struct ui *ui, int direction);
