#include "cli/mem_options.h"

#include "basic/exit_code.h"
#include "cli/error_line.h"
#include "render/screen_names.h"

#define AT(member) offsetof(struct mem_options, member)

static const struct option_spec rows[] = {
	/* clang-format off */
	{ "-d --device -i --id", ARGUMENT, "DEVICE",
		"only this device: number or range, PCI address, ASIC id, serial number, as for tt_smi -i; repeatable",
		option_selection, AT(common.selection) },
	{ "-a --all", NO_ARGUMENT, NULL,
		"all devices (default)", option_flag, AT(all) },
	{ "-r --refresh", ARGUMENT, "MS",
		"refresh period, " REFRESH_RANGE, option_refresh, AT(common.refresh_ms) },
	{ "-n --count", ARGUMENT, "COUNT",
		"end after COUNT samples", option_count, AT(common.count) },
	{ "--once", NO_ARGUMENT, NULL,
		"one sample, then end", option_flag, AT(once) },
	{ "--json", INLINE_OR_NOTHING, NULL,
		"a JSON document per sample, with every allocation that the user may see",
		option_json, AT(json),
		OPTION_VALUES(json_names) },
	{ "--dump", NO_ARGUMENT, NULL,
		"print the tables of the allocation server", option_flag, AT(dump) },
	{ "--plain", NO_ARGUMENT, NULL,
		"on a terminal: refresh in place instead of the full screen",
		option_flag, AT(common.plain) },
	{ "--read-only", NO_ARGUMENT, NULL,
		"full screen without the menu that sends signals", option_flag, AT(common.read_only) },
	OPTION_ROOT(AT(common.root)),
	OPTION_COLOR(AT(common.color)),
	OPTION_ASCII(AT(common.ascii)),
	OPTION_HELP(AT(help)),
	/* clang-format on */
};

static const struct option_table table = { rows, ARRAY_SIZE(rows), "tt_smi mem" };

void mem_options_help(struct buf *out)
{
	buf_puts(out,
		 "Usage: tt_smi mem [OPTION]...\n"
		 "       allocation_monitor_client [OPTION]...\n"
		 "Shows the memory of Tenstorrent devices: used and total per pool, the last ten\n"
		 "minutes, the processes that use it, the largest and the oldest allocations.\n\n");
	option_put_help(out, &table);
	buf_puts(out,
		 "\nOn a terminal it opens the memory view of tt_smi -w, until q is pressed; with\n"
		 "-n or --plain it refreshes in place, and into a pipe it writes a block per\n"
		 "sample. Figures come from programs that report them (libttalloc), from\n"
		 "the allocation server and the tracer if they run, and from TT-Metal's counters.\n"
		 "\nExamples:\n"
		 "  tt_smi mem -d 0 -r 500        device 0, twice per second\n"
		 "  tt_smi mem --once             all devices, once\n"
		 "  tt_smi mem --once --json | jq '.devices[].processes[].list | length'\n"
		 "\nExit status: as tt_smi; 16 if --dump finds no allocation server.\n");
}

/* Options that are mutually exclusive. */
static int check(struct mem_options *options)
{
	struct common_options *common = &options->common;

	if (options->all && common->selection.count)
		return error_line(EXIT_USAGE, "-a and -d are mutually exclusive");
	if (options->once && common->count)
		return error_line(EXIT_USAGE, "--once and -n are mutually exclusive");
	if (options->dump && options->json)
		return error_line(EXIT_USAGE, "--dump and --json are mutually exclusive");
	if (options->once)
		common->count = 1;
	options->period_ms = common->refresh_ms ? common->refresh_ms : REFRESH_MS_DEFAULT;
	return 0;
}

int mem_options_parse(struct mem_options *options, int argc, char **argv)
{
	int code;

	*options = (struct mem_options){ .common = common_options_default() };
	options->common.view = VIEW_MEMORY;
	code = options_read(&table, argc, argv, options);
	return code ? code : check(options);
}

void mem_options_done(struct mem_options *options)
{
	common_options_done(&options->common);
}
