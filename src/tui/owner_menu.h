/* Menus of users and of owners: whose processes are to be shown. */
#pragma once

#include "tui/ui.h"

/* Finds what there is to choose from, for the menu that is open. */
void owner_menu_collect(struct ui *ui);

/* The first line is everybody. */
size_t owner_menu_count(const struct ui *ui);
void owner_menu_put(const struct ui *ui, struct buf *out, size_t line);
void owner_menu_key(struct ui *ui, int code);
