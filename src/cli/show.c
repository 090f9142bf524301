#include "cli/show.h"

#include "basic/clock.h"
#include "cli/exit.h"
#include "cli/look.h"
#include "cli/output.h"
#include "cli/say.h"
#include "cli/screen.h"
#include "cli/session.h"
#include "render/csv.h"
#include "render/render.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

/* Counters can wrap within four seconds: over longer periods a pair is taken at the end. */
enum { PAIR_MS = 1000, LONGEST_PERIOD_MS = 2000 };

struct show {
	const struct options *options;
	struct look look;
	struct session session;
	struct output output;
	struct screen screen;
	bool in_place;
	bool rates;	   /* does the output show any? */
	bool header_shown; /* of CSV */
	int code;	   /* exit code as the last sample has it */
};

/* ---- what is shown, and how ---- */

static void decide(struct show *show, struct want *want)
{
	const struct options *options = show->options;

	show->look = look_decide(options->color, options->ascii, !options->file);
	switch (options->mode) {
	case MODE_TABLE: table_wants(&show->look, want); break;
	case MODE_LIST: list_wants(want); break;
	case MODE_DETAIL: detail_wants(want); break;
	case MODE_JSON: json_wants(want); break;
	case MODE_QUERY: query_wants(&options->query, want); break;
	case MODE_VENDOR: vendor_wants(want); break;
	case MODE_HELP:
	case MODE_HELP_QUERY:
	case MODE_VERSION: break;
	}
	show->rates = fieldset_has(&want->device, DEV_COUNTER);
}

static bool is_pretty(const struct options *options)
{
	if (options->pretty != PRETTY_AUTO)
		return options->pretty == PRETTY_YES;
	return !options->file && !options->loop && !options->watch && isatty(STDOUT_FILENO);
}

static void render(struct show *show, struct buf *out)
{
	const struct options *options = show->options;
	const struct snapshot *snapshot = show->session.snapshot;

	switch (options->mode) {
	case MODE_TABLE: table_render(out, &show->look, snapshot); break;
	case MODE_LIST: list_render(out, &show->look, snapshot); break;
	case MODE_DETAIL: detail_render(out, &show->look, snapshot, options->sections); break;
	case MODE_JSON: json_render(out, &show->look, snapshot, is_pretty(options)); break;
	case MODE_QUERY:
		if (!show->header_shown)
			query_render_header(out, &options->query);
		show->header_shown = true;
		query_render(out, &show->look, &options->query, snapshot);
		break;
	case MODE_VENDOR: vendor_render(out, &show->look, snapshot); break;
	case MODE_HELP:
	case MODE_HELP_QUERY:
	case MODE_VERSION: break;
	}
}

static int write_failed(const struct show *show, int error)
{
	return say(EXIT_OUTPUT, "cannot write %s: %s", show->output.name, strerror(-error));
}

static int write_text(struct show *show, const struct buf *text)
{
	return show->in_place ? screen_draw(&show->screen, text)
			      : output_write(&show->output, text);
}

static int emit(struct show *show)
{
	CLEANUP_BUF struct buf text = { 0 };
	int r;

	render(show, &text);
	show->code = session_judge(&show->session);
	r = write_text(show, &text);
	return r < 0 ? write_failed(show, r) : 0;
}

/* Why there is no sample: in the place of the table, else on standard error. */
static int emit_problem(struct show *show, int code)
{
	struct buf *problem = &show->session.problem;

	show->code = code;
	if (!show->in_place)
		return say(0, "%s", buf_text(problem));
	buf_putc(problem, '\n');
	return screen_draw(&show->screen, problem) < 0 ? EXIT_OUTPUT : 0;
}

static void sleep_until(int64_t when_ns)
{
	struct timespec when = clock_timespec(when_ns);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL) == EINTR)
		;
}

/* ---- once ---- */

/* Asked for a rate by name: the one case in which a single output takes two samples. */
static int take_pair(struct show *show)
{
	const struct options *options = show->options;
	unsigned pair_ms = options->mode == MODE_QUERY ? query_pair_ms(&options->query) : 0;
	int r = session_take(&show->session);

	if (r || !pair_ms)
		return r;
	sleep_until(clock_now(CLOCK_MONOTONIC) + pair_ms * NS_PER_MS);
	return session_take(&show->session);
}

static int show_once(struct show *show)
{
	int r = take_pair(show);

	if (r)
		return say(r, "%s", buf_text(&show->session.problem));
	return emit(show);
}

/* ---- again and again ---- */

/* Waits, following the terminal; non-zero: a signal to end with. */
static int pause_until(struct show *show, int64_t when_ns)
{
	int signal = 0;

	if (!show->in_place) {
		sleep_until(when_ns);
		return 0;
	}
	for (;;) {
		struct want want = { 0 };

		switch (screen_wait(&show->screen, when_ns, &signal)) {
		case WAKE_TIME: return 0;
		case WAKE_QUIT: return signal;
		case WAKE_RESIZE:
			decide(show, &want);
			session_want(&show->session, &want);
			if (emit(show))
				return SIGHUP;
			break;
		}
	}
}

/* The next sample's time, without a backlog if this one took too long. */
static int64_t next_tick(int64_t tick, int64_t period_ns)
{
	int64_t now = clock_now(CLOCK_MONOTONIC);

	tick += period_ns;
	return tick > now ? tick : now;
}

/* A sample shortly before the one that is shown, where rates would be lost. */
static int pause_with_pair(struct show *show, int64_t tick, unsigned period_ms)
{
	int signal;

	if (show->rates && period_ms > LONGEST_PERIOD_MS) {
		signal = pause_until(show, tick - PAIR_MS * NS_PER_MS);
		if (signal)
			return signal;
		(void)!session_take(&show->session); /* the one that is shown will tell */
	}
	return pause_until(show, tick);
}

static int show_loop(struct show *show, int *ret_signal)
{
	unsigned period_ms = show->options->period_ms;
	int64_t tick = clock_now(CLOCK_MONOTONIC);
	int taken = 0, r;

	for (unsigned n = 1;; n++) {
		r = taken ? emit_problem(show, taken) : emit(show);
		if (r)
			return r;
		if (n == show->options->count)
			return 0;
		tick = next_tick(tick, period_ms * NS_PER_MS);
		*ret_signal = pause_with_pair(show, tick, period_ms);
		if (*ret_signal)
			return 0;
		taken = session_take(&show->session);
	}
}

/* Ends the way the signal ends a program, now that the terminal is in order. */
static int die_by(int signal)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(signal);
	return 128 + signal;
}

static bool is_in_place(const struct options *options)
{
	const char *term = getenv("TERM");

	return options->watch && options->mode == MODE_TABLE && !options->file &&
	       isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0;
}

/* With nothing there to begin with, the terminal is not touched. */
static int show_again(struct show *show)
{
	int signal = 0, r;

	r = session_take(&show->session);
	if (r)
		return say(r, "%s", buf_text(&show->session.problem));
	if (is_in_place(show->options)) {
		show->in_place = screen_enter(&show->screen, STDOUT_FILENO) >= 0;
		if (!show->in_place)
			screen_leave(&show->screen);
	}
	r = show_loop(show, &signal);
	if (show->in_place)
		screen_leave(&show->screen);
	return signal ? die_by(signal) : r;
}

/* ---- */

static int show_run(struct show *show)
{
	const struct options *options = show->options;
	bool again = options->watch || options->loop;
	int r, closed;

	r = output_open(&show->output, options->file, !again);
	if (r < 0)
		return write_failed(show, r);
	r = again ? show_again(show) : show_once(show);
	closed = output_close(&show->output, r == 0);
	if (r)
		return r;
	if (closed < 0)
		return write_failed(show, closed);
	/* Every output says so; a line of CSV has no place for it. */
	if (show->session.snapshot->simulated && options->mode == MODE_QUERY)
		say(0, "SIMULATED machine at %s", show->session.root.path);
	return show->code;
}

int show(const struct options *options)
{
	struct show show = { .options = options, .output.fd = -1 };
	struct want want = { 0 };
	int r;

	decide(&show, &want);
	r = session_open(&show.session, options->root, &options->selection, &want);
	if (r)
		say(r, "%s", buf_text(&show.session.problem));
	else
		r = show_run(&show);
	session_close(&show.session);
	return r;
}
