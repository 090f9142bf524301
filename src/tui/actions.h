/* Keys: one function for each action of tui/keys.h. */
#pragma once

#include "tui/ui.h"

/* A key code of curses. */
void ui_key(struct ui *ui, int code);
