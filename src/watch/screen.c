#include "watch/screen.h"

#include "basic/exit_code.h"
#include "basic/locale.h"
#include "basic/suggestion.h"
#include "cli/error_line.h"
#include "cli/look.h"
#include "cli/mem.h"
#include "cli/mem_options.h"
#include "cli/pane.h"
#include "cli/session.h"
#include "cli/show.h"
#include "cli/show_options.h"
#include "tui/tui.h"
#include "tui/view_wants.h"

#include <errno.h>
#include <malloc.h>
#include <string.h>

static int take(void *arg, const struct want *want, const struct snapshot *before,
		struct snapshot **ret, const char **ret_problem)
{
	struct session *session = arg;
	int code;

	session_want(session, want);
	buf_reset(&session->problem);
	code = session_next(session, before, ret);
	*ret_problem = buf_text(&session->problem);
	return code;
}

static int fail_unknown(const char *name)
{
	struct suggestion near = suggestion_begin(name, strlen(name));

	for (size_t i = 0; i < settings_count; i++)
		suggestion_try(&near, settings_name(i), strlen(settings_name(i)));
	return error_line(EXIT_USAGE, "--set: no setting \"%s\"%s%s%s", name,
			  near.best ? " (did you mean \"" : "", near.best ? near.best : "",
			  near.best ? "\"?)" : "");
}

/* Applies --set NAME=VALUE. */
static int apply_setting(struct settings *settings, const char *text)
{
	size_t length = strcspn(text, "=");
	CLEANUP_FREE char *name = strndup(text, length);
	CLEANUP_BUF struct buf help = { 0 };
	int r;

	if (!name)
		return error_line(EXIT_INTERNAL, "out of memory");
	if (settings_find(name) == settings_count)
		return fail_unknown(name);
	r = text[length] ? settings_set(settings, name, text + length + 1) : -EINVAL;
	if (!r)
		return 0;
	settings_put_help(settings_find(name), &help);
	return error_line(EXIT_USAGE, "--set: %s cannot be \"%s\" (%s)", name,
			  text + length + (text[length] == '='), buf_text(&help));
}

/* Settings of the file, environment, options; later ones override earlier ones. */
/* Without a screen: are they settings? */
static int check_settings(int count, char **texts)
{
	struct settings settings;
	int code = 0;

	settings_init(&settings);
	for (int i = 0; i < count && !code; i++)
		code = apply_setting(&settings, texts[i]);
	return code;
}

static int load_settings(struct tui *tui, const struct common_options *common, struct buf *warnings)
{
	struct settings *settings = &tui->settings;
	int r;

	settings_init(settings);
	settings_load(settings, warnings);
	tui->kept = *settings;
	settings_load_environment(settings, warnings);
	if (common->refresh_ms)
		settings->refresh_ms = common->refresh_ms;
	if (common->view >= 0)
		settings->view = (enum view)common->view;
	if (common->theme >= 0)
		settings->theme = (enum theme)common->theme;
	for (unsigned i = 0; i < common->n_settings; i++) {
		r = apply_setting(settings, common->settings[i]);
		if (r)
			return r;
	}
	return 0;
}

static int run(const struct common_options *common, struct session *session, struct tui_end *end)
{
	struct render_options look = look_decide(common->color, common->ascii, true);
	/* static: a thread that is stuck may still use it */
	static struct sample_source machine;
	CLEANUP_BUF struct buf warnings = { 0 };
	struct tui tui = {
		.version = look.version,
		.machine = &machine,
		.read_only = common->read_only,
		.color = look.color,
		.utf8 = look.utf8,
		.count = common->count,
	};
	struct want want = { 0 };
	int r;

	machine = (struct sample_source){ .arg = session, .root = &session->root, .take = take };
	r = load_settings(&tui, common, &warnings);
	if (r)
		return r;
	view_wants(tui.settings.view, &want);
	r = session_open(session, common->root, &common->selection, &want);
	if (r)
		return error_line(r, "%s", buf_text(&session->problem));
	tui.message = warnings.length ? buf_text(&warnings) : NULL;
	r = tui_run(&tui, end);
	if (r < 0)
		return 0; /* *end has the reason */
	/* Printed again, since the screen that showed them is gone. */
	if (warnings.length)
		error_line(0, "settings: %s", buf_text(&warnings));
	fputs(buf_text(&end->unread), stderr);
	buf_done(&end->unread);
	if (end->code && !end->stuck && session->problem.length)
		error_line(end->code, "%s", buf_text(&session->problem));
	return end->code;
}

/* Parses the command line of one command. Returns an exit code. */
static int parse_show(int argc, char **argv, struct common_options **ret)
{
	/* static: a thread that is stuck may still use it */
	static struct show_options options;

	*ret = &options.common;
	return show_options_parse(&options, argc, argv);
}

static int parse_mem(int argc, char **argv, struct common_options **ret)
{
	static struct mem_options options; /* likewise */

	*ret = &options.common;
	return mem_options_parse(&options, argc, argv);
}

/* The commands that have a full screen, as fullscreen_execute() names them. */
static const struct screen_command {
	const char *name;
	int (*parse)(int argc, char **argv, struct common_options **ret);
	/* without curses: prints and refreshes in place */
	int (*run_plain)(int argc, char **argv);
} commands[] = {
	{ "show", parse_show, show_main },
	{ "mem", parse_mem, mem_main },
};

static const struct screen_command *find_command(const char *name)
{
	for (size_t i = 0; name && i < ARRAY_SIZE(commands); i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

/* For a terminal that curses does not support: refreshes in place. */
static int show_plain(const struct screen_command *command, int argc, char **argv)
{
	CLEANUP_FREE char **words = calloc((size_t)argc + 2, sizeof(*words));

	if (!words)
		return error_line(EXIT_INTERNAL, "out of memory");
	memcpy(words, argv, (size_t)argc * sizeof(*words));
	words[argc] = (char[]){ "--plain" };
	return command->run_plain(argc + 1, words);
}

static int run_command(const struct screen_command *command, int argc, char **argv,
		       struct tui_end *end)
{
	/* static: a thread that is stuck may still use it */
	static struct session session = { .root.fd = -1 };
	struct common_options *common;
	int code;

	code = command->parse(argc, argv, &common);
	if (code == 0)
		code = run(common, &session, end);
	if (!end->stuck) {
		session_close(&session);
		common_options_done(common);
	}
	return code;
}

/*
 * Returns large blocks to the system as soon as they are freed. Otherwise malloc adapts its
 * threshold to the first ones and keeps them, which costs 0.8 MB with a thousand processes.
 */
static void limit_malloc_cache(void)
{
	static const int large = 128 * 1024;

	mallopt(M_MMAP_THRESHOLD, large);
}

int screen_main(int argc, char **argv)
{
	const struct screen_command *command = find_command(argc > 1 ? argv[1] : NULL);
	struct tui_end end = { 0 };
	int code;

	limit_malloc_cache();
	locale_load();
	if (argc > 1 && strcmp(argv[1], "settings") == 0)
		return check_settings(argc - 2, argv + 2);
	if (!command)
		return error_line(EXIT_USAGE, "tt_smi -w and tt_smi mem execute this program");
	code = run_command(command, argc - 1, argv + 1, &end);
	if (end.no_screen)
		return show_plain(command, argc - 1, argv + 1);
	return end.signal ? die_by(end.signal) : code;
}
