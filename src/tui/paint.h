/*
 * Puts text on the canvas. All output passes through here: control characters, as in names of
 * programs and cards, are replaced, and widths are counted in columns, not bytes.
 */
#pragma once

#include "basic/buf.h"
#include "render/plot.h"
#include "tui/canvas.h"
#include "tui/rect.h"
#include "tui/theme.h"

#include <stdbool.h>

/* Sets, once, the canvas to draw on, and whether characters beyond ASCII may be used. */
void paint_init(struct canvas *target, bool utf8);
bool paint_is_utf8(void);
void paint_done(void);

/* Begins and ends a frame; in between everything that is shown is painted. */
void paint_begin(void);
void paint_end(void);

/* Names the cell that changes more often than others, as the last digit of a clock. */
void paint_set_busiest(int row, int column);

/* The first text, or the second if only ASCII may be used. */
const char *paint_symbol(const char *symbol, const char *ascii);

/* The characters for charts: those of the setting, or ASCII if only that may be used. */
enum plot_characters paint_characters(enum plot_characters wanted);

/* Writes at most width columns; a longer text ends with an ellipsis. Returns the width used. */
int paint_text(int row, int column, int width, enum style style, const char *text);
int paint_buf(int row, int column, int width, enum style style, const struct buf *text);

/* The same for a text with the escape sequences of render/style.h, without an ellipsis. */
void paint_styled(int row, int column, int width, const char *text, size_t length);

/* Writes exactly width columns, padded with blanks; right: aligned to the right. */
void paint_cell(int row, int column, int width, bool right, enum style style, const char *text);

/* A horizontal line with a title: "─ title ────". */
void paint_rule(int row, int column, int width, const char *title);

/* The same with a note at its right end: "─ title ─── +3 columns ". */
void paint_rule_more(int row, int column, int width, const char *title, const char *more);

/* Whether both are shown whole. */
bool paint_rule_fits(int width, const char *title, const char *more);

/* A bar of memory; full: the used share, 0 to 1. */
void paint_bar(int row, int column, int width, double full);

/* Draws an empty box with a frame and a title over the current content. */
void paint_box(const struct rect *box, const char *title);
