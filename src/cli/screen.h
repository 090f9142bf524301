/*
 * A terminal on which a table is refreshed in place: the alternate screen, no cursor, and per frame
 * only the lines that changed.
 */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"
#include "basic/terminal_signals.h"

#include <stddef.h>
#include <stdint.h>
#include <termios.h>

struct screen {
	int fd;
	int out;	       /* the terminal, opened again: writing to it does not block */
	struct termios before; /* original settings */
	struct terminal_signals signals;
	struct buf last; /* the frame on the screen, cut to its size */
	unsigned rows, columns;
	bool torn; /* the screen does not show the last frame: clear it first */
	bool entered;
};

/* Events that end a wait. */
enum wake { WAKE_TIME, WAKE_RESIZE, WAKE_QUIT };

/* -errno if this is not a terminal, or one that cannot be refreshed in place. */
MUST_CHECK int screen_enter(struct screen *screen, int fd);

/* Restores the terminal. May be called more than once. */
void screen_leave(struct screen *screen);

/* Skipped if the terminal has not accepted the previous frame. -errno if the terminal is closed. */
MUST_CHECK int screen_draw(struct screen *screen, const struct buf *frame);

/*
 * Waits for that time (CLOCK_MONOTONIC), a new size, or a signal to end, returned in *ret_signal.
 * Handles suspend and resume.
 */
enum wake screen_wait(struct screen *screen, int64_t until_ns, int *ret_signal);
