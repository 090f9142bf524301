/* The table on a machine with many processes, real ones that do nothing. */
#include "bench.h"

#include "crowd.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

struct village {
	char tree[300];
	size_t linked; /* processes of the crowd that the tree shows */
};

static const char *const village_drivers[] = { DRIVER, OLD_DRIVER };

enum { VILLAGE_DEVICES = 8, VILLAGE_DESCRIPTORS = 5 };

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
	r = tree_make(bench, village->tree, VILLAGE_DEVICES, driver, false);
	for (unsigned i = 0; i < HOLDERS && r >= 0; i++) {
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
		r = row_measure(bench, &outputs[0], village->tree, walk,
				walk ? bench->effort->walk_rounds : bench->effort->rounds, &row);
	if (r < 0)
		return r;
	row.name = walk ? "walk" : "pids file";
	snprintf(what, sizeof(what), "%zu", crowd->count);
	row_print(bench, &row, what, walk);
	return 0;
}

void bench_crowds(struct bench *bench)
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
	       VILLAGE_DEVICES, VILLAGE_DESCRIPTORS + 3, HOLDERS, MOST_RATIO);
	row_print_head("processes");
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
		bench_fail(bench, "many processes", r);
	crowd_end(&crowd);
}
