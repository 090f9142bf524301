/*
 * Escape sequences of this terminal: to move its cursor, to clear it, and for each style; from
 * terminfo(5).
 */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"
#include "render/style.h"

#include <stdbool.h>
#include <stddef.h>

struct terminal_strings {
	const char *address; /* cup: moves the cursor; a template of tiparm(3) for row and column */
	bool is_ordinary;    /* cursor movements are those of ECMA-48 */
	bool can_save;	     /* ESC 7 saves place and style, ESC 8 restores them */
	bool can_fill;	     /* writing the last column of the last line does not scroll */
	char erase[16];	     /* el: clears to the end of the line; empty: not available */
	char clear[32];
	char reset[32];		       /* attributes and colours off */
	char styles[STYLE_N][64];      /* after reset; empty: nothing to send */
	bool covers[STYLE_N][STYLE_N]; /* the second style can follow the first without reset */
};

/* For the terminal that curses was started for. -ENOTTY: its cursor cannot be moved. */
MUST_CHECK int terminal_strings_find(struct terminal_strings *ret);

/* For the theme that was applied last. */
void terminal_strings_set_styles(struct terminal_strings *strings);

/* How many bytes terminal_change_style() appends. */
size_t terminal_style_cost(const struct terminal_strings *strings, enum style from, enum style to);

/* Appends the sequences that change from one style to another. */
void terminal_change_style(const struct terminal_strings *strings, enum style from, enum style to,
			   struct buf *out);

/* Expands a template of tiparm(3) with two parameters. */
void terminal_expand(const char *template, int first, int second, char *text, size_t size);
