#include "cli/pane.h"

#include "basic/clock.h"
#include "basic/exit_code.h"
#include "cli/error_line.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

bool pane_can_refresh(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0;
}

void pane_enter(struct pane *pane)
{
	pane->in_place = screen_enter(&pane->screen, STDOUT_FILENO) >= 0;
	if (!pane->in_place)
		screen_leave(&pane->screen);
}

void pane_leave(struct pane *pane)
{
	if (pane->in_place)
		screen_leave(&pane->screen);
	pane->in_place = false;
}

void pane_done(struct pane *pane)
{
	free(pane->last_problem);
	pane->last_problem = NULL;
}

int pane_write(struct pane *pane, const struct buf *text)
{
	return pane->in_place ? screen_draw(&pane->screen, text)
			      : output_write(&pane->output, text);
}

void pane_show_note(struct pane *pane, const char *problem)
{
	if (pane->in_place ||
	    (problem && pane->last_problem && strcmp(pane->last_problem, problem) == 0))
		return;
	free(pane->last_problem);
	pane->last_problem = problem ? strdup(problem) : NULL;
	if (problem)
		error_line(0, "%s", problem);
}

int pane_show_problem(struct pane *pane, const char *problem)
{
	CLEANUP_BUF struct buf text = { 0 };

	pane_show_note(pane, problem);
	if (!pane->in_place)
		return 0;
	buf_printf(&text, "%s\n", problem);
	return screen_draw(&pane->screen, &text) < 0 ? EXIT_OUTPUT : 0;
}

enum wake pane_wait(struct pane *pane, int64_t when_ns, int *ret_signal)
{
	if (pane->in_place)
		return screen_wait(&pane->screen, when_ns, ret_signal);
	sleep_until(when_ns);
	return WAKE_TIME;
}

int64_t next_tick(int64_t tick_ns, int64_t period_ns)
{
	int64_t now = clock_now(CLOCK_MONOTONIC);

	tick_ns += period_ns;
	return tick_ns > now ? tick_ns : now;
}

void sleep_until(int64_t when_ns)
{
	struct timespec when = clock_timespec(when_ns);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL) == EINTR)
		;
}

int die_by(int signal)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(signal);
	return 128 + signal;
}
