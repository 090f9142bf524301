/* Menus as overlays: their lines and their position on the screen. */
#pragma once

#include "tui/ui.h"

/* A menu: its lines, their position, and the first visible one. */
struct menu {
	const char *title;
	size_t count, first;
	struct rect box, inside;
	void (*put)(const struct ui *ui, struct buf *out, size_t line);
};

/* False: the overlay is not a menu. */
bool ui_menu(const struct ui *ui, struct menu *ret);
