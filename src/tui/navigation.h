/* Navigation through views, devices, rows and text. direction: -1 or 1. */
#pragma once

#include "tui/ui.h"

void ui_go_to_view(struct ui *ui, int view);
void ui_turn_view(struct ui *ui, int direction);

/*
 * From the device view to the previous view; elsewhere clears the filter and scrolls back to now.
 */
void ui_go_back(struct ui *ui);

void ui_move_device(struct ui *ui, int by);

/* Moves by chips of the grid, lines of a text, or processes. */
void ui_move_vertically(struct ui *ui, int by);
void ui_move_page(struct ui *ui, int direction);
void ui_move_to_end(struct ui *ui, int direction);

void ui_select_row(struct ui *ui, size_t row);
