/*
 * Puts text on the screen. All output passes here: control characters in names of programs
 * and cards are replaced by marks, and widths are counted in columns, not bytes.
 */
#pragma once

#include "basic/buf.h"
#include "tui/layout.h"
#include "render/plot.h"
#include "tui/theme.h"

#include <stdbool.h>

/* May characters beyond ASCII be used? Set once. */
void paint_init(bool utf8);
bool paint_is_utf8(void);

/* The first sign, or the second where only ASCII may be used. */
const char *paint_sign(const char *sign, const char *ascii);

/* The characters of charts: the setting, or ASCII where only that may be used. */
enum plot_signs paint_signs(enum plot_signs wanted);

/* At most width columns, cut with a mark; returns the columns used. */
int paint_text(int row, int column, int width, enum style style, const char *text);
int paint_buf(int row, int column, int width, enum style style, const struct buf *text);

/* Exactly width columns: filled up with blanks, on the left side if right is set. */
void paint_cell(int row, int column, int width, bool right, enum style style, const char *text);

/* A line with a title in it: "─ title ────". */
void paint_rule(int row, int column, int width, const char *title);

/* The same with a note at its right end: "─ title ─── +3 columns ". */
void paint_rule_more(int row, int column, int width, const char *title, const char *more);

/* A bar of memory, so many columns wide, full from 0 to 1. */
void paint_bar(int row, int column, int width, double full);

/* An empty box over what is there, with a frame and a title. */
void paint_box(const struct rect *box, const char *title);
