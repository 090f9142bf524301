#include "cli/show_options.h"

#include "cli/command.h"
#include "basic/exit_code.h"
#include "cli/error_line.h"
#include "render/render.h"
#include "render/screen_names.h"

#include <errno.h>
#include <string.h>

static int choose(const struct option_given *given, struct show_options *options, enum mode mode)
{
	if (options->mode_name && options->mode != mode)
		return option_error(given, EXIT_USAGE, "%s and %s are mutually exclusive",
				    options->mode_name, given->word);
	if (options->mode_name && mode == MODE_QUERY)
		return option_error(given, EXIT_USAGE, "one query at a time: %s and %s",
				    options->mode_name, given->word);
	options->mode = mode;
	options->mode_name = given->word;
	return 0;
}

static int set_mode(const struct option_given *given, void *options)
{
	return choose(given, options, (enum mode)given->option->choice);
}

static int set_query(const struct option_given *given, void *arg)
{
	struct show_options *options = arg;
	enum query_kind kind = (enum query_kind)given->option->choice;
	bool header = options->query.header, units = options->query.units;
	CLEANUP_FREE char *bad = NULL;
	struct suggestion near;
	int r;

	r = choose(given, options, MODE_QUERY);
	if (r)
		return r;
	r = query_parse(kind, given->value, &options->query, &bad);
	if (r == -ENOMEM)
		return option_error(given, EXIT_INTERNAL, "out of memory");
	if (r < 0 && bad[0] == '\0')
		return option_error(given, EXIT_USAGE, "%s: an empty field name", given->word);
	if (r < 0) {
		near = query_suggest(kind, bad);
		return option_error(
			given, EXIT_USAGE, "unknown field \"%s\"%s%.*s%s; --help-%s lists them",
			bad, near.best ? " (did you mean \"" : "", (int)near.best_length,
			near.best ? near.best : "", near.best ? "\"?)" : "", query_names[kind]);
	}
	options->query.header = header;
	options->query.units = units;
	return 0;
}

static int set_format(const struct option_given *given, void *arg)
{
	struct show_options *options = arg;
	const char *word = given->value;
	bool csv = false;

	options->has_format = true;
	while (true) {
		size_t n = strcspn(word, ",");

		if (n == 3 && strncmp(word, "csv", n) == 0)
			csv = true;
		else if (n == 8 && strncmp(word, "noheader", n) == 0)
			options->query.header = false;
		else if (n == 7 && strncmp(word, "nounits", n) == 0)
			options->query.units = false;
		else
			return option_error(given, EXIT_USAGE,
					    "--format: \"%.*s\" is not csv, noheader or nounits",
					    (int)n, word);
		if (word[n] == '\0')
			break;
		word += n + 1;
	}
	return csv ? 0
		   : option_error(given, EXIT_USAGE, "--format=%s: the only form is csv",
				  given->value);
}

static int set_sections(const struct option_given *given, void *member)
{
	const char **sections = member, *list = given->value;

	*sections = list;
	while (true) {
		size_t n = strcspn(list, ",");

		if (!detail_knows_section(list, n))
			return option_error_word(given, list, n);
		if (list[n] == '\0')
			return 0;
		list += n + 1;
	}
}

static int set_json(const struct option_given *given, void *arg)
{
	struct show_options *options = arg;
	int code = option_json(given, &options->json);

	return code ? code : choose(given, options, MODE_JSON);
}

static int add_setting(const struct option_given *given, void *arg)
{
	struct common_options *common = arg;

	if (common->n_settings == MAX_SETTINGS)
		return option_error(given, EXIT_USAGE, "--set: more than %d of them", MAX_SETTINGS);
	common->settings[common->n_settings++] = given->value;
	return 0;
}

static int begin_loop(const struct option_given *given, struct show_options *options,
		      unsigned period_ms)
{
	if (options->loop)
		return option_error(given, EXIT_USAGE, "-l and -lms are mutually exclusive");
	options->loop = true;
	options->period_ms = period_ms;
	return 0;
}

static int set_loop(const struct option_given *given, void *arg)
{
	struct show_options *options = arg;
	int code = begin_loop(given, options, 5000);

	options->bare_l = !given->value && strcmp(given->word, "-l") == 0;
	if (code || !given->value)
		return code;
	return option_seconds(given, &options->period_ms);
}

static int set_loop_ms(const struct option_given *given, void *arg)
{
	struct show_options *options = arg;
	int code = begin_loop(given, options, 1000);

	if (code || !given->value)
		return code;
	return option_number(given, 10, 86400000, &options->period_ms);
}

static int set_help_query(const struct option_given *given, void *arg)
{
	struct show_options *options = arg;

	options->help_kind = (enum query_kind)given->option->choice;
	return choose(given, options, MODE_HELP_QUERY);
}

#define AT(member) offsetof(struct show_options, member)

static const struct option_spec rows[] = {
	/* clang-format off */
	{ "-w --watch", NO_ARGUMENT, NULL,
		"full screen, h shows its keys; into a pipe, the table once per sample",
		option_flag, AT(watch) },
	{ "-r --refresh", ARGUMENT, "MS",
		"refresh period of -w, " REFRESH_RANGE,
		option_refresh, AT(common.refresh_ms) },
	{ "-l --loop", NUMBER_OR_NOTHING, "SEC",
		"print again every SEC seconds (default 5)", set_loop, 0 },
	{ "-lms --loop-ms", NUMBER_OR_NOTHING, "MS",
		"print again every MS milliseconds (default 1000)", set_loop_ms, 0 },
	{ "-n --count", ARGUMENT, "COUNT",
		"end after COUNT samples of -w, -l or -lms", option_count, AT(common.count) },
	{ "-L --list-gpus --list-devices --list -ls", NO_ARGUMENT, NULL,
		"one line per device", set_mode, 0, MODE_LIST },
	{ "-q --query", NO_ARGUMENT, NULL,
		"everything about the devices, with reasons for unknown values", set_mode, 0, MODE_DETAIL },
	{ "-d --display", ARGUMENT, "SECTION,...",
		"only these sections of -q", set_sections, AT(sections), OPTION_VALUES(detail_sections) },
	{ "--json", INLINE_OR_NOTHING, NULL,
		"everything as JSON (default: pretty on a terminal, otherwise on one line)", set_json, 0,
		OPTION_VALUES(json_names) },
	{ "--query-gpu --query-device", ARGUMENT, "FIELD,...",
		"these fields of each device as CSV", set_query, 0, QUERY_DEVICES },
	{ "--query-compute-apps --query-processes", ARGUMENT, "FIELD,...",
		"these fields of each process and device as CSV", set_query, 0, QUERY_PROCESSES },
	{ "--query-accounted-apps", ARGUMENT, "FIELD,...",
		"these fields of each finished process that the allocation server remembers, as CSV",
		set_query, 0, QUERY_ACCOUNTS },
	{ "--format", ARGUMENT, "csv[,noheader][,nounits]",
		"format of the queries", set_format, 0 },
	{ "--help-query-gpu --help-query-device", NO_ARGUMENT, NULL,
		"explain the fields of --query-gpu", set_help_query, 0, QUERY_DEVICES },
	{ "--help-query-compute-apps --help-query-processes", NO_ARGUMENT, NULL,
		"explain the fields of --query-compute-apps", set_help_query, 0, QUERY_PROCESSES },
	{ "--help-query-accounted-apps", NO_ARGUMENT, NULL,
		"explain the fields of --query-accounted-apps", set_help_query, 0, QUERY_ACCOUNTS },
	{ "-s --snapshot", NO_ARGUMENT, NULL,
		"JSON in the layout of the vendor's tt-smi; here -l without a number means --local",
		set_mode, 0, MODE_VENDOR },
	{ "--local", NO_ARGUMENT, NULL,
		"leave out chips without a PCIe interface", option_flag, AT(common.selection.local) },
	{ "-glx_list_tray_to_device --galaxy_6u_list_tray_to_device", NO_ARGUMENT, NULL,
		"the trays of a Galaxy and their devices, as the vendor's tt-smi prints them",
		set_mode, 0, MODE_TRAYS },
	{ "-c --compact --offline --snapshot_no_tty --use_luwen", NO_ARGUMENT, NULL,
		"no effect; accepted for callers of the vendor's tt-smi, like --offline, --snapshot_no_tty and --use_luwen",
		option_ignore, 0 },
	{ "-i --id", ARGUMENT, "DEVICE,...",
		"only these devices: number or range (0, 0-3), PCI address, ASIC id or its prefix, serial number, /dev/tenstorrent/N, tray:N, 0R, all; repeatable",
		option_selection, AT(common.selection) },
	{ "-f --filename", ARGUMENT, "FILE",
		"write to this file instead of standard output; in a loop, append and reopen it after rotation", option_text, AT(file) },
	OPTION_ROOT(AT(common.root)),
	OPTION_COLOR(AT(common.color)),
	OPTION_ASCII(AT(common.ascii)),
	{ "--plain", NO_ARGUMENT, NULL,
		"-w without the full screen: the table, refreshed in place",
		option_flag, AT(common.plain) },
	{ "--read-only", NO_ARGUMENT, NULL,
		"-w without the menu that sends signals", option_flag, AT(common.read_only) },
	{ "--view", ARGUMENT, "VIEW",
		"the view that -w begins with", option_word, AT(common.view), OPTION_VALUES(view_names) },
	{ "--theme", ARGUMENT, "THEME",
		"colours of -w", option_word, AT(common.theme), OPTION_VALUES(theme_names) },
	{ "--set", ARGUMENT, "NAME=VALUE",
		"change a setting of -w for this run, e.g. sort=cpu; repeatable",
		add_setting, AT(common) },
	{ "-h --help", NO_ARGUMENT, NULL, "this help", set_mode, 0, MODE_HELP },
	{ "-V --version -v", NO_ARGUMENT, NULL, "print the version",
		set_mode, 0, MODE_VERSION },
	/* clang-format on */
};

static const struct option_hint hints[] = {
	{ "-x --xml-format", "there is no XML; --json has everything that -q shows" },
	{ "-g -gr --reset --gpu-reset -glx_reset",
	  "this program never resets a device; the vendor's tt-smi -r does" },
};

static const struct option_table table = { rows,  ARRAY_SIZE(rows), "tt_smi", OPERANDS_NONE,
					   hints, ARRAY_SIZE(hints) };

int show_options_find_operand(int argc, char **argv, bool *ret_unknown)
{
	return option_find_operand(&table, argc, argv, ret_unknown);
}

void show_options_help(struct buf *out)
{
	buf_puts(out,
		 "Usage: tt_smi [COMMAND] [OPTION]...\n"
		 "Shows Tenstorrent devices, their readings, and the processes that use them.\n\n"
		 "Commands, each with its own -h:\n");
	commands_help(out);
	buf_puts(out, "\nOptions:\n");
	option_put_help(out, &table);
	buf_puts(out,
		 "\nExamples:\n"
		 "  tt_smi                        the table, once\n"
		 "  tt_smi -w -r 500              full screen, twice per second\n"
		 "  tt_smi mem -d 0               memory of device 0: bars, history, allocations\n"
		 "  tt_smi --json | jq '.devices[].temperature'\n"
		 "  tt_smi --query-gpu=index,memory.used --format=csv,noheader,nounits -l 1\n"
		 "\nExit status: 0 fine; 1 doctor: warnings; 2 wrong usage; 3 not available here;\n"
		 "4 permission denied; 5 doctor: failures; 6 no such device, or none present;\n"
		 "7 wait, run: timed out; 8 select, run: fewer devices are free than\n"
		 "requested; 9 driver not loaded; 15 device lost; 16 no server answers;\n"
		 "74 output not written; run, sim: 126 the command cannot be executed,\n"
		 "127 it does not exist; 255 internal error. The manual page has the details.\n"
		 "\nThis program only reads files: it never opens or resets a device.\n");
}

/* Options that require or exclude others. */
static int check(struct show_options *options)
{
	struct common_options *common = &options->common;

	if (options->mode == MODE_VENDOR && options->bare_l) {
		options->loop = false;
		common->selection.local = true;
	}
	if (common->refresh_ms && !options->watch)
		return error_line(
			EXIT_USAGE,
			"-r MS is the refresh period and needs -w; this program never resets "
			"a board, the vendor's tt-smi -r does");
	if (options->watch && options->loop)
		return error_line(
			EXIT_USAGE,
			"-w and -l or -lms are mutually exclusive: the period of -w is -r MS");
	if (common->count && !options->watch && !options->loop)
		return error_line(EXIT_USAGE, "-n needs -w, -l or -lms");
	if (options->sections && options->mode != MODE_DETAIL)
		return error_line(EXIT_USAGE, "-d needs -q");
	if (options->has_format && options->mode != MODE_QUERY)
		return error_line(EXIT_USAGE, "--format needs a query, e.g. --query-gpu=index");
	if ((common->plain || common->read_only || common->view >= 0 || common->theme >= 0 ||
	     common->n_settings) &&
	    !options->watch)
		return error_line(EXIT_USAGE,
				  "--plain, --read-only, --view, --theme and --set need -w");
	if (options->watch)
		options->period_ms = common->refresh_ms ? common->refresh_ms : REFRESH_MS_DEFAULT;
	return 0;
}

int show_options_parse(struct show_options *options, int argc, char **argv)
{
	int code;

	*options = (struct show_options){ .common = common_options_default(),
					  .query = { .header = true, .units = true } };
	code = options_read(&table, argc, argv, options);
	return code ? code : check(options);
}

void show_options_done(struct show_options *options)
{
	query_done(&options->query);
	common_options_done(&options->common);
}
