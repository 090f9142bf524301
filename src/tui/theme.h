/*
 * What things look like. A style never tells a state by its colour alone: whoever uses
 * it also writes a word or a sign.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum style {
	STYLE_PLAIN,
	STYLE_DIM,
	STYLE_BOLD,
	STYLE_TITLE,   /* of a part of the screen */
	STYLE_HEADING, /* of columns */
	STYLE_KEY,     /* in the bottom line */
	STYLE_GOOD,
	STYLE_WARN,
	STYLE_BAD,
	STYLE_CHART,
	STYLE_CHART_2, /* a second line in the same chart */
	STYLE_SELECTED,
	STYLE_TAGGED,
	STYLE_N,
};

/* Names of the themes, in their order; NULL: no more. */
const char *theme_name(size_t theme);

/* -1: there is no such theme. */
int theme_find(const char *name);

/* After start_color(); without colour every theme is the monochrome one. */
void theme_apply(size_t theme, bool color);

/* For attr_set: attributes and pair of a style under the theme applied last. */
void theme_style(enum style style, unsigned *ret_attributes, short *ret_pair);
