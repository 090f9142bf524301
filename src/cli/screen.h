/*
 * The terminal while a table is refreshed in place: the alternate screen, no
 * cursor, and per frame only the lines that changed.
 */
#pragma once

#include "basic/buf.h"
#include "basic/macros.h"

#include <stddef.h>
#include <stdint.h>
#include <termios.h>

struct screen {
	int fd;
	int out;	       /* the same, but ours alone: writing to it does not block */
	struct termios before; /* as we found it */
	int signals;	       /* signalfd */
	struct buf last;       /* the frame on the screen, cut to size */
	unsigned rows, columns;
	bool torn; /* what is on the screen is not the last frame: it is cleared first */
	bool entered;
};

/* What ended a wait. */
enum wake { WAKE_TIME, WAKE_RESIZE, WAKE_QUIT };

/* -errno if this is no terminal, or one that cannot be refreshed in place. */
MUST_CHECK int screen_enter(struct screen *screen, int fd);

/* Restores the terminal. May be called more than once. */
void screen_leave(struct screen *screen);

/* Left out if the terminal has not taken the frame before. -errno if the terminal is gone. */
MUST_CHECK int screen_draw(struct screen *screen, const struct buf *frame);

/*
 * Waits for that time (CLOCK_MONOTONIC), a new size, or a signal to end, which is then
 * in *ret_signal. Suspends and resumes in between.
 */
enum wake screen_wait(struct screen *screen, int64_t until_ns, int *ret_signal);
