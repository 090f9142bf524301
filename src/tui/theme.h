/* The colours and attributes of each style on the full screen. */
#pragma once

#include "render/screen_names.h"
#include "render/style.h"

#include <stdbool.h>

/* A style in the current theme. Colours are numbers of the terminal; -1: its default. */
struct theme_style {
	unsigned attributes; /* of curses: A_BOLD and others */
	int text, background;
};

/* Sets the theme. To be called after start_color(); without colours it is always monochrome. */
void theme_apply(enum theme theme, bool color);

struct theme_style theme_style(enum style style);

/* Does a blank in this style look like one in STYLE_PLAIN? */
bool theme_blank_is_plain(enum style style);
