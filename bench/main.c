/*
 * What tt_smi costs, next to the floor measured in the same run: `make bench`.
 *
 *	tt_bench [--smoke] BUILD
 *
 * BUILD is where tt_smi, ttsim and the floor were built. --smoke does everything
 * once or twice, to see that it works; its figures mean nothing.
 */
#include "count.h"
#include "crowd.h"
#include "measure.h"
#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* The targets. */
#define MOST_RATIO   2.0   /* to the floor, with as many devices as below */
#define RATIO_AT     32u   /* devices */
#define MOST_RSS_KB  4096L /* resident */
#define MOST_CALLS   25	   /* per device and refresh */
#define MOST_PERCENT 1.0   /* of a core, on a terminal, ten times a second, RATIO_AT devices */

/* How much of everything. */
struct effort {
	unsigned rounds, walk_rounds; /* runs of each program */
	unsigned refreshes;
	unsigned devices[3];
	size_t crowds[2];
};

static const struct effort full = { 100, 15, 20, { 1, 8, 32 }, { 100, 10000 } };
static const struct effort smoke = { 2, 2, 2, { 1, 2, 32 }, { 10, 50 } };

struct bench {
	const struct effort *effort;
	const struct place *place;
	char tt_smi[300], ttsim[300], floor[300];
	int output; /* file that takes what the programs write */
	bool counts;
	bool failed;
};

/* An output of tt_smi: its arguments, and what the floor calls it. */
struct output {
	const char *name, *floor;
	const char *arguments[2];
};

static const struct output outputs[] = {
	{ "table", "table", { NULL } },
	{ "--json", "json", { "--json" } },
	{ "--query-gpu", "query", { "--query-gpu=index,temperature.gpu", "--format=csv" } },
	{ "-L", "list", { "-L" } },
};

/* ---- simulated machines ---- */

static PRINTF(3, 4) char *path_in(char *path, const char *tree, const char *format, ...)
{
	size_t n = (size_t)snprintf(path, 512, "%s/", tree);
	va_list ap;

	va_start(ap, format);
	vsnprintf(path + n, 512 - n, format, ap);
	va_end(ap);
	return path;
}

/* A few processes, whatever the number of devices: one on all up to four, two on one. */
static void add_workloads(struct command *command, unsigned devices)
{
	command_add(command, "-w");
	command_add(command, devices >= 4 ? "dev=0+1+2+3,dram=4G,l1=16M,name=train"
					  : "dev=0,dram=4G,l1=16M,name=train");
	command_add(command, "-w");
	command_add(command,
		    devices >= 8 ? "dev=4,dram=1G,name=serve" : "dev=0,dram=1G,name=serve");
	command_add(command, "-w");
	command_add(command,
		    devices >= 8 ? "dev=5,via=none,name=notebook" : "dev=0,via=none,name=notebook");
}

static int make_tree(struct bench *bench, const char *tree, unsigned devices, const char *driver,
		     bool workloads)
{
	struct command command = { { bench->ttsim, "--static", "--driver", driver } };
	struct figures figures;
	char boards[32];

	snprintf(boards, sizeof(boards), "%uxp150a", devices);
	command_add(&command, "-b");
	command_add(&command, boards);
	if (workloads)
		add_workloads(&command, devices);
	else
		command_add(&command, "--no-workloads");
	command_add(&command, tree);
	return measure_once(&command, -1, &figures);
}

/* ---- one-shot ---- */

struct row {
	const char *name;
	struct figures floor, ours;
	struct calls floor_calls, our_calls;
};

static off_t output_size(struct bench *bench, const struct command *command)
{
	struct figures figures;
	struct stat st;

	if (ftruncate(bench->output, 0) < 0 || measure_once(command, bench->output, &figures) < 0 ||
	    fstat(bench->output, &st) < 0)
		return -1;
	return st.st_size;
}

static int measure_row(struct bench *bench, const struct output *output, const char *tree,
		       bool walk, unsigned rounds, struct row *row)
{
	struct command ours = { { bench->tt_smi, "--root", tree } };
	struct command floor = { { bench->floor, "--root", tree, "--show", output->floor } };
	char bytes[24];
	off_t size;
	int r;

	row->name = output->name;
	for (size_t i = 0; i < ARRAY_SIZE(output->arguments) && output->arguments[i]; i++)
		command_add(&ours, output->arguments[i]);
	size = output_size(bench, &ours);
	if (size <= 0)
		return -EIO;
	snprintf(bytes, sizeof(bytes), "%lld", (long long)size);
	command_add(&floor, "--bytes");
	command_add(&floor, bytes);
	if (walk)
		command_add(&floor, "--walk");
	r = measure_pair(&floor, &ours, rounds, bench->output, &row->floor, &row->ours);
	if (r < 0 || !bench->counts)
		return r;
	r = count_calls(&floor, bench->place->path, NULL, &row->floor_calls);
	return r < 0 ? r : count_calls(&ours, bench->place->path, NULL, &row->our_calls);
}

static void print_verdict(bool ratio, bool rss, bool sleeps)
{
	if (!ratio && !rss && !sleeps)
		printf("  met\n");
	else
		printf("  MISSED:%s%s%s\n", ratio ? " ratio" : "", rss ? " memory" : "",
		       sleeps ? " sleeps" : "");
}

static void print_row(const struct bench *bench, const struct row *row, const char *what,
		      bool has_ratio)
{
	double wall = row->ours.wall_ms / row->floor.wall_ms;
	double median = row->ours.wall_median_ms / row->floor.wall_median_ms;
	double cpu = row->ours.cpu_ms / row->floor.cpu_ms;

	printf("%-11s %14s %8.2f %8.2f %6.2f %7.2f %8.2f %8.2f %6.2f %8.1f", row->name, what,
	       row->floor.wall_ms, row->ours.wall_ms, wall, median, row->floor.cpu_ms,
	       row->ours.cpu_ms, cpu, (double)row->ours.rss_kb / 1024);
	if (bench->counts)
		printf(" %7lu %7lu %6lu", row->floor_calls.all, row->our_calls.all,
		       row->our_calls.sleeps);
	else
		printf(" %7s %7s %6s", "-", "-", "-");
	print_verdict(has_ratio && MAX(wall, median) > MOST_RATIO, row->ours.rss_kb >= MOST_RSS_KB,
		      row->our_calls.sleeps);
	fflush(stdout);
}

static void print_head(const char *what)
{
	printf("%-11s %14s %32s %24s %8s %15s %6s  target\n", "", "", "wall ms           ",
	       "CPU ms       ", "MB", "system calls ", "");
	printf("%-11s %14s %8s %8s %6s %7s %8s %8s %6s %8s %7s %7s %6s\n", "output", what, "floor",
	       "tt_smi", "ratio", "median", "floor", "tt_smi", "ratio", "resident", "floor",
	       "tt_smi", "sleeps");
}

static void fail(struct bench *bench, const char *what, int error)
{
	printf("%-26s not measured: %s\n", what, strerror(-error));
	bench->failed = true;
}

static void bench_once(struct bench *bench)
{
	char tree[300], what[32];
	struct row row;
	int r;

	printf("\nOnce: the least of %u runs, in turns with the floor; median: ratio of the runs "
	       "in "
	       "the middle.\n"
	       "Targets: at most %.1f times the floor's wall time with %u devices, below %ld MB, "
	       "no "
	       "sleep.\n\n",
	       bench->effort->rounds, MOST_RATIO, RATIO_AT, MOST_RSS_KB / 1024);
	print_head("devices");
	for (size_t o = 0; o < ARRAY_SIZE(outputs); o++)
		for (size_t i = 0; i < ARRAY_SIZE(bench->effort->devices); i++) {
			unsigned devices = bench->effort->devices[i];

			row = (struct row){ 0 };
			snprintf(tree, sizeof(tree), "%s/%u", bench->place->path, devices);
			snprintf(what, sizeof(what), "%u", devices);
			r = measure_row(bench, &outputs[o], tree, false, bench->effort->rounds,
					&row);
			if (r < 0)
				fail(bench, outputs[o].name, r);
			else
				print_row(bench, &row, what, devices == RATIO_AT);
		}
}

/* ---- with many processes on the machine ---- */

struct village {
	char tree[300];
	size_t linked; /* processes of the crowd that the tree shows */
};

static const char *const village_drivers[] = { "2.10.1", "2.4.1" };

enum { VILLAGE_DEVICES = 8, VILLAGE_HOLDERS = 3, VILLAGE_DESCRIPTORS = 5 };

/* The tree's /proc leads to real processes. */
static int link_processes(struct village *village, const struct crowd *crowd)
{
	char link[512], target[32];

	for (; village->linked < crowd->count; village->linked++) {
		pid_t pid = crowd->pids[village->linked];

		snprintf(target, sizeof(target), "/proc/%d", pid);
		if (symlink(target, path_in(link, village->tree, "proc/%d", pid)) < 0)
			return -errno;
	}
	return 0;
}

/* What the driver would have written, if it is one that lists holders. */
static int list_holder(const struct village *village, unsigned device, pid_t pid)
{
	char path[512];
	FILE *file;

	path_in(path, village->tree, "proc/driver/tenstorrent/%u/pids", device);
	if (access(path, F_OK) < 0)
		return 0;
	if (chmod(path, 0644) < 0)
		return -errno;
	file = fopen(path, "we");
	if (!file)
		return -errno;
	fprintf(file, "%d\n", pid);
	return fclose(file) ? -errno : 0;
}

static int village_found(struct bench *bench, struct village *village, const char *driver,
			 struct crowd *crowd)
{
	char path[512];
	int r;

	snprintf(village->tree, sizeof(village->tree), "%s/%s", bench->place->path, driver);
	r = make_tree(bench, village->tree, VILLAGE_DEVICES, driver, false);
	for (unsigned i = 0; i < VILLAGE_HOLDERS && r >= 0; i++) {
		r = crowd_add_holder(crowd, path_in(path, village->tree, "dev/tenstorrent/%u", i));
		if (r >= 0)
			r = list_holder(village, i, crowd->pids[crowd->count - 1]);
	}
	return r;
}

static int bench_village(struct bench *bench, struct village *village, const struct crowd *crowd,
			 bool walk)
{
	struct row row = { 0 };
	char what[32];
	int r;

	r = link_processes(village, crowd);
	if (r >= 0)
		r = measure_row(bench, &outputs[0], village->tree, walk,
				walk ? bench->effort->walk_rounds : bench->effort->rounds, &row);
	if (r < 0)
		return r;
	row.name = walk ? "walk" : "pids file";
	snprintf(what, sizeof(what), "%zu", crowd->count);
	print_row(bench, &row, what, walk);
	return 0;
}

static void bench_crowds(struct bench *bench)
{
	struct village villages[2] = { 0 };
	struct crowd crowd = { 0 };
	int r = 0;

	printf("\nThe table with %d devices among many idle processes, with %d descriptors each; "
	       "%d "
	       "hold a device.\n"
	       "pids file: the driver lists who holds a device. walk: an older driver, all of "
	       "/proc "
	       "is looked at.\n"
	       "Target: a walk within %.1f times the floor; with the pids file no dependence on "
	       "the "
	       "crowd.\n\n",
	       VILLAGE_DEVICES, VILLAGE_DESCRIPTORS + 3, VILLAGE_HOLDERS, MOST_RATIO);
	print_head("processes");
	for (size_t i = 0; i < 2 && r >= 0; i++)
		r = village_found(bench, &villages[i], village_drivers[i], &crowd);
	for (size_t c = 0; c < ARRAY_SIZE(bench->effort->crowds) && r >= 0; c++) {
		r = crowd_grow(&crowd, bench->effort->crowds[c], VILLAGE_DESCRIPTORS);
		if (r < 0) {
			printf("%-11s %14zu skipped: no more than %zu processes allowed here "
			       "(%s)\n",
			       "", bench->effort->crowds[c], crowd.count, strerror(-r));
			r = 0;
			break;
		}
		for (size_t i = 0; i < 2 && r >= 0; i++)
			r = bench_village(bench, &villages[i], &crowd, i == 1);
	}
	if (r < 0)
		fail(bench, "many processes", r);
	crowd_end(&crowd);
}

/* ---- in a loop ---- */

enum { PERIOD_MS = 100 };

static const struct terminal screen = { 200, 50 };

struct loop {
	double cpu_ms; /* of one refresh */
	long rss_kb;
	double calls; /* of one refresh; below 0: not counted */
	double bytes; /* to the terminal, one refresh */
};

/* One sample, or `refreshes` more than that: the difference is theirs. */
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

static int loop_calls(struct bench *bench, const char *tree, bool terminal, struct loop *ret)
{
	struct calls calls[2];
	int r = 0;

	ret->calls = -1;
	if (!bench->counts)
		return 0;
	for (int i = 0; i < 2 && r >= 0; i++) {
		char count[16];
		struct command command = loop_command(bench, tree, terminal, i, count);

		r = count_calls(&command, bench->place->path, terminal ? &screen : NULL, &calls[i]);
	}
	if (r >= 0)
		ret->calls =
			((double)calls[1].all - (double)calls[0].all) / bench->effort->refreshes;
	return r;
}

static int loop_figures(struct bench *bench, const char *tree, bool terminal, struct loop *ret)
{
	struct figures figures[2];
	size_t bytes[2] = { 0 };
	int r = 0;

	for (int i = 0; i < 2 && r >= 0; i++) {
		char count[16];
		struct command command = loop_command(bench, tree, terminal, i, count);

		r = terminal ? measure_terminal(&command, &screen, &figures[i], &bytes[i])
			     : measure_once(&command, -1, &figures[i]);
	}
	if (r < 0)
		return r;
	ret->cpu_ms = (figures[1].cpu_ms - figures[0].cpu_ms) / bench->effort->refreshes;
	ret->rss_kb = figures[1].rss_kb;
	ret->bytes = ((double)bytes[1] - (double)bytes[0]) / bench->effort->refreshes;
	return 0;
}

static void print_loop(const struct loop *loop, const char *name, unsigned devices, bool terminal)
{
	double percent = loop->cpu_ms / PERIOD_MS * 100;
	bool busy = terminal && devices == RATIO_AT && percent > MOST_PERCENT;
	bool calls = loop->calls / devices > MOST_CALLS;
	bool rss = loop->rss_kb >= MOST_RSS_KB;

	printf("%-14s %8u %12.3f %10.2f %8.1f", name, devices, loop->cpu_ms, percent,
	       (double)loop->rss_kb / 1024);
	if (loop->calls >= 0)
		printf(" %10.1f %10.1f", loop->calls, loop->calls / devices);
	else
		printf(" %10s %10s", "-", "-");
	if (terminal)
		printf(" %10.0f", loop->bytes);
	else
		printf(" %10s", "-");
	if (!busy && !calls && !rss)
		printf("  met\n");
	else
		printf("  MISSED:%s%s%s\n", busy ? " CPU" : "", calls ? " calls" : "",
		       rss ? " memory" : "");
	fflush(stdout);
}

static void bench_loop(struct bench *bench, const char *name, bool terminal)
{
	for (size_t i = 0; i < ARRAY_SIZE(bench->effort->devices); i++) {
		unsigned devices = bench->effort->devices[i];
		struct loop loop = { 0 };
		char tree[300];
		int r;

		snprintf(tree, sizeof(tree), "%s/%u", bench->place->path, devices);
		r = loop_figures(bench, tree, terminal, &loop);
		if (r >= 0)
			r = loop_calls(bench, tree, terminal, &loop);
		if (r >= 0) {
			print_loop(&loop, name, devices, terminal);
		} else if (terminal && (r == -ENOENT || r == -EACCES || r == -ENXIO)) {
			printf("%-14s %8u skipped: no terminals here (%s)\n", name, devices,
			       strerror(-r));
		} else {
			fail(bench, name, r);
		}
	}
}

static void bench_loops(struct bench *bench)
{
	printf("\nAgain every %d ms: %u refreshes, without the first sample. Into a pipe, and on a "
	       "terminal of %u columns\nand %u lines, where more is shown.\n"
	       "Targets: at most %d system calls per device and refresh, below %ld MB; on a "
	       "terminal "
	       "with %u devices\nbelow %.0f %% of a core.\n\n",
	       PERIOD_MS, bench->effort->refreshes, screen.columns, screen.lines, MOST_CALLS,
	       MOST_RSS_KB / 1024, RATIO_AT, MOST_PERCENT);
	printf("%-14s %8s %12s %10s %8s %10s %10s %10s\n", "", "", "CPU ms per", "% of", "MB",
	       "calls per", "per device", "bytes per");
	printf("%-14s %8s %12s %10s %8s %10s %10s %10s  target\n", "", "devices", "refresh",
	       "a core", "resident", "refresh", "", "refresh");
	bench_loop(bench, "-lms 100", false);
	bench_loop(bench, "-w -r 100", true);
}

/* ---- */

static int open_output(struct bench *bench)
{
	char path[512];

	bench->output = open(path_in(path, bench->place->path, "output"),
			     O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	return bench->output < 0 ? -errno : 0;
}

static int run(struct place *place, void *arg)
{
	struct bench *bench = arg;
	char why[128], tree[300];
	int r;

	bench->place = place;
	bench->counts = count_is_possible(place->path, why);
	if (!bench->counts)
		printf("%s\n", why);
	if (!place->is_private)
		printf("%s; the files lie in %s\n", place->note, place->path);
	r = open_output(bench);
	for (size_t i = 0; i < ARRAY_SIZE(bench->effort->devices) && r >= 0; i++) {
		snprintf(tree, sizeof(tree), "%s/%u", place->path, bench->effort->devices[i]);
		r = make_tree(bench, tree, bench->effort->devices[i], village_drivers[0], true);
	}
	if (r < 0) {
		fprintf(stderr, "bench: %s: %s\n", place->path, strerror(-r));
		return EXIT_FAILURE;
	}
	bench_once(bench);
	bench_crowds(bench);
	bench_loops(bench);
	return bench->failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* The same surroundings for everybody. */
static void set_environment(void)
{
	setenv("LC_ALL", "C.UTF-8", 1);
	setenv("TERM", "xterm", 1);
	unsetenv("COLUMNS");
	unsetenv("LINES");
	unsetenv("TT_SMI_ROOT");
	unsetenv("NO_COLOR");
}

int main(int argc, char **argv)
{
	struct bench bench = { .effort = &full, .output = -1 };
	int at = 1;

	if (at < argc && strcmp(argv[at], "--smoke") == 0) {
		bench.effort = &smoke;
		at++;
	}
	if (at + 1 != argc) {
		fprintf(stderr, "usage: tt_bench [--smoke] BUILD\n");
		return 2;
	}
	snprintf(bench.tt_smi, sizeof(bench.tt_smi), "%.256s/tt_smi", argv[at]);
	snprintf(bench.ttsim, sizeof(bench.ttsim), "%.256s/ttsim", argv[at]);
	snprintf(bench.floor, sizeof(bench.floor), "%.256s/bench/floor", argv[at]);
	set_environment();
	return place_run(run, &bench);
}
