/*
 * What tt_smi costs, next to the floor measured in the same run: `make bench`.
 *
 *	tt_bench [--smoke] BUILD
 *
 * BUILD is where tt_smi, tt_smi-sim and the floor were built. --smoke does everything
 * once or twice, to see that it works; its figures mean nothing.
 */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

static const struct effort full = { 100, 7, 10, 3, { 1, 8, 32 }, { 100, 10000 } };
static const struct effort smoke = { 2, 2, 2, 1, { 1, 2, 32 }, { 10, 50 } };

static int open_output(struct bench *bench)
{
	char path[512];

	bench->output = open(path_in(path, bench->place->path, "output"),
			     O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	return bench->output < 0 ? -errno : 0;
}

/* One with workloads, one without. */
static int make_trees(struct bench *bench, unsigned devices)
{
	char tree[512];
	int r;

	r = tree_make(bench, path_in(tree, bench->place->path, "%u", devices), devices, DRIVER,
		      true);
	if (r < 0)
		return r;
	return tree_make(bench, path_in(tree, bench->place->path, "%u.idle", devices), devices,
			 DRIVER, false);
}

static int run(struct place *place, void *arg)
{
	struct bench *bench = arg;
	char why[128];
	int r;

	bench->place = place;
	bench->counts = count_is_possible(place->path, why);
	if (!bench->counts)
		printf("%s\n", why);
	if (!place->is_private)
		printf("%s; the files lie in %s\n", place->note, place->path);
	r = open_output(bench);
	for (size_t i = 0; i < ARRAY_SIZE(bench->effort->devices) && r >= 0; i++)
		r = make_trees(bench, bench->effort->devices[i]);
	if (r < 0) {
		fprintf(stderr, "bench: %s: %s\n", place->path, strerror(-r));
		return EXIT_FAILURE;
	}
	bench_once(bench);
	bench_crowds(bench);
	bench_loops(bench);
	return bench->failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* The same environment for every program. */
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
	snprintf(bench.sim, sizeof(bench.sim), "%.256s/tt_smi-sim", argv[at]);
	snprintf(bench.floor, sizeof(bench.floor), "%.256s/bench/floor", argv[at]);
	set_environment();
	return place_run(run, &bench);
}
