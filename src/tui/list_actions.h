/* Actions for the list of processes: filter, search, order. */
#pragma once

#include "tui/ui.h"

/* False: the filter is invalid; a message explains why, and the old one stays. */
bool ui_set_filter(struct ui *ui, const char *text);

/* Shows only the processes on the selected device, or all again. */
void ui_isolate_device(struct ui *ui);

/* Selects the next process, forward or backward from a row, that matches the search text. */
void ui_search(struct ui *ui, size_t from, bool forward);
void ui_search_on(struct ui *ui, int direction);

void ui_sort_by(struct ui *ui, int column);
void ui_sort_by_neighbour(struct ui *ui, int direction); /* among the columns shown */
void ui_invert_sort(struct ui *ui);
void ui_toggle_tree(struct ui *ui);
