/*
 * The terminal: taken, given back whatever happens, and what comes from it.
 */
#pragma once

#include "basic/macros.h"

#include <stdbool.h>
#include <stdint.h>

enum event {
	EVENT_TIME,   /* nothing else */
	EVENT_KEY,    /* keys are waiting: terminal_key() */
	EVENT_RESIZE, /* the size is a new one, or all must be drawn again */
	EVENT_FEED,   /* the descriptor given is readable */
	EVENT_READY,  /* the terminal takes output again */
	EVENT_END,    /* a signal, or the terminal is gone */
};

struct terminal {
	int signals;  /* signalfd */
	int ended_by; /* signal number; 0: the terminal is gone */
	bool color;
	bool in_sequence; /* of a key that the terminal's description does not have */
};

/* Before any thread is started: signals are blocked for all of them. */
MUST_CHECK int terminal_block_signals(struct terminal *terminal);

/* -errno if this is no terminal that can do it. */
MUST_CHECK int terminal_enter(struct terminal *terminal, bool color, bool mouse);
void terminal_leave(struct terminal *terminal);

/* Ours, or left to the terminal, where it marks text for copying. */
void terminal_set_mouse(bool ours);

/* One event until that time (CLOCK_MONOTONIC); full: also wait for output to be taken. */
enum event terminal_wait(struct terminal *terminal, int fd, bool full, int64_t until_ns);

/* A key of curses, -1: no more. Sequences that it does not know are no keys. */
int terminal_key(struct terminal *terminal);

/* Would a frame be taken at once? If not it is better left out than queued. */
bool terminal_is_ready(void);
