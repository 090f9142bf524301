/*
 * tt_smi -w on a terminal: puts what the command line says together with the full
 * screen. Executed by tt_smi with its own arguments.
 */
#include "cli/exit.h"
#include "cli/look.h"
#include "cli/options.h"
#include "cli/pane.h"
#include "cli/say.h"
#include "cli/session.h"
#include "cli/show.h"
#include "tui/tui.h"

#include <string.h>

static int take(void *arg, const struct want *want, const struct snapshot *before,
		struct snapshot **ret, const char **ret_problem)
{
	struct session *session = arg;
	int code;

	session_want(session, want);
	code = session_next(session, before, ret);
	*ret_problem = buf_text(&session->problem);
	return code;
}

/* Settings, environment, options: the last one counts. */
static int choose(struct settings *settings, const struct options *options, struct buf *complaints)
{
	settings_init(settings);
	settings_load(settings, complaints);
	if (options->has_period)
		settings->refresh_ms = options->period_ms;
	if (options->view && settings_set(settings, "view", options->view) < 0)
		return say(EXIT_USAGE,
			   "--view: \"%s\" is not overview, grid, processes, memory or device",
			   options->view);
	if (options->theme && settings_set(settings, "theme", options->theme) < 0)
		return say(EXIT_USAGE, "--theme: \"%s\" is not default, colorblind, light or mono",
			   options->theme);
	return 0;
}

static int run(const struct options *options, struct session *session, struct tui_end *end)
{
	struct look look = look_decide(options->color, options->ascii, true);
	struct machine machine = { .arg = session, .root = &session->root, .take = take };
	CLEANUP_BUF struct buf complaints = { 0 };
	struct tui tui = {
		.version = look.version,
		.machine = &machine,
		.read_only = options->read_only,
		.color = look.color,
		.utf8 = look.utf8,
		.count = options->count,
	};
	struct want want = { 0 };
	int r;

	r = choose(&tui.settings, options, &complaints);
	if (r)
		return r;
	view_wants(tui.settings.view, &want);
	r = session_open(session, options->root, &options->selection, &want);
	if (r)
		return say(r, "%s", buf_text(&session->problem));
	tui.complaint = complaints.length ? buf_text(&complaints) : NULL;
	r = tui_run(&tui, end);
	if (r < 0)
		return 0; /* the end says so */
	/* Again where it stays: the screen they were on is gone. */
	if (complaints.length)
		say(0, "settings: %s", buf_text(&complaints));
	return end->code;
}

/* A terminal that curses knows nothing about still has the table, refreshed in place. */
static int show_table(int argc, char **argv)
{
	CLEANUP_FREE char **words = calloc((size_t)argc + 2, sizeof(*words));

	if (!words)
		return say(EXIT_INTERNAL, "out of memory");
	memcpy(words, argv, (size_t)argc * sizeof(*words));
	words[argc] = (char[]){ "--plain" };
	return show_main(argc + 1, words);
}

int main(int argc, char **argv)
{
	struct session session = { .root.fd = -1 };
	struct tui_end end = { 0 };
	struct options options;
	int code;

	look_set_locale();
	code = options_parse(&options, argc, argv);
	if (code == 0)
		code = run(&options, &session, &end);
	/* A thread that is stuck still uses all this: it ends with the process. */
	if (!end.stuck) {
		session_close(&session);
		options_done(&options);
	}
	if (end.no_screen)
		return show_table(argc, argv);
	return end.signal ? die_by(end.signal) : code;
}
