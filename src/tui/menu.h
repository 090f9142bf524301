/* Menus over the view: their lines and their place on the screen. */
#pragma once

#include "tui/ui.h"

/* A menu over the view: its lines, where they stand, and the first that is shown. */
struct menu {
	const char *title;
	size_t count, first;
	struct rect box, inside;
	void (*put)(const struct ui *ui, struct buf *out, size_t line);
};

/* False: what lies over the view is no menu. */
bool ui_menu(const struct ui *ui, struct menu *ret);
