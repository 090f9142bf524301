#include "cli/mem_options.h"

#include "cli/exit.h"
#include "cli/say.h"

#include <stdlib.h>

enum id {
	OPT_DEVICE,
	OPT_ALL,
	OPT_REFRESH,
	OPT_COUNT,
	OPT_ONCE,
	OPT_JSON,
	OPT_DUMP,
	OPT_PLAIN,
	OPT_READ_ONLY,
	OPT_ROOT,
	OPT_COLOR,
	OPT_ASCII,
	OPT_HELP,
	N_OPTIONS,
};

/* In the order of the help. */
static const struct option table[N_OPTIONS] = {
	/* clang-format off */
	[OPT_DEVICE] = { "-d --device -i --id", ARGUMENT, "DEVICE",
		"only this one: number or range, PCI address, ASIC id, serial number, as tt_smi -i has it; repeatable" },
	[OPT_ALL] = { "-a --all", NO_ARGUMENT, NULL,
		"all devices (default)" },
	[OPT_REFRESH] = { "-r --refresh", ARGUMENT, "MS",
		"refresh period, 100 to 60000 (default 1000)" },
	[OPT_COUNT] = { "-n --count", ARGUMENT, "COUNT",
		"end after so many samples" },
	[OPT_ONCE] = { "--once", NO_ARGUMENT, NULL,
		"one sample, then end" },
	[OPT_JSON] = { "--json", INLINE_OR_NOTHING, "compact|pretty",
		"a JSON document per sample, with every allocation that may be seen" },
	[OPT_DUMP] = { "--dump", NO_ARGUMENT, NULL,
		"what the allocation server holds, in its own words" },
	[OPT_PLAIN] = { "--plain", NO_ARGUMENT, NULL,
		"on a terminal: refreshed in place instead of the full screen" },
	[OPT_READ_ONLY] = { "--read-only", NO_ARGUMENT, NULL,
		"full screen without signals to processes" },
	[OPT_ROOT] = { "--root", ARGUMENT, "DIR",
		"look for /sys, /proc, /dev and /etc below DIR (also TT_SMI_ROOT)" },
	[OPT_COLOR] = { "--color", ARGUMENT, "auto|always|never",
		"colours (default auto; NO_COLOR is heeded)" },
	[OPT_ASCII] = { "--ascii", NO_ARGUMENT, NULL,
		"no characters beyond ASCII (default where the locale is not UTF-8)" },
	[OPT_HELP] = { "-h --help", NO_ARGUMENT, NULL, "this help" },
	/* clang-format on */
};

void mem_options_help(struct buf *out)
{
	buf_puts(out,
		 "Usage: tt_smi mem [OPTION]...\n"
		 "       allocation_monitor_client [OPTION]...\n"
		 "Shows the memory of Tenstorrent devices: used and total per pool, what it was\n"
		 "in the last ten minutes, who has it, and the allocations that stand out.\n\n");
	for (size_t i = 0; i < N_OPTIONS; i++)
		option_put_help(out, &table[i]);
	buf_puts(out,
		 "\nOn a terminal it is the view of memory of tt_smi -w, until q is pressed; with\n"
		 "-n or --plain it refreshes in place, and into a pipe it writes a block per\n"
		 "sample. Figures come from programs that report themselves (libttalloc), from\n"
		 "the allocation server and the tracer if they run, and from TT-Metal's counters.\n"
		 "\nExamples:\n"
		 "  tt_smi mem -d 0 -r 500        device 0, twice per second\n"
		 "  tt_smi mem --once             all devices, once\n"
		 "  tt_smi mem --once --json | jq '.devices[].processes[].list | length'\n"
		 "\nExit status: as tt_smi; 16 if --dump finds no allocation server.\n");
}

static int apply(void *arg, const struct parsed_option *option)
{
	struct mem_options *options = arg;

	switch ((enum id)option->id) {
	case OPT_DEVICE: return option_selection("-d", option->value, &options->selection);
	case OPT_ALL: options->all = true; return 0;
	case OPT_REFRESH:
		options->has_period = true;
		return option_number("-r", option->value, 100, 60000, &options->period_ms);
	case OPT_COUNT: return option_number("-n", option->value, 1, UINT32_MAX, &options->count);
	case OPT_ONCE: options->once = true; return 0;
	case OPT_JSON: options->json = true; return option_pretty(option->value, &options->pretty);
	case OPT_DUMP: options->dump = true; return 0;
	case OPT_PLAIN: options->plain = true; return 0;
	case OPT_READ_ONLY: options->read_only = true; return 0;
	case OPT_ROOT: options->root = option->value; return 0;
	case OPT_COLOR: return option_color(option->value, &options->color);
	case OPT_ASCII: options->ascii = true; return 0;
	case OPT_HELP: options->help = true; return 0;
	case N_OPTIONS: break;
	}
	return EXIT_INTERNAL;
}

/* What excludes each other. */
static int check(struct mem_options *options)
{
	if (options->all && options->selection.count)
		return say(EXIT_USAGE, "-a and -d exclude each other");
	if (options->once && options->count)
		return say(EXIT_USAGE, "--once and -n exclude each other");
	if (options->dump && options->json)
		return say(EXIT_USAGE, "--dump is text: it and --json exclude each other");
	if (options->once)
		options->count = 1;
	return 0;
}

int mem_options_parse(struct mem_options *options, int argc, char **argv)
{
	int r;

	*options = (struct mem_options){ .root = getenv("TT_SMI_ROOT"), .period_ms = 1000 };
	r = options_each(table, N_OPTIONS, "tt_smi mem", argc, argv, apply, options);
	if (options->root && !options->root[0])
		options->root = NULL;
	return r ? r : check(options);
}

void mem_options_done(struct mem_options *options)
{
	selection_done(&options->selection);
}
