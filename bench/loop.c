/*
 * Refreshes: what each costs once everything is open. One sample, and as many
 * refreshes more: the difference is theirs.
 */
#include "bench.h"

#include <errno.h>
#include <string.h>

enum { PERIOD_MS = 100 };

static const struct terminal screen = { 200, 50 };

struct loop {
	const char *name;
	bool terminal;
	unsigned devices;
	double cpu_ms, floor_ms; /* of one refresh, the least of several loops */
	long rss_kb;
	double calls;	   /* of one refresh, nobody holds a device; below 0: not counted */
	double busy_calls; /* the same with holders */
	double bytes;	   /* to the terminal, one refresh */
};

static struct command loop_command(struct bench *bench, const char *tree, bool terminal,
				   bool longer, char count[static 16])
{
	struct command command = { { bench->tt_smi, "--root", tree } };

	snprintf(count, 16, "%u", longer ? bench->effort->refreshes + 1 : 1);
	if (terminal)
		command_add(&command, "-w");
	command_add(&command, terminal ? "-r" : "-lms");
	command_add(&command, "100");
	command_add(&command, "-n");
	command_add(&command, count);
	return command;
}

static int count_refresh(struct bench *bench, const char *tree, bool terminal, double *ret)
{
	struct calls calls[2];
	int r = 0;

	for (int i = 0; i < 2 && r >= 0; i++) {
		char count[16];
		struct command command = loop_command(bench, tree, terminal, i, count);

		r = count_calls(&command, bench->place->path, terminal ? &screen : NULL, &calls[i]);
	}
	if (r >= 0)
		*ret = ((double)calls[1].all - (double)calls[0].all) / bench->effort->refreshes;
	return r;
}

/* The floor's refresh: the files that change, kept open. */
static struct command floor_command(struct bench *bench, const char *tree, bool terminal,
				    bool longer, char count[static 16])
{
	struct command command = { { bench->floor, "--root", tree, "--show",
				     terminal ? "wide" : "narrow", "--again", count } };

	snprintf(count, 16, "%u", longer ? bench->effort->refreshes : 0);
	return command;
}

static double least(double least_ms, double ms)
{
	return least_ms > 0 ? MIN(least_ms, ms) : ms;
}

static int measure_floor(struct bench *bench, const char *tree, struct loop *loop)
{
	struct figures figures[2];
	int r = 0;

	for (int i = 0; i < 2 && r >= 0; i++) {
		char count[16];
		struct command command = floor_command(bench, tree, loop->terminal, i, count);

		r = measure_once(&command, -1, &figures[i]);
	}
	if (r >= 0)
		loop->floor_ms = least(loop->floor_ms, (figures[1].cpu_ms - figures[0].cpu_ms) /
							       bench->effort->refreshes);
	return r;
}

static int measure_refresh(struct bench *bench, const char *tree, struct loop *loop)
{
	struct figures figures[2];
	size_t bytes[2] = { 0 };
	int r = 0;

	for (int i = 0; i < 2 && r >= 0; i++) {
		char count[16];
		struct command command = loop_command(bench, tree, loop->terminal, i, count);

		r = loop->terminal ? measure_terminal(&command, &screen, &figures[i], &bytes[i])
				   : measure_once(&command, -1, &figures[i]);
	}
	if (r < 0)
		return r;
	loop->cpu_ms = least(loop->cpu_ms,
			     (figures[1].cpu_ms - figures[0].cpu_ms) / bench->effort->refreshes);
	loop->rss_kb = MAX(loop->rss_kb, figures[1].rss_kb);
	loop->bytes = ((double)bytes[1] - (double)bytes[0]) / bench->effort->refreshes;
	return 0;
}

static int measure_loop(struct bench *bench, struct loop *loop)
{
	char tree[512], idle[512];
	int r = 0;

	path_in(tree, bench->place->path, "%u", loop->devices);
	path_in(idle, bench->place->path, "%u.idle", loop->devices);
	for (unsigned i = 0; i < bench->effort->loops && r >= 0; i++) {
		r = measure_floor(bench, tree, loop);
		if (r >= 0)
			r = measure_refresh(bench, tree, loop);
	}
	loop->calls = loop->busy_calls = -1;
	if (r < 0 || !bench->counts)
		return r;
	r = count_refresh(bench, idle, loop->terminal, &loop->calls);
	return r < 0 ? r : count_refresh(bench, tree, loop->terminal, &loop->busy_calls);
}

static void print_verdict(const struct loop *loop)
{
	bool cpu = loop->terminal && loop->devices == RATIO_AT &&
		   loop->cpu_ms / PERIOD_MS * 100 > MOST_PERCENT;
	bool calls = loop->devices > 1 && loop->calls / loop->devices > MOST_CALLS;
	bool rss = loop->rss_kb >= MOST_RSS_KB;

	if (!cpu && !calls && !rss)
		printf("  met\n");
	else
		printf("  MISSED:%s%s%s\n", cpu ? " CPU" : "", calls ? " calls" : "",
		       rss ? " memory" : "");
}

static void print_loop(const struct loop *loop)
{
	printf("%-11s %14u %8.3f %8.3f %8.2f %8.1f", loop->name, loop->devices, loop->floor_ms,
	       loop->cpu_ms, loop->cpu_ms / PERIOD_MS * 100, (double)loop->rss_kb / 1024);
	if (loop->calls >= 0)
		printf(" %8.1f %10.1f %10.1f", loop->calls, loop->calls / loop->devices,
		       (loop->busy_calls - loop->calls) / HOLDERS);
	else
		printf(" %8s %10s %10s", "-", "-", "-");
	if (loop->terminal)
		printf(" %8.0f", loop->bytes);
	else
		printf(" %8s", "-");
	print_verdict(loop);
	fflush(stdout);
}

static bool is_without_terminals(const struct loop *loop, int error)
{
	return loop->terminal && (error == -ENOENT || error == -EACCES || error == -ENXIO);
}

static void bench_loop(struct bench *bench, const char *name, bool terminal)
{
	for (size_t i = 0; i < ARRAY_SIZE(bench->effort->devices); i++) {
		struct loop loop = { .name = name,
				     .terminal = terminal,
				     .devices = bench->effort->devices[i] };
		int r = measure_loop(bench, &loop);

		if (r >= 0)
			print_loop(&loop);
		else if (is_without_terminals(&loop, r))
			printf("%-11s %14u skipped: no terminals here (%s)\n", name, loop.devices,
			       strerror(-r));
		else
			bench_fail(bench, name, r);
	}
}

void bench_loops(struct bench *bench)
{
	printf("\nAgain every %d ms, the first sample not counted: the least of %u loops of %u "
	       "refreshes. Into a pipe, and on a\nterminal of %u columns and %u lines, where more "
	       "is shown. The floor: one pread of each file that changes.\n"
	       "Targets: at most %d system calls per device and refresh, with one device the fixed "
	       "part aside; below %ld MB;\non a terminal with %u devices at most %.0f %% of a "
	       "core.\n\n",
	       PERIOD_MS, bench->effort->loops, bench->effort->refreshes, screen.columns,
	       screen.lines, MOST_CALLS, MOST_RSS_KB / 1024, RATIO_AT, MOST_PERCENT);
	printf("%-11s %14s %26s %8s %30s %8s  target\n", "", "", "CPU ms per refresh    ", "MB",
	       "system calls per refresh   ", "bytes");
	printf("%-11s %14s %8s %8s %8s %8s %8s %10s %10s %8s\n", "", "devices", "floor", "tt_smi",
	       "% core", "resident", "idle", "per device", "per holder", "written");
	bench_loop(bench, "-lms 100", false);
	bench_loop(bench, "-w -r 100", true);
}
