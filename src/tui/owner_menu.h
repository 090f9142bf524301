/* The menus of users and owners, which filter the processes. Line 0 means all. */
#pragma once

#include "tui/ui.h"

/* The column that the open menu filters by. */
enum process_column owner_menu_column(const struct ui *ui);

/* Collects the values of that column. */
void owner_menu_collect(struct ui *ui);

size_t owner_menu_count(const struct ui *ui);
void owner_menu_put(const struct ui *ui, struct buf *out, size_t line);

/* The value of a line; NULL: all. */
const char *owner_menu_value(const struct ui *ui, size_t line);
