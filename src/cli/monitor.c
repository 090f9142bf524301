#include "cli/monitor.h"

#include "basic/exit_code.h"
#include "cli/output.h"
#include "cli/show.h"
#include "cli/show_options.h"

#include <string.h>

static int set_groups(const struct option_given *given, void *arg)
{
	struct monitor *monitor = arg;
	const char *groups = monitor_groups(monitor->kind);
	size_t known = strspn(given->value, groups);

	if (given->value[known])
		return option_error(given, EXIT_USAGE, "-s: no group \"%c\"; the groups are %s",
				    given->value[known], groups);
	if (!known)
		return option_error(given, EXIT_USAGE, "-s: no group is given; the groups are %s",
				    groups);
	monitor->groups = given->value;
	return 0;
}

static int set_time(const struct option_given *given, void *arg)
{
	struct monitor *monitor = arg;

	for (const char *letter = given->value; *letter; letter++) {
		if (*letter == 'D')
			monitor->date = true;
		else if (*letter == 'T')
			monitor->time = true;
		else
			return option_error(given, EXIT_USAGE, "-o: \"%s\" is not D, T or DT",
					    given->value);
	}
	return 0;
}

#define AT(member) offsetof(struct show_options, member)

#define DMON_GROUPS                                                                          \
	"groups of columns (default puc): p power and temperature, u utilisation, c clock, " \
	"m memory, t PCIe traffic, e errors, v violations (always \"-\"), x bound of sm, "   \
	"programs, quiet time, L1"
#define PMON_GROUPS                                                                               \
	"groups of columns (default u): u utilisation, m memory, x bound of sm, programs, quiet " \
	"time, L1"

/* clang-format off */
#define ROWS(groups) { \
	OPTION_DEVICES(AT(common.selection)), \
	{ "-s --select", ARGUMENT, "GROUPS", groups, set_groups, AT(monitor) }, \
	{ "-d --delay", ARGUMENT, "SEC", \
		"seconds between samples, 0.01 to 86400 (default 1)", option_seconds, AT(period_ms) }, \
	{ "-c --count", ARGUMENT, "COUNT", "end after COUNT samples", option_count, AT(common.count) }, \
	{ "-o --options", ARGUMENT, "D|T|DT", \
		"date, time or both before each line", set_time, AT(monitor) }, \
	{ "-f --filename", ARGUMENT, "FILE", \
		"append to this file instead of writing to standard output", option_text, AT(file) }, \
	OPTION_ROOT(AT(common.root)), \
	OPTION_HELP(AT(help)), \
}
/* clang-format on */

static const struct option_spec dmon_rows[] = ROWS(DMON_GROUPS);
static const struct option_spec pmon_rows[] = ROWS(PMON_GROUPS);

static const struct {
	struct option_table table;
	const char *help;
	enum mode mode;
} commands[MONITOR_N] = {
	[MONITOR_DEVICES] = { { dmon_rows, ARRAY_SIZE(dmon_rows), "tt_smi dmon" },
			      "Prints a line per device for every sample, with the columns of "
			      "nvidia-smi dmon.\n",
			      MODE_DMON },
	[MONITOR_PROCESSES] = { { pmon_rows, ARRAY_SIZE(pmon_rows), "tt_smi pmon" },
				"Prints a line per process and device for every sample, with the "
				"columns of\nnvidia-smi pmon; type C is a job, M a monitor.\n",
				MODE_PMON },
};

static int print_help(enum monitor_kind kind)
{
	const struct option_table *table = &commands[kind].table;
	CLEANUP_BUF struct buf text = { 0 };

	buf_printf(&text, "Usage: %s [OPTION]...\n%s\n", table->command, commands[kind].help);
	option_put_help(&text, table);
	buf_puts(&text,
		 "\nsm is the share of time in which a program ran, mem the share of DRAM that is\n"
		 "used; \"-\" is unknown, or has no meaning for these devices. fb and mem only\n"
		 "count tracked processes; tt_smi shows whether there are others.\n"
		 "\nExit status: as tt_smi.\n");
	return output_print(&text);
}

static int monitor_main(enum monitor_kind kind, int argc, char **argv)
{
	struct show_options options = {
		.common = common_options_default(),
		.mode = commands[kind].mode,
		.monitor = { .kind = kind, .groups = monitor_default_groups[kind] },
		.loop = true,
		.period_ms = 1000,
	};
	int code = options_read(&commands[kind].table, argc, argv, &options);

	if (code == 0)
		code = options.help ? print_help(kind) : show(&options);
	show_options_done(&options);
	return code;
}

int dmon_main(int argc, char **argv)
{
	return monitor_main(MONITOR_DEVICES, argc, argv);
}

int pmon_main(int argc, char **argv)
{
	return monitor_main(MONITOR_PROCESSES, argc, argv);
}
