/* Menus of users and of owners: whose processes are to be shown. */
#pragma once

#include "tui/ui.h"

/* Finds what there is to choose from, for the menu that is open. */
void picks_collect(struct ui *ui);

/* The first line is everybody. */
size_t picks_count(const struct ui *ui);
void picks_put(const struct ui *ui, struct buf *out, size_t line);
void picks_key(struct ui *ui, int code);
