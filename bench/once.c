/* One output, once: tt_smi next to the floor. */
#include "bench.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { N_OUTPUTS = 4 };

const struct output outputs[N_OUTPUTS] = {
	{ "table", "table", { NULL } },
	{ "--json", "json", { "--json" } },
	{ "--query-gpu", "query", { "--query-gpu=index,temperature.gpu", "--format=csv" } },
	{ "-L", "list", { "-L" } },
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

int row_measure(struct bench *bench, const struct output *output, const char *tree, bool walk,
		unsigned rounds, struct row *row)
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

void row_print(const struct bench *bench, const struct row *row, const char *what, bool has_ratio)
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

void row_print_head(const char *what)
{
	printf("%-11s %14s %32s %24s %8s %15s %6s  target\n", "", "", "wall ms           ",
	       "CPU ms       ", "MB", "system calls ", "");
	printf("%-11s %14s %8s %8s %6s %7s %8s %8s %6s %8s %7s %7s %6s\n", "output", what, "floor",
	       "tt_smi", "ratio", "median", "floor", "tt_smi", "ratio", "resident", "floor",
	       "tt_smi", "sleeps");
}

void bench_fail(struct bench *bench, const char *what, int error)
{
	printf("%-26s not measured: %s\n", what, strerror(-error));
	bench->failed = true;
}

void bench_once(struct bench *bench)
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
	row_print_head("devices");
	for (size_t o = 0; o < N_OUTPUTS; o++)
		for (size_t i = 0; i < ARRAY_SIZE(bench->effort->devices); i++) {
			unsigned devices = bench->effort->devices[i];

			row = (struct row){ 0 };
			snprintf(tree, sizeof(tree), "%s/%u", bench->place->path, devices);
			snprintf(what, sizeof(what), "%u", devices);
			r = row_measure(bench, &outputs[o], tree, false, bench->effort->rounds,
					&row);
			if (r < 0)
				bench_fail(bench, outputs[o].name, r);
			else
				row_print(bench, &row, what, devices == RATIO_AT);
		}
}
