/* The colours and attributes of each style on the full screen. */
#pragma once

#include "render/style.h"

#include <stdbool.h>
#include <stddef.h>

/* Names of the themes, in their order; NULL: no more. */
const char *theme_name(size_t theme);

/* -1: there is no such theme. */
int theme_find(const char *name);

/* After start_color(); without colour every theme is the monochrome one. */
void theme_apply(size_t theme, bool color);

/* For attr_set: attributes and pair of a style under the theme applied last. */
void theme_style(enum style style, unsigned *ret_attributes, short *ret_pair);
