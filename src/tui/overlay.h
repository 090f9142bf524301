/* Overlays over the view: prompts, menus, a confirmation, text. An overlay gets the keys first. */
#pragma once

#include "tui/ui.h"

void overlay_open(struct ui *ui, enum overlay overlay);
void overlay_close(struct ui *ui);

/* Moves in a menu with the given number of lines; Esc closes it. */
void menu_key(struct ui *ui, int code, size_t count);

/* Is it one of the codes of Enter? */
bool is_enter(int code);
