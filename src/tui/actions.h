/* Keys: one function for each action of tui/keys.h. */
#pragma once

#include "tui/ui.h"

/* Handles a curses key code. */
void ui_key(struct ui *ui, int code);
