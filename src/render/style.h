/*
 * What text can look like: one list for the printed tables, which have escape sequences
 * for the first ones (render/style.c), and for the themes of the full screen (tui/theme.h).
 * A style never tells a state by its colour alone: its user also writes a word or a sign.
 */
#pragma once

#include "basic/buf.h"
#include "render/render_options.h"

enum style {
	STYLE_PLAIN,
	STYLE_BOLD,
	STYLE_DIM,
	STYLE_GOOD,
	STYLE_WARN,
	STYLE_BAD,
	STYLE_PRINTED,		     /* those below are of the full screen */
	STYLE_TITLE = STYLE_PRINTED, /* of a part of the screen */
	STYLE_HEADING,		     /* of columns */
	STYLE_KEY,		     /* in the bottom line */
	STYLE_CHART,
	STYLE_CHART_2, /* a second line in the same chart */
	STYLE_SELECTED,
	STYLE_TAGGED,
	STYLE_N,
};

/* Appends text in one of the printed styles, if the options allow colours. */
void style_put(struct buf *out, const struct render_options *options, enum style style,
	       const char *text);
