/* The colours and attributes of each style on the full screen. */
#pragma once

#include "render/style.h"

#include <stdbool.h>

enum theme { THEME_DEFAULT, THEME_COLORBLIND, THEME_LIGHT, THEME_MONO, THEME_N };

extern const char *const theme_names[THEME_N];

/* After start_color(); without colour every theme is the monochrome one. */
void theme_apply(enum theme theme, bool color);

/* For attr_set: attributes and pair of a style under the theme applied last. */
void theme_style(enum style style, unsigned *ret_attributes, short *ret_pair);
