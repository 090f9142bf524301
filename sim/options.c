#include "options.h"

#include "basic/parse.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
	"Usage: tt_smi sim [OPTIONS] DIR\n"
	"       tt_smi sim [OPTIONS] [DIR] -- COMMAND...\n"
	"\n"
	"A simulated machine with Tenstorrent cards: the driver's files below DIR, kept\n"
	"alive, with processes that use the cards. COMMAND is run with TT_SMI_ROOT=DIR.\n"
	"\n"
	"  -b, --boards LIST      cards, e.g. n150 or n300,2xp150a or galaxy-wormhole\n"
	"      --driver VERSION   of the kernel driver (2.10.1)\n"
	"      --firmware VERSION of the bundle on the cards (19.8.0.0)\n"
	"      --load PERCENT     how busy the cards are (a slow wave)\n"
	"  -w, --workload SPEC    a process, e.g. dev=0+1,dram=4G,l1=16M,name=train\n"
	"      --no-workloads     no processes\n"
	"      --fault SPEC       what goes wrong, e.g. dead:1 or reset:0@5-8\n"
	"      --static           write the files once and leave them\n"
	"      --time EPOCH       with --static: when that was\n"
	"      --after SECONDS    with --static: how long it had been running by then\n"
	"      --seed NUMBER      for serial numbers and all that wavers\n"
	"      --interval MS      between changes (100)\n"
	"  -h, --help             this text\n"
	"  -V, --version          version\n"
	"\n"
	"Examples:\n"
	"  tt_smi sim -- tt_smi                          two cards\n"
	"  tt_smi sim -b galaxy-blackhole -- tt_smi -w   look at thirty-two\n"
	"  tt_smi sim -b n150 --fault gone:0@5-10 /tmp/sim\n"
	"\n"
	"tt_smi-sim(1) has the rest.\n";

enum {
	OPT_DRIVER = 256,
	OPT_FIRMWARE,
	OPT_LOAD,
	OPT_NO_WORKLOADS,
	OPT_FAULT,
	OPT_STATIC,
	OPT_TIME,
	OPT_AFTER,
	OPT_SEED,
	OPT_INTERVAL,
};

static const struct option long_options[] = {
	{ "after", required_argument, NULL, OPT_AFTER },
	{ "boards", required_argument, NULL, 'b' },
	{ "driver", required_argument, NULL, OPT_DRIVER },
	{ "fault", required_argument, NULL, OPT_FAULT },
	{ "firmware", required_argument, NULL, OPT_FIRMWARE },
	{ "help", no_argument, NULL, 'h' },
	{ "interval", required_argument, NULL, OPT_INTERVAL },
	{ "load", required_argument, NULL, OPT_LOAD },
	{ "no-workloads", no_argument, NULL, OPT_NO_WORKLOADS },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "static", no_argument, NULL, OPT_STATIC },
	{ "time", required_argument, NULL, OPT_TIME },
	{ "version", no_argument, NULL, 'V' },
	{ "workload", required_argument, NULL, 'w' },
	{ 0 },
};

PRINTF(1, 2) static int fail(const char *format, ...)
{
	va_list ap;

	fputs("tt_smi sim: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	return -1;
}

static int add_workload(struct options *o, const char *spec)
{
	char error[128];

	if (o->workload_count == MAX_WORKLOADS)
		return fail("too many workloads, at most %d", MAX_WORKLOADS);
	if (workload_parse(spec, &o->workloads[o->workload_count], error) < 0)
		return fail("--workload: cannot make sense of '%s'", error);
	o->workload_count++;
	return 1;
}

static int add_fault(struct options *o, const char *spec)
{
	if (o->fault_count == MAX_FAULTS)
		return fail("too many faults, at most %d", MAX_FAULTS);
	if (fault_parse(spec, &o->faults[o->fault_count]) < 0)
		return fail("--fault: cannot make sense of '%s'", spec);
	o->fault_count++;
	return 1;
}

static int set_number(const char *name, const char *text, uint32_t min, uint32_t max, uint32_t *ret)
{
	uint32_t n;

	if (parse_u32(text, &n) < 0 || n < min || n > max)
		return fail("--%s: '%s' is not a number from %u to %u", name, text, min, max);
	*ret = n;
	return 1;
}

static int set_version(const char *name, const char *text, struct version *ret)
{
	if (version_parse(text, ret) < 0)
		return fail("--%s: '%s' is not a version", name, text);
	return 1;
}

static int set_time(struct options *o, const char *text)
{
	if (parse_i64(text, &o->time) < 0 || o->time < 1000000 || o->time > 4102444800)
		return fail("--time: '%s' is not a time in seconds since 1970", text);
	o->has_time = true;
	return 1;
}

static int set_option(struct options *o, int option, const char *text)
{
	uint32_t n = 0;
	int r;

	switch (option) {
	case 'b': o->boards = text; return 1;
	case 'w': return add_workload(o, text);
	case OPT_FAULT: return add_fault(o, text);
	case OPT_DRIVER: return set_version("driver", text, &o->driver);
	case OPT_FIRMWARE: return set_version("firmware", text, &o->firmware);
	case OPT_NO_WORKLOADS: o->no_workloads = true; return 1;
	case OPT_STATIC: o->write_once = true; return 1;
	case OPT_TIME: return set_time(o, text);
	case OPT_AFTER: return set_number("after", text, 0, 3600, &o->after_s);
	case OPT_INTERVAL: return set_number("interval", text, 1, 60000, &o->interval_ms);
	case OPT_LOAD:
		r = set_number("load", text, 0, 100, &n);
		o->load = (int)n;
		return r;
	case OPT_SEED:
		if (parse_u64(text, &o->seed) < 0)
			return fail("--seed: '%s' is not a number", text);
		return 1;
	case 'h': fputs(help, stdout); return 0;
	case 'V': puts("tt_smi sim " TT_SMI_SIM_VERSION); return 0;
	default: return -1; /* getopt has said it */
	}
}

static int check(const struct options *o, int left)
{
	if (left > 1)
		return fail("one directory, not %d; a command goes after '--'", left);
	if (!o->directory && !o->command)
		return fail("needs a directory, or '--' and a command; --help says more");
	if (o->write_once && (!o->directory || o->command))
		return fail("--static needs a directory and takes no command");
	if (o->has_time && !o->write_once)
		return fail("--time is for --static");
	if (o->after_s && !o->write_once)
		return fail("--after is for --static");
	if (!version_at_least(&o->driver, 1, 27))
		return fail("--driver: drivers before 1.27 had no files to show");
	return 1;
}

int options_parse(int argc, char **argv, struct options *ret)
{
	struct options *o = ret;
	int option, end, r;

	memset(o, 0, sizeof(*o));
	o->boards = "n300,p150a";
	o->load = -1;
	o->interval_ms = 100;
	o->seed = 1;
	if (version_parse("2.10.1", &o->driver) < 0 || version_parse("19.8.0.0", &o->firmware) < 0)
		return -1;

	/* Options may stand on either side of DIR; what follows "--" is not ours. */
	for (end = 1; end < argc && strcmp(argv[end], "--") != 0; end++)
		;
	if (end < argc) {
		o->command = argv + end + 1;
		if (!*o->command)
			return fail("no command after '--'");
	}
	while ((option = getopt_long(end, argv, "b:w:hV", long_options, NULL)) != -1) {
		r = set_option(o, option, optarg);
		if (r <= 0)
			return r;
	}
	if (optind < end)
		o->directory = argv[optind];
	return check(o, end - optind);
}
