#include "cli/options.h"

#include "basic/parse.h"
#include "basic/text.h"
#include "cli/exit.h"
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
	OPT_FORMAT,
	OPT_HELP_GPU,
	OPT_HELP_APPS,
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
	N_OPTIONS,
};

enum argument { NO_ARGUMENT, ARGUMENT, NUMBER_OR_NOTHING, INLINE_OR_NOTHING };

static const struct option {
	const char *names; /* separated by blanks; the first two are in the help */
	enum argument argument;
	const char *argument_name;
	const char *help;
} table[N_OPTIONS] = {
	/* clang-format off */
	[OPT_WATCH] = { "-w --watch", NO_ARGUMENT, NULL,
		"refresh in place until interrupted; into a pipe, one block per sample" },
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
	[OPT_FORMAT] = { "--format", ARGUMENT, "csv[,noheader][,nounits]",
		"form of the queries" },
	[OPT_HELP_GPU] = { "--help-query-gpu --help-query-device", NO_ARGUMENT, NULL,
		"explain the fields of --query-gpu" },
	[OPT_HELP_APPS] = { "--help-query-compute-apps --help-query-processes", NO_ARGUMENT, NULL,
		"explain the fields of --query-compute-apps" },
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
	[OPT_HELP] = { "-h --help", NO_ARGUMENT, NULL, "this help" },
	[OPT_VERSION] = { "-V --version -v", NO_ARGUMENT, NULL, "print the version" },
	/* clang-format on */
};

static const enum id help_order[] = {
	OPT_WATCH,    OPT_REFRESH,   OPT_LOOP,	   OPT_LOOP_MS,	  OPT_COUNT,	  OPT_LIST,
	OPT_DETAIL,   OPT_SECTIONS,  OPT_JSON,	   OPT_QUERY_GPU, OPT_QUERY_APPS, OPT_FORMAT,
	OPT_HELP_GPU, OPT_HELP_APPS, OPT_SNAPSHOT, OPT_ID,	  OPT_FILE,	  OPT_ROOT,
	OPT_COLOR,    OPT_ASCII,     OPT_HELP,	   OPT_VERSION,
};

_Static_assert(ARRAY_SIZE(help_order) == N_OPTIONS, "every option is in the help");

enum { HELP_AT = 30, HELP_WIDTH = 78 };

/* Breaks a help text at blanks so that it stays within the width. */
static void put_wrapped(struct buf *out, const char *text)
{
	size_t at = HELP_AT;

	while (*text) {
		size_t length = strcspn(text, " "), width = text_width(text, length);

		if (at > HELP_AT && at + 1 + width > HELP_WIDTH) {
			buf_putc(out, '\n');
			buf_fill(out, ' ', HELP_AT);
			at = HELP_AT;
		} else if (at > HELP_AT) {
			buf_putc(out, ' ');
			at++;
		}
		buf_add(out, text, length);
		at += width;
		text += length;
		text += strspn(text, " ");
	}
	buf_putc(out, '\n');
}

static void put_names(struct buf *out, const struct option *option)
{
	const char *second = strchr(option->names, ' ');
	bool long_only = strncmp(option->names, "--", 2) == 0;

	buf_printf(out, "%s%.*s", long_only ? "      " : "  ", (int)strcspn(option->names, " "),
		   option->names);
	if (second && !long_only)
		buf_printf(out, ", %.*s", (int)strcspn(second + 1, " "), second + 1);
	if (option->argument == ARGUMENT)
		buf_printf(out, " %s", option->argument_name);
	else if (option->argument == NUMBER_OR_NOTHING)
		buf_printf(out, " [%s]", option->argument_name);
	else if (option->argument == INLINE_OR_NOTHING)
		buf_printf(out, "[=%s]", option->argument_name);
}

static void put_option(struct buf *out, const struct option *option)
{
	CLEANUP_BUF struct buf names = { 0 };
	size_t width;

	put_names(&names, option);
	width = text_width(buf_text(&names), names.length);
	buf_puts(out, buf_text(&names));
	if (width + 2 > HELP_AT) {
		buf_putc(out, '\n');
		width = 0;
	}
	buf_fill(out, ' ', HELP_AT - width);
	put_wrapped(out, option->help);
}

void options_help(struct buf *out)
{
	buf_puts(out,
		 "Usage: tt_smi [OPTION]...\n"
		 "Shows Tenstorrent devices, their readings, and which process holds what.\n\n");
	for (size_t i = 0; i < ARRAY_SIZE(help_order); i++)
		put_option(out, &table[help_order[i]]);
	buf_puts(
		out,
		"\nExamples:\n"
		"  tt_smi                        the table, once\n"
		"  tt_smi -w -r 500              the table, twice per second\n"
		"  tt_smi --json | jq '.devices[].temperature'\n"
		"  tt_smi --query-gpu=index,memory.used --format=csv,noheader,nounits -l 1\n"
		"\nExit status: 0 fine; 2 usage; 4 permission; 6 no such device, or none present;\n"
		"9 driver not loaded; 15 device lost; 74 output not written; 255 internal error.\n"
		"\nThis program reads files only: it never opens or resets a device.\n");
}

/* Is this word among an option's names? */
static bool has_name(const struct option *option, const char *word, size_t length)
{
	const char *name = option->names;

	while (*name) {
		size_t n = strcspn(name, " ");

		if (n == length && strncmp(name, word, length) == 0)
			return true;
		name += n;
		name += *name == ' ';
	}
	return false;
}

static int find_option(const char *word, size_t length)
{
	for (int i = 0; i < N_OPTIONS; i++)
		if (has_name(&table[i], word, length))
			return i;
	return -1;
}

static bool is_number(const char *text)
{
	return text && text[0] && strspn(text, "0123456789.") == strlen(text);
}

/*
 * Splits one word: "--name=value", "-n5", or a name whose value is the next word.
 * -1: no such option.
 */
static int split_word(const char *word, const char *next, const char **ret_value,
		      bool *ret_took_next)
{
	const char *equals = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;
	size_t length = equals ? (size_t)(equals - word) : strlen(word);
	int id = find_option(word, length);

	*ret_value = equals ? equals + 1 : NULL;
	*ret_took_next = false;
	if (id < 0 && !equals && word[0] == '-' && word[1] != '-') {
		/* -lms500 before -l5 */
		for (size_t n = strlen(word) - 1; id < 0 && n >= 2; n--) {
			id = find_option(word, n);
			if (id >= 0 &&
			    (table[id].argument == NO_ARGUMENT ||
			     (table[id].argument == NUMBER_OR_NOTHING && !is_number(word + n))))
				id = -1;
			*ret_value = word + n;
		}
		return id;
	}
	if (id < 0 || equals)
		return id;
	if (table[id].argument == ARGUMENT ||
	    (table[id].argument == NUMBER_OR_NOTHING && is_number(next))) {
		*ret_value = next;
		*ret_took_next = next != NULL;
	}
	return id;
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
			   kind == QUERY_DEVICES ? "query-gpu" : "query-compute-apps");
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

static int set_number(const char *what, const char *text, unsigned low, unsigned high,
		      unsigned *ret)
{
	uint32_t number;

	if (parse_u32(text, &number) < 0 || number < low || number > high)
		return say(EXIT_USAGE, "%s: \"%s\" is not a number from %u to %u", what, text, low,
			   high);
	*ret = number;
	return 0;
}

/* Seconds, a fraction allowed: -l 0.5 */
static int set_seconds(const char *text, unsigned *ret_ms)
{
	char *end;
	double seconds = strtod(text, &end);

	if (!is_number(text) || *end || seconds < 0.01 || seconds > 86400)
		return say(EXIT_USAGE, "-l: \"%s\" is not a number of seconds from 0.01 to 86400",
			   text);
	*ret_ms = (unsigned)(seconds * 1000 + 0.5);
	return 0;
}

static int set_json(struct options *options, const char *value)
{
	if (value && strcmp(value, "compact") == 0)
		options->pretty = PRETTY_NO;
	else if (value && strcmp(value, "pretty") == 0)
		options->pretty = PRETTY_YES;
	else if (value)
		return say(EXIT_USAGE, "--json: \"%s\" is neither compact nor pretty", value);
	return set_mode(options, MODE_JSON, "--json");
}

static int set_color(struct options *options, const char *value)
{
	if (strcmp(value, "auto") == 0)
		options->color = COLOR_AUTO;
	else if (strcmp(value, "always") == 0)
		options->color = COLOR_ALWAYS;
	else if (strcmp(value, "never") == 0)
		options->color = COLOR_NEVER;
	else
		return say(EXIT_USAGE, "--color: \"%s\" is not auto, always or never", value);
	return 0;
}

static int set_selection(struct options *options, const char *value)
{
	int r = selection_add(&options->selection, value);

	if (r == -EINVAL)
		return say(EXIT_USAGE, "-i: an empty device name in \"%s\"", value);
	return r < 0 ? say(EXIT_INTERNAL, "out of memory") : 0;
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
	return value ? set_number("-lms", value, 10, 86400000, &options->period_ms) : 0;
}

static int set_help_query(struct options *options, enum query_kind kind, const char *word)
{
	options->help_kind = kind;
	return set_mode(options, MODE_HELP_QUERY, word);
}

/* What an option does; value is there if it must be. */
static int apply(struct options *options, enum id id, const char *word, const char *value,
		 unsigned *refresh_ms)
{
	switch (id) {
	case OPT_HELP: return set_mode(options, MODE_HELP, word);
	case OPT_VERSION: return set_mode(options, MODE_VERSION, word);
	case OPT_LIST: return set_mode(options, MODE_LIST, word);
	case OPT_DETAIL: return set_mode(options, MODE_DETAIL, word);
	case OPT_SECTIONS: return set_sections(options, value);
	case OPT_JSON: return set_json(options, value);
	case OPT_QUERY_GPU: return set_query(options, QUERY_DEVICES, word, value);
	case OPT_QUERY_APPS: return set_query(options, QUERY_PROCESSES, word, value);
	case OPT_FORMAT: return set_format(options, value);
	case OPT_HELP_GPU: return set_help_query(options, QUERY_DEVICES, word);
	case OPT_HELP_APPS: return set_help_query(options, QUERY_PROCESSES, word);
	case OPT_SNAPSHOT: return set_mode(options, MODE_VENDOR, word);
	case OPT_WATCH: options->watch = true; return 0;
	case OPT_REFRESH: return set_number("-r", value, 100, 60000, refresh_ms);
	case OPT_LOOP:
	case OPT_LOOP_MS: return set_loop(options, id, value);
	case OPT_COUNT: return set_number("-n", value, 1, UINT32_MAX, &options->count);
	case OPT_FILE: options->file = value; return 0;
	case OPT_ID: return set_selection(options, value);
	case OPT_ROOT: options->root = value; return 0;
	case OPT_COLOR: return set_color(options, value);
	case OPT_ASCII: options->ascii = true; return 0;
	case N_OPTIONS: break;
	}
	return EXIT_INTERNAL;
}

/* What only makes sense together. */
static int check(struct options *options, bool has_format, unsigned refresh_ms)
{
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
	if (has_format && options->mode != MODE_QUERY)
		return say(EXIT_USAGE, "--format belongs to --query-gpu or --query-compute-apps");
	if (options->watch)
		options->period_ms = refresh_ms ? refresh_ms : 1000;
	return 0;
}

int options_parse(struct options *options, int argc, char **argv)
{
	unsigned refresh_ms = 0;
	bool has_format = false;
	int r;

	*options = (struct options){ .root = getenv("TT_SMI_ROOT") };
	options->query.header = options->query.units = true;
	for (int i = 1; i < argc; i++) {
		const char *value;
		bool took_next;
		int id = argv[i][0] == '-' ? split_word(argv[i], argv[i + 1], &value, &took_next)
					   : -1;

		if (id < 0)
			return say(EXIT_USAGE, "%s \"%s\"; tt_smi -h lists the options",
				   argv[i][0] == '-' ? "unknown option" : "unexpected argument",
				   argv[i]);
		if (table[id].argument == ARGUMENT && !value)
			return say(EXIT_USAGE, "%s wants %s", argv[i], table[id].argument_name);
		if (table[id].argument == NO_ARGUMENT && value)
			return say(EXIT_USAGE, "%s takes no value", argv[i]);
		has_format |= id == OPT_FORMAT;
		r = apply(options, id, argv[i], value, &refresh_ms);
		if (r)
			return r;
		i += took_next;
	}
	if (options->root && !options->root[0])
		options->root = NULL;
	return check(options, has_format, refresh_ms);
}

void options_done(struct options *options)
{
	query_done(&options->query);
	selection_done(&options->selection);
}
