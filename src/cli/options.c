#include "cli/options.h"

#include "cli/command.h"
#include "cli/exit.h"
#include "cli/option.h"
#include "cli/say.h"
#include "render/render.h"

#include <errno.h>
#include <string.h>

enum id {
	OPT_HELP,
	OPT_VERSION,
	OPT_LIST,
	OPT_DETAIL,
	OPT_SECTIONS,
	OPT_JSON,
	OPT_QUERY_GPU,
	OPT_QUERY_APPS,
	OPT_QUERY_ACCOUNTS,
	OPT_FORMAT,
	OPT_HELP_GPU,
	OPT_HELP_APPS,
	OPT_HELP_ACCOUNTS,
	OPT_SNAPSHOT,
	OPT_WATCH,
	OPT_REFRESH,
	OPT_LOOP,
	OPT_LOOP_MS,
	OPT_COUNT,
	OPT_FILE,
	OPT_ID,
	OPT_ROOT,
	OPT_COLOR,
	OPT_ASCII,
	OPT_PLAIN,
	OPT_READ_ONLY,
	OPT_VIEW,
	OPT_THEME,
	OPT_SET,
	N_OPTIONS,
};

static const struct option table[N_OPTIONS] = {
	/* clang-format off */
	[OPT_WATCH] = { "-w --watch", NO_ARGUMENT, NULL,
		"full screen, h for its keys; into a pipe, the table once per sample" },
	[OPT_REFRESH] = { "-r --refresh", ARGUMENT, "MS",
		"refresh period of -w, 100 to 60000 (default 1000)" },
	[OPT_LOOP] = { "-l --loop", NUMBER_OR_NOTHING, "SEC",
		"print again every SEC seconds (default 5)" },
	[OPT_LOOP_MS] = { "-lms --loop-ms", NUMBER_OR_NOTHING, "MS",
		"print again every MS milliseconds (default 1000)" },
	[OPT_COUNT] = { "-n --count", ARGUMENT, "COUNT",
		"end after so many samples of -w, -l or -lms" },
	[OPT_LIST] = { "-L --list-gpus --list-devices --list -ls", NO_ARGUMENT, NULL,
		"one line per device" },
	[OPT_DETAIL] = { "-q --query", NO_ARGUMENT, NULL,
		"everything that is known, with reasons for what is not" },
	[OPT_SECTIONS] = { "-d --display", ARGUMENT, "SECTION,...",
		"sections of -q: IDENTITY PCIE TEMPERATURE POWER CLOCK FIRMWARE HEALTH MEMORY UTILIZATION PIDS" },
	[OPT_JSON] = { "--json", INLINE_OR_NOTHING, "compact|pretty",
		"everything as JSON (pretty on a terminal, else one line)" },
	[OPT_QUERY_GPU] = { "--query-gpu --query-device", ARGUMENT, "FIELD,...",
		"these fields of each device as CSV" },
	[OPT_QUERY_APPS] = { "--query-compute-apps --query-processes", ARGUMENT, "FIELD,...",
		"these fields of each process and device as CSV" },
	[OPT_QUERY_ACCOUNTS] = { "--query-accounted-apps", ARGUMENT, "FIELD,...",
		"these fields of each finished process that the allocation server remembers, as CSV" },
	[OPT_FORMAT] = { "--format", ARGUMENT, "csv[,noheader][,nounits]",
		"form of the queries" },
	[OPT_HELP_GPU] = { "--help-query-gpu --help-query-device", NO_ARGUMENT, NULL,
		"explain the fields of --query-gpu" },
	[OPT_HELP_APPS] = { "--help-query-compute-apps --help-query-processes", NO_ARGUMENT, NULL,
		"explain the fields of --query-compute-apps" },
	[OPT_HELP_ACCOUNTS] = { "--help-query-accounted-apps", NO_ARGUMENT, NULL,
		"explain the fields of --query-accounted-apps" },
	[OPT_SNAPSHOT] = { "-s --snapshot", NO_ARGUMENT, NULL,
		"JSON in the layout of the vendor's tt-smi" },
	[OPT_ID] = { "-i --id", ARGUMENT, "DEVICE,...",
		"only these: number or range (0, 0-3), PCI address, ASIC id or its beginning, serial number, /dev/tenstorrent/N, tray:N, 0R, all; repeatable" },
	[OPT_FILE] = { "-f --filename", ARGUMENT, "FILE",
		"write there instead of standard output" },
	[OPT_ROOT] = { "--root", ARGUMENT, "DIR",
		"look for /sys, /proc, /dev and /etc below DIR (also TT_SMI_ROOT)" },
	[OPT_COLOR] = { "--color", ARGUMENT, "auto|always|never",
		"colours in the table (default auto; NO_COLOR is heeded)" },
	[OPT_ASCII] = { "--ascii", NO_ARGUMENT, NULL,
		"no characters beyond ASCII (default where the locale is not UTF-8)" },
	[OPT_PLAIN] = { "--plain", NO_ARGUMENT, NULL,
		"-w without the full screen: the table, refreshed in place" },
	[OPT_READ_ONLY] = { "--read-only", NO_ARGUMENT, NULL,
		"-w without the menu that sends signals" },
	[OPT_VIEW] = { "--view", ARGUMENT, "VIEW",
		"-w begins with overview, grid, processes, memory or device" },
	[OPT_THEME] = { "--theme", ARGUMENT, "THEME",
		"colours of -w: default, colorblind, light or mono" },
	[OPT_SET] = { "--set", ARGUMENT, "NAME=VALUE",
		"any setting of -w for this once, e.g. sort=cpu; may be given again" },
	[OPT_HELP] = { "-h --help", NO_ARGUMENT, NULL, "this help" },
	[OPT_VERSION] = { "-V --version -v", NO_ARGUMENT, NULL, "print the version" },
	/* clang-format on */
};

static const enum id help_order[] = {
	OPT_WATCH,    OPT_REFRESH,   OPT_LOOP,	     OPT_LOOP_MS,
	OPT_COUNT,    OPT_LIST,	     OPT_DETAIL,     OPT_SECTIONS,
	OPT_JSON,     OPT_QUERY_GPU, OPT_QUERY_APPS, OPT_QUERY_ACCOUNTS,
	OPT_FORMAT,   OPT_HELP_GPU,  OPT_HELP_APPS,  OPT_HELP_ACCOUNTS,
	OPT_SNAPSHOT, OPT_ID,	     OPT_FILE,	     OPT_ROOT,
	OPT_COLOR,    OPT_ASCII,     OPT_PLAIN,	     OPT_READ_ONLY,
	OPT_VIEW,     OPT_THEME,     OPT_SET,	     OPT_HELP,
	OPT_VERSION,
};

_Static_assert(ARRAY_SIZE(help_order) == N_OPTIONS, "every option is in the help");

void options_help(struct buf *out)
{
	buf_puts(out, "Usage: tt_smi [COMMAND] [OPTION]...\n"
		      "Shows Tenstorrent devices, their readings, and which process holds what.\n\n"
		      "Commands, each with its own -h:\n");
	commands_help(out);
	buf_puts(out, "\nOptions:\n");
	for (size_t i = 0; i < ARRAY_SIZE(help_order); i++)
		option_put_help(out, &table[help_order[i]]);
	buf_puts(out,
		 "\nExamples:\n"
		 "  tt_smi                        the table, once\n"
		 "  tt_smi -w -r 500              full screen, twice per second\n"
		 "  tt_smi mem -d 0               memory of device 0: bars, history, allocations\n"
		 "  tt_smi --json | jq '.devices[].temperature'\n"
		 "  tt_smi --query-gpu=index,memory.used --format=csv,noheader,nounits -l 1\n"
		 "\nExit status: 0 fine; 1 tt_smi doctor found something to mend; 2 usage;\n"
		 "3 not available here; 4 permission;\n"
		 "6 no such device, or none present; 9 driver not loaded; 15 device lost;\n"
		 "16 no allocation server; 74 output not written; 255 internal error;\n"
		 "126, 127 run: the command cannot be executed, is not there.\n"
		 "\nThis program reads files only: it never opens or resets a device.\n");
}

static int set_mode(struct options *options, enum mode mode, const char *word)
{
	if (options->mode_name && options->mode != mode)
		return say(EXIT_USAGE, "%s and %s exclude each other", options->mode_name, word);
	if (options->mode_name && mode == MODE_QUERY)
		return say(EXIT_USAGE, "one query at a time: %s and %s", options->mode_name, word);
	options->mode = mode;
	options->mode_name = word;
	return 0;
}

static int set_query(struct options *options, enum query_kind kind, const char *word,
		     const char *fields)
{
	bool header = options->query.header, units = options->query.units;
	CLEANUP_FREE char *bad = NULL;
	const char *near;
	int r;

	r = set_mode(options, MODE_QUERY, word);
	if (r)
		return r;
	r = query_parse(kind, fields, &options->query, &bad);
	if (r == -ENOMEM)
		return say(EXIT_INTERNAL, "out of memory");
	if (r < 0 && bad[0] == '\0')
		return say(EXIT_USAGE, "%s: an empty field name", word);
	if (r < 0) {
		near = query_suggest(kind, bad);
		return say(EXIT_USAGE, "unknown field \"%s\"%s%s%s; --help-%s lists them", bad,
			   near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "",
			   query_names[kind]);
	}
	options->query.header = header;
	options->query.units = units;
	return 0;
}

static int set_format(struct options *options, const char *text)
{
	const char *word = text;
	bool csv = false;

	while (true) {
		size_t n = strcspn(word, ",");

		if (n == 3 && strncmp(word, "csv", n) == 0)
			csv = true;
		else if (n == 8 && strncmp(word, "noheader", n) == 0)
			options->query.header = false;
		else if (n == 7 && strncmp(word, "nounits", n) == 0)
			options->query.units = false;
		else
			return say(EXIT_USAGE, "--format: \"%.*s\" is not csv, noheader or nounits",
				   (int)n, word);
		if (word[n] == '\0')
			break;
		word += n + 1;
	}
	return csv ? 0 : say(EXIT_USAGE, "--format=%s: the only form is csv", text);
}

static int set_sections(struct options *options, const char *list)
{
	options->sections = list;
	while (true) {
		size_t n = strcspn(list, ",");

		if (!detail_knows_section(list, n))
			return say(EXIT_USAGE, "-d: no section \"%.*s\"; there are %s", (int)n,
				   list, detail_sections());
		if (list[n] == '\0')
			return 0;
		list += n + 1;
	}
}

/* Seconds, a fraction allowed: -l 0.5 */
static int set_seconds(const char *text, unsigned *ret_ms)
{
	char *end;
	double seconds = strtod(text, &end);

	if (!option_is_number(text) || *end || seconds < 0.01 || seconds > 86400)
		return say(EXIT_USAGE, "-l: \"%s\" is not a number of seconds from 0.01 to 86400",
			   text);
	*ret_ms = (unsigned)(seconds * 1000 + 0.5);
	return 0;
}

static int set_json(struct options *options, const char *value)
{
	int r = option_pretty(value, &options->pretty);

	return r ? r : set_mode(options, MODE_JSON, "--json");
}

static int add_setting(struct options *options, const char *value)
{
	if (options->n_settings == MAX_SETTINGS)
		return say(EXIT_USAGE, "--set: more than %d of them", MAX_SETTINGS);
	options->settings[options->n_settings++] = value;
	return 0;
}

static int set_loop(struct options *options, enum id id, const char *value)
{
	if (options->loop)
		return say(EXIT_USAGE, "-l and -lms exclude each other");
	options->loop = true;
	if (id == OPT_LOOP)
		return value ? set_seconds(value, &options->period_ms)
			     : (options->period_ms = 5000, 0);
	options->period_ms = 1000;
	return value ? option_number("-lms", value, 10, 86400000, &options->period_ms) : 0;
}

static int set_help_query(struct options *options, enum query_kind kind, const char *word)
{
	options->help_kind = kind;
	return set_mode(options, MODE_HELP_QUERY, word);
}

/* The options, and what is forgotten once they are checked. */
struct parse {
	struct options *options;
	unsigned refresh_ms; /* 0: not given */
	bool has_format;
};

/* What an option does. */
static int apply(void *arg, const struct parsed_option *option)
{
	struct parse *parse = arg;
	struct options *options = parse->options;
	const char *word = option->word, *value = option->value;
	enum id id = (enum id)option->id;

	switch (id) {
	case OPT_HELP: return set_mode(options, MODE_HELP, word);
	case OPT_VERSION: return set_mode(options, MODE_VERSION, word);
	case OPT_LIST: return set_mode(options, MODE_LIST, word);
	case OPT_DETAIL: return set_mode(options, MODE_DETAIL, word);
	case OPT_SECTIONS: return set_sections(options, value);
	case OPT_JSON: return set_json(options, value);
	case OPT_QUERY_GPU: return set_query(options, QUERY_DEVICES, word, value);
	case OPT_QUERY_APPS: return set_query(options, QUERY_PROCESSES, word, value);
	case OPT_QUERY_ACCOUNTS: return set_query(options, QUERY_ACCOUNTS, word, value);
	case OPT_FORMAT: parse->has_format = true; return set_format(options, value);
	case OPT_HELP_GPU: return set_help_query(options, QUERY_DEVICES, word);
	case OPT_HELP_APPS: return set_help_query(options, QUERY_PROCESSES, word);
	case OPT_HELP_ACCOUNTS: return set_help_query(options, QUERY_ACCOUNTS, word);
	case OPT_SNAPSHOT: return set_mode(options, MODE_VENDOR, word);
	case OPT_WATCH: options->watch = true; return 0;
	case OPT_REFRESH: return option_number("-r", value, 100, 60000, &parse->refresh_ms);
	case OPT_LOOP:
	case OPT_LOOP_MS: return set_loop(options, id, value);
	case OPT_COUNT: return option_number("-n", value, 1, UINT32_MAX, &options->count);
	case OPT_FILE: options->file = value; return 0;
	case OPT_ID: return option_selection("-i", value, &options->selection);
	case OPT_ROOT: options->root = value; return 0;
	case OPT_COLOR: return option_color(value, &options->color);
	case OPT_ASCII: options->ascii = true; return 0;
	case OPT_PLAIN: options->plain = true; return 0;
	case OPT_READ_ONLY: options->read_only = true; return 0;
	case OPT_VIEW: options->view = value; return 0;
	case OPT_THEME: options->theme = value; return 0;
	case OPT_SET: return add_setting(options, value);
	case N_OPTIONS: break;
	}
	return EXIT_INTERNAL;
}

/* What only makes sense together. */
static int check(const struct parse *parse)
{
	struct options *options = parse->options;
	unsigned refresh_ms = parse->refresh_ms;

	if (refresh_ms && !options->watch)
		return say(EXIT_USAGE, "-r MS is the refresh period of -w and does nothing alone; "
				       "resetting boards is the vendor's tt-smi -r, never this "
				       "program's");
	if (options->watch && options->loop)
		return say(EXIT_USAGE, "-w has its own period (-r MS): leave out -l or -lms");
	if (options->count && !options->watch && !options->loop)
		return say(EXIT_USAGE,
			   "-n counts samples of -w, -l or -lms: one of them is missing");
	if (options->sections && options->mode != MODE_DETAIL)
		return say(EXIT_USAGE, "-d chooses sections of -q: -q is missing");
	if (parse->has_format && options->mode != MODE_QUERY)
		return say(EXIT_USAGE, "--format belongs to a query: --query-gpu for instance");
	if ((options->plain || options->read_only || options->view || options->theme ||
	     options->n_settings) &&
	    !options->watch)
		return say(EXIT_USAGE, "--plain, --read-only, --view, --theme and --set belong to "
				       "-w: -w is missing");
	if (options->watch)
		options->period_ms = refresh_ms ? refresh_ms : 1000;
	options->has_period = refresh_ms != 0;
	return 0;
}

int options_parse(struct options *options, int argc, char **argv)
{
	struct parse parse = { .options = options };
	int r;

	*options = (struct options){ .root = getenv("TT_SMI_ROOT") };
	options->query.header = options->query.units = true;
	r = options_each(table, N_OPTIONS, "tt_smi", argc, argv, apply, &parse);
	if (options->root && !options->root[0])
		options->root = NULL;
	return r ? r : check(&parse);
}

void options_done(struct options *options)
{
	query_done(&options->query);
	selection_done(&options->selection);
}
