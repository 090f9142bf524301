#include "cli/show.h"

#include "basic/clock.h"
#include "basic/exit_code.h"
#include "cli/error_line.h"
#include "cli/fullscreen.h"
#include "cli/look.h"
#include "cli/repeat.h"
#include "cli/server_error.h"
#include "cli/session.h"
#include "cli/show_mode.h"
#include "render/render.h"
#include "source/server.h"
#include "source/source.h"
#include "version.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

/*
 * Counters can wrap within four seconds: for longer periods an additional sample is taken shortly
 * before.
 */
enum { PAIR_MS = 1000, LONGEST_PERIOD_MS = 2000 };

struct show {
	const struct show_options *options;
	struct render_options look;
	bool with_workers; /* even for a single output */
	struct session session;
	struct pane pane;
	struct repetition repetition;
	bool rates; /* does the output include rates? */
	/* a rate was requested by name: two samples this far apart; 0: one is enough */
	unsigned pair_ms;
	bool header_shown; /* of an output in columns */
	bool file_missing; /* the file was moved away, and no new one can be created */
	int code;	   /* exit code for the latest sample */
};

static void decide(struct show *show, struct want *want)
{
	const struct show_options *options = show->options;

	show->look = look_decide(options->common.color, options->common.ascii, !options->file);
	want->single = !options->loop && !options->watch && options->mode == MODE_TABLE;
	show_mode_wants(options, &show->look, want);
	/* For people, like the full screen; programs get values that were all read just now. */
	want->low_rate = options->loop && options->mode == MODE_TABLE;
	show->rates = fieldset_has(&want->device, DEV_PCIE_RX);
	show->pair_ms = show_mode_names_fields(options->mode) ? want->pair_ms : 0;
}

/* If rotation has moved the file away and there can be no new one, the old one gets the text. */
static void follow_file(struct show *show)
{
	int r = output_follow(&show->pane.output);

	if (r > 0)
		show->header_shown = !output_is_empty(&show->pane.output);
	if (r < 0 && !show->file_missing)
		output_failed(&show->pane.output, r);
	show->file_missing = r < 0;
}

static int emit(void *arg)
{
	struct show *show = arg;
	CLEANUP_BUF struct buf text = { 0 };
	bool first = !show->header_shown;
	int r;

	follow_file(show);
	if (show_mode_render(&text, show->options, &show->look, show->session.snapshot,
			     show->header_shown))
		show->header_shown = true;
	show->code = session_judge(&show->session);
	r = pane_write(&show->pane, &text);
	if (r < 0)
		return output_failed(&show->pane.output, r);
	pane_show_note(&show->pane, session_remark(&show->session, show->code));
	/*
	 * All outputs show this, except those in columns, which have no place for it.
	 */
	if (first && show->header_shown && show->session.snapshot->simulated)
		error_line(0, "SIMULATED machine at %s", show->session.root.path);
	return 0;
}

/* ---- a single output ---- */

/* Only the server remembers finished processes. Returns an exit code. */
static int check_server(const struct snapshot *snapshot, struct buf *problem)
{
	CLEANUP_CLOSE int fd = -1;
	char path[SERVER_PATH_SIZE];

	if (snapshot->server_pid)
		return 0;
	fd = server_connect_at(path);
	buf_reset(problem);
	return server_error(problem, fd < 0 ? fd : -ETIMEDOUT, path,
			    snapshot_problem(snapshot, source_daemon.name));
}

/* Does the sample have what this output shows? Returns an exit code. */
static int check_contents(struct show *show)
{
	const struct show_options *options = show->options;
	struct session *session = &show->session;

	if (options->mode == MODE_QUERY && options->query.kind == QUERY_ACCOUNTS)
		return check_server(session->snapshot, &session->problem);
	if (options->mode == MODE_TRAYS && !trays_exist(session->snapshot)) {
		buf_reset(&session->problem);
		buf_puts(&session->problem, "this machine is not a Galaxy: no device is in a tray");
		return EXIT_UNAVAILABLE;
	}
	return 0;
}

static int take(void *arg)
{
	struct show *show = arg;
	int r = session_take(&show->session);

	return r ? r : check_contents(show);
}

/* A rate was requested by name: only then does the first output take two samples. */
static int take_pair(void *arg)
{
	struct show *show = arg;
	int r = take(show);

	if (r || !show->pair_ms)
		return r;
	sleep_until(clock_now(CLOCK_MONOTONIC) + show->pair_ms * NS_PER_MS);
	return take(show);
}

static int show_with(const struct show_options *options, bool with_workers);

/* The main thread hangs in a read. */
static void take_over(void *arg)
{
	exit(show_with(arg, true));
}

/*
 * The only sample is taken without workers. Not the one of a pair, which waits in between, nor one
 * for a file, which exists already.
 */
static int take_once(struct show *show)
{
	struct worker_pool *workers = sampler_workers(show->session.sampler);
	int r;

	if (show->with_workers || show->pair_ms || show->options->file)
		return take_pair(show);
	worker_pool_use_standby(workers, take_over, (void *)show->options);
	r = take(show);
	worker_pool_end_standby(workers);
	return r;
}

static int show_once(struct show *show)
{
	int r = take_once(show);

	if (r)
		return error_line(r, "%s", buf_text(&show->session.problem));
	return emit(show);
}

/* ---- repeated output ---- */

/*
 * An additional sample is taken shortly before each one that is shown, if rates would be unknown
 * otherwise.
 */
static int64_t pair_ns(const struct show *show)
{
	bool needed = show->rates && show->options->period_ms > LONGEST_PERIOD_MS;

	return needed ? PAIR_MS * NS_PER_MS : 0;
}

static void resized(void *arg)
{
	struct show *show = arg;
	struct want want = { 0 };

	decide(show, &want);
	session_want(&show->session, &want);
	show->repetition.pair_ns = pair_ns(show);
}

/* A single sample is printed normally, so that it stays on the terminal. */
static bool is_in_place(const struct show_options *options)
{
	return options->watch && options->common.count != 1 && options->mode == MODE_TABLE &&
	       !options->file && pane_can_refresh();
}

static int show_repeatedly(struct show *show)
{
	show->repetition = (struct repetition){
		.pane = &show->pane,
		.session = &show->session,
		.count = show->options->common.count,
		.period_ns = show->options->period_ms * NS_PER_MS,
		.pair_ns = pair_ns(show),
		.in_place = is_in_place(show->options),
		.code = &show->code,
		.first = take_pair,
		.take = take,
		.emit = emit,
		.resized = resized,
		.arg = show,
	};
	return repeat_output(&show->repetition);
}

/* ---- */

static int show_run(struct show *show)
{
	const struct show_options *options = show->options;
	bool again = options->watch || options->loop;
	int r, closed;

	r = output_open(&show->pane.output, options->file, !again);
	if (r < 0)
		return output_failed(&show->pane.output, r);
	show->header_shown = !output_is_empty(&show->pane.output);
	r = again ? show_repeatedly(show) : show_once(show);
	closed = output_close(&show->pane.output, r == 0);
	if (r)
		return r;
	if (closed < 0)
		return output_failed(&show->pane.output, closed);
	return show->code;
}

/* Does not return after a single output: the kernel frees memory and descriptors at once. */
static int show_with(const struct show_options *options, bool with_workers)
{
	struct show show = {
		.options = options,
		.with_workers = with_workers,
		.pane.output.fd = -1,
	};
	struct want want = { 0 };
	int r;

	decide(&show, &want);
	r = session_open(&show.session, options->common.root, &options->common.selection, &want);
	if (r)
		error_line(r, "%s", buf_text(&show.session.problem));
	else
		r = show_run(&show);
	if (!options->watch && !options->loop)
		exit(r);
	session_close(&show.session);
	pane_done(&show.pane);
	return r;
}

int show(const struct show_options *options)
{
	return show_with(options, false);
}

static int run(const struct show_options *options)
{
	CLEANUP_BUF struct buf text = { 0 };

	switch (options->mode) {
	case MODE_HELP: show_options_help(&text); break;
	case MODE_HELP_QUERY: query_help(&text, options->help_kind); break;
	case MODE_VERSION:
		buf_printf(&text, "tt_smi %s%s\n", TT_SMI_VERSION,
			   TT_HAS_TRACE ? "" : " (without tracing)");
		break;
	case MODE_TABLE:
	case MODE_LIST:
	case MODE_DETAIL:
	case MODE_JSON:
	case MODE_QUERY:
	case MODE_VENDOR:
	case MODE_TRAYS:
	case MODE_DMON:
	case MODE_PMON: return show(options);
	}
	return output_print(&text);
}

int show_main(int argc, char **argv)
{
	struct show_options options;
	int code;

	code = show_options_parse(&options, argc, argv);
	if (code == 0 && is_in_place(&options) && !options.common.plain)
		fullscreen_execute("show", argc, argv); /* returns if it is not available */
	if (code == 0)
		code = fullscreen_check_settings(options.common.settings,
						 options.common.n_settings);
	if (code == 0)
		code = run(&options);
	show_options_done(&options);
	return code;
}
