#include "cli/repeat.h"

#include "basic/clock.h"
#include "cli/error_line.h"

#include <signal.h>

/* Waits and handles terminal events. Nonzero: a signal that ends the program. */
static int pause_until(const struct repetition *repetition, int64_t when_ns)
{
	int signal = 0;

	for (;;) {
		switch (pane_wait(repetition->pane, when_ns, &signal)) {
		case WAKE_TIME: return 0;
		case WAKE_QUIT: return signal;
		case WAKE_RESIZE:
			repetition->resized(repetition->arg);
			if (repetition->emit(repetition->arg))
				return SIGHUP;
			break;
		}
	}
}

static int pause_with_pair(const struct repetition *repetition, int64_t tick_ns)
{
	int signal;

	if (repetition->pair_ns) {
		signal = pause_until(repetition, tick_ns - repetition->pair_ns);
		if (signal)
			return signal;
		(void)!repetition->take(
			repetition->arg); /* an error will show in the next sample */
	}
	return pause_until(repetition, tick_ns);
}

static int repeat(const struct repetition *repetition, int *ret_signal)
{
	int64_t tick = clock_now(CLOCK_MONOTONIC);
	int taken = 0, r;

	for (unsigned n = 1;; n++) {
		if (taken)
			*repetition->code = taken;
		r = taken ? pane_show_problem(repetition->pane,
					      buf_text(&repetition->session->problem))
			  : repetition->emit(repetition->arg);
		if (r)
			return r;
		if (n == repetition->count)
			return 0;
		tick = next_tick(tick, repetition->period_ns);
		*ret_signal = pause_with_pair(repetition, tick);
		if (*ret_signal)
			return 0;
		taken = repetition->take(repetition->arg);
	}
}

int repeat_output(const struct repetition *repetition)
{
	int signal = 0, r;

	r = repetition->first(repetition->arg);
	if (r)
		return error_line(r, "%s", buf_text(&repetition->session->problem));
	if (repetition->in_place)
		pane_enter(repetition->pane);
	r = repeat(repetition, &signal);
	pane_leave(repetition->pane);
	return signal ? die_by(signal) : r;
}
