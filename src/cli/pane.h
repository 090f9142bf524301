/*
 * The output of a command that prints once or repeatedly: appended to a stream, or refreshed in
 * place on a terminal.
 */
#pragma once

#include "cli/output.h"
#include "cli/screen.h"

struct pane {
	struct output output;
	struct screen screen;
	bool in_place;
	char *last_problem; /* the last problem printed on standard error; NULL: none */
};

/* Can standard output be refreshed in place? Not a dumb terminal or a pipe. */
bool pane_can_refresh(void);

/* Switches to refreshing in place, if the terminal supports it. */
void pane_enter(struct pane *pane);
void pane_leave(struct pane *pane);
void pane_done(struct pane *pane);

/* -errno */
MUST_CHECK int pane_write(struct pane *pane, const struct buf *text);

/*
 * Shows why there is no sample: in place, else on standard error, where the same reason is not
 * repeated for every sample. Returns an exit code.
 */
MUST_CHECK int pane_show_problem(struct pane *pane, const char *problem);

/* Shows a problem with the sample that was written, in the same way; NULL: none. */
void pane_show_note(struct pane *pane, const char *problem);

/* Waits until that time (CLOCK_MONOTONIC), or for the events of screen_wait(). */
enum wake pane_wait(struct pane *pane, int64_t when_ns, int *ret_signal);

/* Time of the next sample; skips those missed if this one took too long. */
int64_t next_tick(int64_t tick_ns, int64_t period_ns);
void sleep_until(int64_t when_ns);

/* Ends this process by the signal, after restoring the terminal. */
int die_by(int signal);
