#include "options.h"

#include "basic/option.h"
#include "basic/parse.h"
#include "fleet.h"

#include <stdio.h>
#include <string.h>

static int set_workload(const struct option_given *given, void *arg)
{
	struct sim_options *o = arg;
	char error[128];

	if (o->workload_count == MAX_WORKLOADS)
		return option_error(given, EXIT_USAGE, "--workload: more than %d workloads",
				    MAX_WORKLOADS);
	if (workload_parse(given->value, &o->workloads[o->workload_count], error) < 0)
		return option_error(given, EXIT_USAGE,
				    "--workload: %s; tt_smi-sim(1) lists the keys", error);
	o->workload_count++;
	return 0;
}

static int set_fault(const struct option_given *given, void *arg)
{
	struct sim_options *o = arg;

	if (o->fault_count == MAX_FAULTS)
		return option_error(given, EXIT_USAGE, "--fault: more than %d faults", MAX_FAULTS);
	if (fault_parse(given->value, &o->faults[o->fault_count]) < 0)
		return option_error(given, EXIT_USAGE,
				    "--fault: \"%s\" is not a fault; tt_smi-sim(1) lists them",
				    given->value);
	o->fault_count++;
	return 0;
}

static int set_version(const struct option_given *given, void *member)
{
	if (version_parse(given->value, member) < 0)
		return option_error(given, EXIT_USAGE, "%s: \"%s\" is not a version",
				    given->option->names, given->value);
	return 0;
}

static int set_time(const struct option_given *given, void *arg)
{
	struct sim_options *o = arg;

	if (parse_i64(given->value, &o->time) < 0 || o->time < 1000000 || o->time > 4102444800)
		return option_error(given, EXIT_USAGE,
				    "--time: \"%s\" is not a time in seconds since 1970",
				    given->value);
	o->has_time = true;
	return 0;
}

static int set_after(const struct option_given *given, void *member)
{
	return option_number(given, 0, 3600, member);
}

static int set_interval(const struct option_given *given, void *member)
{
	return option_number(given, 1, 60000, member);
}

static int set_load(const struct option_given *given, void *member)
{
	uint32_t percent = 0;
	int code = option_number(given, 0, 100, &percent), *load = member;

	if (code == 0)
		*load = (int)percent;
	return code;
}

static int set_fleet(const struct option_given *given, void *member)
{
	return option_number(given, 1, MAX_FLEET, member);
}

static int set_seed(const struct option_given *given, void *member)
{
	if (parse_u64(given->value, member) < 0)
		return option_error(given, EXIT_USAGE, "--seed: \"%s\" is not a number",
				    given->value);
	return 0;
}

#define AT(member) offsetof(struct sim_options, member)

static const struct option_spec rows[] = {
	/* clang-format off */
	{ "-b --boards", ARGUMENT, "LIST",
		"cards, e.g. n150 or n300,2xp150a or galaxy-wormhole (default n300,p150a)",
		option_text, AT(boards) },
	{ "--driver", ARGUMENT, "VERSION",
		"version of the kernel driver (default 2.10.1)", set_version, AT(driver) },
	{ "--firmware", ARGUMENT, "VERSION",
		"version of the firmware bundle on the cards (default 19.8.0.0)", set_version, AT(firmware) },
	{ "--load", ARGUMENT, "PERCENT",
		"load of the cards (default: varies slowly)", set_load, AT(load) },
	{ "-w --workload", ARGUMENT, "SPEC",
		"run a process, e.g. dev=0+1,dram=4G,l1=16M,name=train; repeatable", set_workload, 0 },
	{ "--no-workloads", NO_ARGUMENT, NULL, "run no processes", option_flag, AT(no_workloads) },
	{ "--fault", ARGUMENT, "SPEC",
		"simulate a fault, e.g. dead:1 or reset:0@5-8; repeatable", set_fault, 0 },
	{ "--static", NO_ARGUMENT, NULL,
		"create the files once and exit", option_flag, AT(write_once) },
	{ "--time", ARGUMENT, "EPOCH",
		"with --static: the time of the tree, in seconds since 1970", set_time, 0 },
	{ "--after", ARGUMENT, "SECONDS",
		"with --static: how long the machine has been running",
		set_after, AT(after_s) },
	{ "--seed", ARGUMENT, "NUMBER",
		"start value for serial numbers, ids and noise (default 1)", set_seed, AT(seed) },
	{ "--interval", ARGUMENT, "MS",
		"milliseconds between changes, 1 to 60000 (default 100)", set_interval, AT(interval_ms) },
	{ "--fleet", ARGUMENT, "N",
		"serve the metrics of N machines like this one over HTTP", set_fleet, AT(fleet) },
	{ "--listen", ARGUMENT, "ADDR:PORT",
		"with --fleet: the loopback address to listen on (default " FLEET_ADDRESS "); port 0: any free one",
		option_text, AT(listen) },
	OPTION_HELP(AT(help)),
	OPTION_VERSION(AT(version)),
	/* clang-format on */
};

static const struct option_table table = { rows, ARRAY_SIZE(rows), "tt_smi sim",
					   OPERANDS_BEFORE_COMMAND };

static void put_help(struct buf *out)
{
	buf_puts(out,
		 "Usage: tt_smi sim [OPTION]... DIR\n"
		 "       tt_smi sim [OPTION]... [DIR] -- COMMAND...\n"
		 "       tt_smi sim [OPTION]... --fleet N [DIR]\n"
		 "Simulates a machine with Tenstorrent cards: creates the files of the driver\n"
		 "below DIR, changes them as on a real machine, and runs processes that use the\n"
		 "cards. COMMAND sees that machine, and so does a server that COMMAND starts.\n\n");
	option_put_help(out, &table);
	buf_puts(out,
		 "\nExamples:\n"
		 "  tt_smi sim -- bash                             a shell to try everything in\n"
		 "  tt_smi sim -b galaxy-blackhole -- tt_smi -w    32 chips, full screen\n"
		 "  tt_smi sim -b n150 --fault gone:0@5-10 /tmp/sim\n"
		 "  tt_smi sim -b galaxy-wormhole --fleet 100      metrics of a hundred machines\n"
		 "\nExit status: that of the command; 1 the tree could not be created, or --fleet\n"
		 "cannot listen; 2 usage; 3 FUSE, for a fault, or --fleet is not available; 126\n"
		 "the command cannot be executed, 127 there is no such command. tt_smi-sim(1) has\n"
		 "the rest.\n");
}

/* Why the options cannot be combined; NULL: they can. */
static const char *find_conflict(const struct sim_options *o, int operands)
{
	if (operands > 1)
		return "more than one directory; a command goes after \"--\"";
	if (o->command && !*o->command)
		return "no command after \"--\"";
	if (o->fleet && (o->command || o->write_once))
		return "--fleet is mutually exclusive with a command and with --static";
	if (o->listen && !o->fleet)
		return "--listen needs --fleet";
	if (!o->directory && !o->command && !o->fleet)
		return "no directory and no command; tt_smi sim -h explains both";
	if (o->write_once && (!o->directory || o->command))
		return "--static needs a directory, and is mutually exclusive with a command";
	if (o->no_workloads && o->workload_count > 0)
		return "--no-workloads and --workload are mutually exclusive";
	if (o->has_time && !o->write_once)
		return "--time needs --static";
	if (o->after_s && !o->write_once)
		return "--after needs --static";
	if (!version_at_least(&o->driver, 1, 27))
		return "--driver: only drivers from 1.27 on can be simulated";
	return NULL;
}

static int print(const struct sim_options *o)
{
	CLEANUP_BUF struct buf text = { 0 };

	if (o->help)
		put_help(&text);
	else
		buf_puts(&text, "tt_smi sim " TT_SMI_SIM_VERSION "\n");
	if (fputs(buf_text(&text), stdout) < 0 || fflush(stdout) != 0) {
		fprintf(stderr, "tt_smi sim: cannot write standard output\n");
		return EXIT_OUTPUT;
	}
	return 0;
}

static int fail(const char *reason)
{
	fprintf(stderr, "tt_smi sim: %s\n", reason);
	return EXIT_USAGE;
}

int options_parse(int argc, char **argv, struct sim_options *ret, bool *ret_done)
{
	CLEANUP_BUF struct buf error = { 0 };
	struct sim_options *o = ret;
	struct option_words words;
	const char *conflict;

	memset(o, 0, sizeof(*o));
	o->boards = "n300,p150a";
	o->load = -1;
	o->interval_ms = 100;
	o->seed = 1;
	if (version_parse("2.10.1", &o->driver) < 0 || version_parse("19.8.0.0", &o->firmware) < 0)
		return EXIT_INTERNAL;
	if (option_parse(&table, argc, argv, o, &words, &error))
		return fail(buf_text(&error));
	*ret_done = o->help || o->version;
	if (*ret_done)
		return print(o);
	o->command = words.command;
	o->directory = words.operands[0];
	conflict = find_conflict(o, words.count);
	if (conflict)
		return fail(conflict);
	return o->fleet ? fleet_set_command(o) : 0;
}
