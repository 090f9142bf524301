/*
 * The terminal, the canvas and the sequences between them: what a program with a full screen opens,
 * draws on and closes.
 */
#pragma once

#include "tui/canvas.h"
#include "tui/terminal.h"
#include "tui/terminal_strings.h"
#include "tui/theme.h"

struct display {
	struct terminal terminal; /* signals are blocked first: terminal_block_signals() */
	struct terminal_strings strings;
	struct canvas canvas;
	enum theme theme; /* that the escape sequences are for */
	bool redraw;	  /* the next frame is written as a whole */
	bool listening;	  /* terminal_listen() was called */
};

/* Enters the full screen, in this theme; paint.h then draws on it. -errno: it cannot. */
MUST_CHECK int display_enter(struct display *display, enum theme theme, bool color, bool utf8);

/* Follows the size of the terminal. -ENOMEM. */
MUST_CHECK int display_resize(struct display *display);

/* After suspension, a resize or a change of theme the whole screen is drawn again. */
void display_prepare(struct display *display, enum theme theme, bool redraw);

/*
 * Draws and sends a frame. False: the terminal has not accepted the last one yet, or a signal
 * interrupted this one; it must be drawn again.
 */
bool display_show(struct display *display, void (*draw)(void *arg), void *arg);

/* Keys can be read from now on. Called after the first frame, or before the first key. */
void display_listen(struct display *display, bool mouse);

void display_leave(struct display *display);
void display_done(struct display *display);
