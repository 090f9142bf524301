#include "cli/show.h"

#include "basic/clock.h"
#include "basic/exit_code.h"
#include "cli/fullscreen.h"
#include "cli/look.h"
#include "cli/show_options.h"
#include "cli/pane.h"
#include "cli/error_line.h"
#include "cli/session.h"
#include "render/csv.h"
#include "render/render.h"
#include "version.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

/* Counters can wrap within four seconds: over longer periods a pair is taken at the end. */
enum { PAIR_MS = 1000, LONGEST_PERIOD_MS = 2000 };

struct show {
	const struct show_options *options;
	struct render_options look;
	struct session session;
	struct pane pane;
	bool rates;	   /* does the output show any? */
	unsigned pair_ms;  /* asked for by name: two samples this far apart; 0: one is enough */
	bool header_shown; /* of CSV, or of the table of trays */
	int code;	   /* exit code as the last sample has it */
};

/* ---- what is shown, and how ---- */

static void decide(struct show *show, struct want *want)
{
	const struct show_options *options = show->options;

	show->look = look_decide(options->common.color, options->common.ascii, !options->file);
	switch (options->mode) {
	case MODE_TABLE: table_wants(&show->look, want); break;
	case MODE_LIST: list_wants(want); break;
	case MODE_DETAIL: detail_wants(options->sections, want); break;
	case MODE_JSON: json_wants(want); break;
	case MODE_QUERY: query_wants(&options->query, want); break;
	case MODE_VENDOR: vendor_wants(want); break;
	case MODE_TRAYS: trays_wants(want); break;
	case MODE_HELP:
	case MODE_HELP_QUERY:
	case MODE_VERSION: break;
	}
	show->rates = fieldset_has(&want->device, DEV_PCIE_RX);
	show->pair_ms = options->mode == MODE_QUERY ? want->pair_ms : 0;
}

static bool is_pretty(const struct show_options *options)
{
	return json_is_pretty(options->json, !options->file && !options->loop && !options->watch);
}

static void render(struct show *show, struct buf *out)
{
	const struct show_options *options = show->options;
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
	case MODE_TRAYS:
		trays_render(out, snapshot, options->common.ascii);
		show->header_shown = true;
		break;
	case MODE_HELP:
	case MODE_HELP_QUERY:
	case MODE_VERSION: break;
	}
}

static int write_failed(const struct show *show, int error)
{
	return error_line(EXIT_OUTPUT, "cannot write %s: %s", show->pane.output.name,
			  strerror(-error));
}

static int emit(struct show *show)
{
	CLEANUP_BUF struct buf text = { 0 };
	bool first = !show->header_shown;
	int r;

	render(show, &text);
	show->code = session_judge(&show->session);
	r = pane_write(&show->pane, &text);
	if (r < 0)
		return write_failed(show, r);
	pane_remark(&show->pane, session_remark(&show->session, show->code));
	/* Every output says so; CSV and the vendor's table of trays have no place for it. */
	if (first && show->header_shown && show->session.snapshot->simulated)
		error_line(0, "SIMULATED machine at %s", show->session.root.path);
	return 0;
}

/* ---- once ---- */

/* What is missing for this output to exist; NULL: nothing. */
static const char *find_missing(const struct show_options *options, const struct snapshot *snapshot,
				int *ret_code)
{
	if (options->mode == MODE_QUERY && options->query.kind == QUERY_ACCOUNTS &&
	    !snapshot->server_pid) {
		*ret_code = EXIT_NO_SERVER;
		return "daemon required but unreachable: finished processes are remembered by the "
		       "allocation server (allocation_server_poc)";
	}
	if (options->mode == MODE_TRAYS && !trays_exist(snapshot)) {
		*ret_code = EXIT_UNAVAILABLE;
		return "this machine is not a Galaxy: no device is in a tray";
	}
	return NULL;
}

static int take(struct show *show)
{
	struct session *session = &show->session;
	int r = session_take(session);
	const char *missing;

	if (r)
		return r;
	missing = find_missing(show->options, session->snapshot, &r);
	if (missing) {
		buf_reset(&session->problem);
		buf_puts(&session->problem, missing);
	}
	return r;
}

/* Asked for a rate by name: the one case in which the first output takes two samples. */
static int take_pair(struct show *show)
{
	int r = take(show);

	if (r || !show->pair_ms)
		return r;
	sleep_until(clock_now(CLOCK_MONOTONIC) + show->pair_ms * NS_PER_MS);
	return take(show);
}

static int show_once(struct show *show)
{
	int r = take_pair(show);

	if (r)
		return error_line(r, "%s", buf_text(&show->session.problem));
	return emit(show);
}

/* ---- again and again ---- */

/* Waits, following the terminal; non-zero: a signal to end with. */
static int pause_until(struct show *show, int64_t when_ns)
{
	int signal = 0;

	for (;;) {
		struct want want = { 0 };

		switch (pane_wait(&show->pane, when_ns, &signal)) {
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

/* A sample shortly before the one that is shown, where rates would be lost. */
static int pause_with_pair(struct show *show, int64_t tick, unsigned period_ms)
{
	int signal;

	if (show->rates && period_ms > LONGEST_PERIOD_MS) {
		signal = pause_until(show, tick - PAIR_MS * NS_PER_MS);
		if (signal)
			return signal;
		(void)!take(show); /* the one that is shown will tell */
	}
	return pause_until(show, tick);
}

static int show_loop(struct show *show, int *ret_signal)
{
	unsigned period_ms = show->options->period_ms;
	int64_t tick = clock_now(CLOCK_MONOTONIC);
	int taken = 0, r;

	for (unsigned n = 1;; n++) {
		if (taken)
			show->code = taken;
		r = taken ? pane_complain(&show->pane, buf_text(&show->session.problem))
			  : emit(show);
		if (r)
			return r;
		if (n == show->options->common.count)
			return 0;
		tick = next_tick(tick, period_ms * NS_PER_MS);
		*ret_signal = pause_with_pair(show, tick, period_ms);
		if (*ret_signal)
			return 0;
		taken = take(show);
	}
}

/* A single sample is nothing to look on at, and shall stay to be read. */
static bool is_in_place(const struct show_options *options)
{
	return options->watch && options->common.count != 1 && options->mode == MODE_TABLE &&
	       !options->file && pane_can_refresh();
}

/* With nothing there to begin with, the terminal is not touched. */
static int show_again(struct show *show)
{
	int signal = 0, r;

	r = take_pair(show);
	if (r)
		return error_line(r, "%s", buf_text(&show->session.problem));
	if (is_in_place(show->options))
		pane_enter(&show->pane);
	r = show_loop(show, &signal);
	pane_leave(&show->pane);
	return signal ? die_by(signal) : r;
}

/* ---- */

static int show_run(struct show *show)
{
	const struct show_options *options = show->options;
	bool again = options->watch || options->loop;
	int r, closed;

	r = output_open(&show->pane.output, options->file, !again);
	if (r < 0)
		return write_failed(show, r);
	r = again ? show_again(show) : show_once(show);
	closed = output_close(&show->pane.output, r == 0);
	if (r)
		return r;
	if (closed < 0)
		return write_failed(show, closed);
	return show->code;
}

static int show(const struct show_options *options)
{
	struct show show = { .options = options, .pane.output.fd = -1 };
	struct want want = { 0 };
	int r;

	decide(&show, &want);
	r = session_open(&show.session, options->common.root, &options->common.selection, &want);
	if (r)
		error_line(r, "%s", buf_text(&show.session.problem));
	else
		r = show_run(&show);
	session_close(&show.session);
	pane_done(&show.pane);
	return r;
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
	case MODE_TRAYS: return show(options);
	}
	return output_print(&text);
}

int show_main(int argc, char **argv)
{
	struct show_options options;
	int code;

	code = show_options_parse(&options, argc, argv);
	if (code == 0 && is_in_place(&options) && !options.common.plain)
		fullscreen_execute("show", argc, argv); /* returns if there is none */
	if (code == 0)
		code = run(&options);
	show_options_done(&options);
	return code;
}
