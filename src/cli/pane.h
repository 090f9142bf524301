/*
 * Where a text appears, once or again and again: a stream, or in place on the
 * terminal.
 */
#pragma once

#include "cli/output.h"
#include "cli/screen.h"

struct pane {
	struct output output;
	struct screen screen;
	bool in_place;
	char *said; /* on standard error, and still true; or NULL */
};

/* Can this be refreshed in place? A dumb terminal and a pipe cannot. */
bool pane_can_refresh(void);

/* From now on in place, if the terminal can. */
void pane_enter(struct pane *pane);
void pane_leave(struct pane *pane);
void pane_done(struct pane *pane);

/* -errno */
MUST_CHECK int pane_write(struct pane *pane, const struct buf *text);

/*
 * Why there is no sample: in the place of the text, else on standard error, where a
 * loop says it once and not at every sample. An exit code.
 */
MUST_CHECK int pane_complain(struct pane *pane, const char *problem);

/* What is wrong with the sample that was written, said the same way; NULL: nothing. */
void pane_remark(struct pane *pane, const char *problem);

/* Until that time (CLOCK_MONOTONIC), or as screen_wait() has it. */
enum wake pane_wait(struct pane *pane, int64_t when_ns, int *ret_signal);

/* The next sample's time, without a backlog if this one took too long. */
int64_t next_tick(int64_t tick_ns, int64_t period_ns);
void sleep_until(int64_t when_ns);

/* Ends the way the signal ends a program, now that the terminal is in order. */
int die_by(int signal);
