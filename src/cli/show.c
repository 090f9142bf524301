#include "cli/show.h"

#include "basic/clock.h"
#include "cli/exit.h"
#include "cli/output.h"
#include "cli/say.h"
#include "cli/screen.h"
#include "render/csv.h"
#include "render/render.h"
#include "source/pci.h"
#include "source/sampler.h"
#include "version.h"

#include <errno.h>
#include <langinfo.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

enum {
	MIN_COLUMNS = 80,
	DEFAULT_COLUMNS = 102, /* the box of the first tool */
	MAX_COLUMNS = 1000,
};

/* Counters can wrap within four seconds: over longer periods a pair is taken at the end. */
enum { PAIR_MS = 1000, LONGEST_PERIOD_MS = 2000 };

struct show {
	const struct options *options;
	struct look look;
	struct root root;
	struct want want;
	struct sampler *sampler;
	struct snapshot *snapshot; /* the last one */
	struct output output;
	struct screen screen;
	bool in_place;
	bool rates;	   /* does the output show any? */
	bool header_shown; /* of CSV */
	int code;	   /* exit code as the last sample has it */
};

/* ---- how it looks ---- */

static unsigned terminal_columns(void)
{
	const char *text = getenv("COLUMNS");
	struct winsize size;
	unsigned columns = 0;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
		columns = size.ws_col;
	if (columns == 0 && text)
		columns = (unsigned)strtoul(text, NULL, 10);
	return columns ? columns : DEFAULT_COLUMNS;
}

/* Option, then NO_COLOR, then terminal. */
static bool decide_color(const struct options *options)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (options->color != COLOR_AUTO)
		return options->color == COLOR_ALWAYS;
	if ((no_color && no_color[0]) || !term || strcmp(term, "dumb") == 0)
		return false;
	return !options->file && isatty(STDOUT_FILENO);
}

static void set_look(struct show *show)
{
	const struct options *options = show->options;
	unsigned columns = options->file ? DEFAULT_COLUMNS : terminal_columns();

	show->look = (struct look){
		.version = TT_SMI_VERSION,
		.utf8 = !options->ascii && strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
		.color = decide_color(options),
		.columns = MIN(MAX(columns, MIN_COLUMNS), MAX_COLUMNS),
	};
}

/* ---- what is shown ---- */

static void set_want(struct show *show)
{
	struct want *want = &show->want;

	switch (show->options->mode) {
	case MODE_TABLE: table_wants(&show->look, want); break;
	case MODE_LIST: list_wants(want); break;
	case MODE_DETAIL: detail_wants(want); break;
	case MODE_JSON: json_wants(want); break;
	case MODE_QUERY: query_wants(&show->options->query, want); break;
	case MODE_VENDOR: vendor_wants(want); break;
	case MODE_HELP:
	case MODE_HELP_QUERY:
	case MODE_VERSION: break;
	}
	show->rates = fieldset_has(&want->device, DEV_COUNTER);
	/* A device can be named by its ids. */
	if (show->options->selection.count) {
		fieldset_add(&want->device, DEV_ASIC_ID);
		fieldset_add(&want->device, DEV_SERIAL);
	}
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

	switch (options->mode) {
	case MODE_TABLE: table_render(out, &show->look, show->snapshot); break;
	case MODE_LIST: list_render(out, &show->look, show->snapshot); break;
	case MODE_DETAIL: detail_render(out, &show->look, show->snapshot, options->sections); break;
	case MODE_JSON: json_render(out, &show->look, show->snapshot, is_pretty(options)); break;
	case MODE_QUERY:
		if (!show->header_shown)
			query_render_header(out, &options->query);
		show->header_shown = true;
		query_render(out, &show->look, &options->query, show->snapshot);
		break;
	case MODE_VENDOR: vendor_render(out, &show->look, show->snapshot); break;
	case MODE_HELP:
	case MODE_HELP_QUERY:
	case MODE_VERSION: break;
	}
}

/* ---- samples ---- */

/* Why there is nothing: with the exit code for it. */
static int explain(const struct show *show, int error)
{
	char bdf[32];
	unsigned cards;

	if (error == -EACCES || error == -EPERM)
		return say(EXIT_PERMISSION, "%s/sys/class/tenstorrent: permission denied",
			   show->root.path);
	if (error != -ENOENT)
		return say(EXIT_INTERNAL, "%s/sys/class/tenstorrent: %s", show->root.path,
			   strerror(-error));
	cards = pci_count_unserved(&show->root, bdf, sizeof(bdf));
	if (cards)
		return say(EXIT_NO_DRIVER,
			   "the Tenstorrent driver is not loaded, though %u card%s on the bus (%s)",
			   cards, cards == 1 ? " is" : "s are", bdf);
	return say(EXIT_NO_DRIVER,
		   "the Tenstorrent driver is not loaded (no %s/sys/class/tenstorrent)",
		   show->root.path);
}

/* Drops what -i does not name. */
static int apply_selection(struct show *show)
{
	const struct selection *selection = &show->options->selection;
	CLEANUP_FREE bool *keep = calloc(show->snapshot->n_devices + 1, sizeof(*keep));
	const char *word;
	int r;

	if (!keep)
		return say(EXIT_INTERNAL, "out of memory");
	r = selection_match(selection, show->snapshot, keep, &word);
	if (r == -ENOTUNIQ)
		return say(EXIT_USAGE, "-i %s: several devices have an id that begins so", word);
	if (r < 0)
		return say(EXIT_NO_DEVICE, "-i %s: no such device", word);
	snapshot_keep(show->snapshot, keep);
	return 0;
}

static bool is_lost(const struct device *dev)
{
	return dev->condition == DEVICE_LOST || dev->condition == DEVICE_NOT_ANSWERING;
}

/* Lost is a device that was named, or all there are. */
static int judge(const struct show *show)
{
	const struct snapshot *snapshot = show->snapshot;
	size_t lost = 0, there = 0;

	for (size_t i = 0; i < snapshot->n_devices; i++) {
		lost += is_lost(&snapshot->devices[i]);
		there += !snapshot->devices[i].remote;
	}
	if (lost && (show->options->selection.count || lost == there))
		return EXIT_LOST;
	return EXIT_FINE;
}

/* The next snapshot in the place of the last; an exit code if there is none. */
static int take(struct show *show)
{
	struct snapshot *next;
	int r;

	r = sampler_take(show->sampler, show->snapshot, &next);
	if (r < 0)
		return explain(show, r);
	snapshot_free(show->snapshot);
	show->snapshot = next;
	if (next->n_devices == 0)
		return say(EXIT_NO_DEVICE, "no Tenstorrent device present (the driver is loaded)");
	if (show->options->selection.count) {
		r = apply_selection(show);
		if (r)
			return r;
	}
	show->code = judge(show);
	return 0;
}

static void sleep_until(int64_t when_ns)
{
	struct timespec when = clock_timespec(when_ns);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL) == EINTR)
		;
}

/* Asked for a rate by name: the one case in which a single output takes two samples. */
static int take_pair(struct show *show)
{
	unsigned pair_ms =
		show->options->mode == MODE_QUERY ? query_pair_ms(&show->options->query) : 0;
	int r = take(show);

	if (r || !pair_ms)
		return r;
	sleep_until(clock_now(CLOCK_MONOTONIC) + pair_ms * NS_PER_MS);
	return take(show);
}

static int write_failed(const struct show *show, int error)
{
	return say(EXIT_OUTPUT, "cannot write %s: %s", show->output.name, strerror(-error));
}

static int emit(struct show *show)
{
	CLEANUP_BUF struct buf text = { 0 };
	int r;

	render(show, &text);
	r = show->in_place ? screen_draw(&show->screen, &text) : output_write(&show->output, &text);
	return r < 0 ? write_failed(show, r) : 0;
}

/* ---- once, or again and again ---- */

static int show_once(struct show *show)
{
	int r = take_pair(show), closed;

	if (r == 0)
		r = emit(show);
	closed = output_close(&show->output, r == 0);
	if (r == 0 && closed < 0)
		r = write_failed(show, closed);
	return r ? r : show->code;
}

/* Waits, following the terminal; non-zero: a signal to end with. */
static int pause_until(struct show *show, int64_t when_ns)
{
	int signal = 0;

	if (!show->in_place) {
		sleep_until(when_ns);
		return 0;
	}
	for (;;) {
		switch (screen_wait(&show->screen, when_ns, &signal)) {
		case WAKE_TIME: return 0;
		case WAKE_QUIT: return signal;
		case WAKE_RESIZE:
			set_look(show);
			if (show->snapshot && emit(show))
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

/* A second sample shortly before the one that is shown, where rates would be lost. */
static int pause_with_pair(struct show *show, int64_t tick, unsigned period_ms)
{
	int signal;

	if (show->rates && period_ms > LONGEST_PERIOD_MS) {
		signal = pause_until(show, tick - PAIR_MS * NS_PER_MS);
		if (signal)
			return signal;
		if (take(show))
			return 0; /* said; the next one may do better */
	}
	return pause_until(show, tick);
}

static int show_loop(struct show *show, int *ret_signal)
{
	unsigned period_ms = show->options->period_ms;
	int64_t tick = clock_now(CLOCK_MONOTONIC);
	int r = take(show);

	if (r)
		return r; /* nothing there to begin with */
	for (unsigned n = 1;; n++) {
		if (r == 0) {
			r = emit(show);
			if (r)
				return r;
		}
		if (n == show->options->count)
			return show->code;
		tick = next_tick(tick, period_ms * NS_PER_MS);
		*ret_signal = pause_with_pair(show, tick, period_ms);
		if (*ret_signal)
			return 0;
		r = take(show);
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

static int show_again(struct show *show)
{
	int signal = 0, r, closed;

	if (show->options->watch && show->options->mode == MODE_TABLE && !show->options->file &&
	    isatty(STDOUT_FILENO)) {
		r = screen_enter(&show->screen, STDOUT_FILENO);
		show->in_place = r == 0;
		if (r < 0)
			screen_leave(&show->screen);
	}
	r = show_loop(show, &signal);
	if (show->in_place)
		screen_leave(&show->screen);
	closed = output_close(&show->output, r == 0);
	if (r == 0 && closed < 0)
		r = write_failed(show, closed);
	return signal ? die_by(signal) : r;
}

/* ---- */

/* One arena is enough for a program that allocates little; descriptors are kept. */
static void prepare_process(void)
{
	struct rlimit limit;

	mallopt(M_ARENA_MAX, 1);
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = MIN(limit.rlim_max, 65536);
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static int show_run(struct show *show)
{
	const struct options *options = show->options;
	bool again = options->watch || options->loop;
	int r;

	r = output_open(&show->output, options->file, !again);
	if (r < 0)
		return write_failed(show, r);
	r = sampler_new(&show->root, &show->want, &show->sampler);
	if (r < 0)
		return say(EXIT_INTERNAL, "%s", strerror(-r));
	r = again ? show_again(show) : show_once(show);
	if (show->snapshot && show->snapshot->simulated && options->mode == MODE_QUERY && r == 0)
		say(0, "SIMULATED machine at %s", show->root.path);
	return r;
}

int show(const struct options *options)
{
	struct show show = { .options = options, .root.fd = -1, .output.fd = -1 };
	int r;

	prepare_process();
	set_look(&show);
	set_want(&show);
	r = root_init(&show.root, options->root);
	if (r < 0)
		return say(r == -EACCES ? EXIT_PERMISSION : EXIT_USAGE, "--root %s: %s",
			   options->root, strerror(-r));
	r = show_run(&show);
	(void)!output_close(&show.output, false);
	sampler_free(show.sampler);
	snapshot_free(show.snapshot);
	root_done(&show.root);
	return r;
}
