/*
 * Sets the terminal up for the full screen, waits for its events, and restores it: at the end, on
 * Ctrl-Z and after a crash.
 */
#pragma once

#include "basic/macros.h"
#include "basic/terminal_signals.h"

#include <stdbool.h>
#include <stdint.h>

enum event {
	EVENT_TIME,   /* the time to wait until was reached */
	EVENT_KEY,    /* keys are waiting: terminal_key() */
	EVENT_RESIZE, /* the size has changed, or everything must be drawn again */
	EVENT_FEED,   /* the descriptor passed to terminal_wait() is readable */
	EVENT_READY,  /* the terminal accepts output again */
	EVENT_END,    /* a signal to exit, or the terminal was closed */
};

struct terminal {
	struct terminal_signals signals;
	int ended_by; /* signal number; 0: the terminal was closed */
	bool color;
	bool in_sequence; /* within an escape sequence that terminfo does not know */
};

/* To be called before any thread is started: signals are blocked for all of them. */
MUST_CHECK int terminal_block_signals(struct terminal *terminal);

/* -errno if the terminal cannot show a full screen. */
MUST_CHECK int terminal_enter(struct terminal *terminal, bool color);

/*
 * Prepares for reading keys; to be called once before the first terminal_key(). Separate from
 * terminal_enter(), so that the first screen is drawn before.
 */
void terminal_listen(bool mouse);

void terminal_leave(struct terminal *terminal);

/* ours: the terminal reports mouse events to us; else it uses the mouse to select text. */
void terminal_set_mouse(bool ours);

/*
 * Waits for one event until that time (CLOCK_MONOTONIC). fd: EVENT_FEED when it becomes readable;
 * full: EVENT_READY when the terminal accepts output again.
 */
enum event terminal_wait(struct terminal *terminal, int fd, bool full, int64_t until_ns);

/* The next key, as a curses code; -1: none is pending. Skips unknown escape sequences. */
int terminal_key(struct terminal *terminal);

/* Does the terminal accept output now? If not, a frame should be skipped, not queued. */
bool terminal_is_ready(void);
