/*
 * Text styles, shared by the printed tables, which have escape sequences for the first of them
 * (render/style.c), and the themes of the full screen (tui/theme.h). A style never carries
 * information by colour alone: the text also has a word or a mark for it.
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
	STYLE_PRINTED,		     /* the styles below exist only on the full screen */
	STYLE_TITLE = STYLE_PRINTED, /* of a part of the screen */
	STYLE_HEADING,		     /* of columns */
	STYLE_KEY,		     /* in the bottom line */
	STYLE_CHART,
	STYLE_CHART_2, /* a second line in the same chart */
	STYLE_SELECTED,
	STYLE_TAGGED,
	STYLE_N,
};

/*
 * The style that an escape sequence at the start of a text begins, with its length; STYLE_N: there
 * is none.
 */
enum style style_of_sequence(const char *text, size_t *ret_length);

/* Appends text in one of the printed styles, in colour if the options enable it. */
void style_put(struct buf *out, const struct render_options *options, enum style style,
	       const char *text);
