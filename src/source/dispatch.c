/*
 * Compute utilisation as the tracer measures it, read from the file that it pins, and as programs
 * under `tt_smi run` measure it themselves. No server and no privileges are needed.
 *
 * A line is for a process and a chip, for all other chips of a process, or for a device
 * (source/dispatch_device.h).
 */
#include "source/source.h"

#include "basic/clock.h"
#include "source/bpf_text.h"
#include "source/dispatch_device.h"
#include "source/dispatch_line.h"
#include "source/identity.h"
#include "source/program_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct dispatch_source {
	struct bpf_text file;
};

/* ---- processes ---- */

static bool find_node(const struct snapshot *snapshot, uint32_t number, size_t *ret)
{
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		if (!device_has_node(&snapshot->devices[i]) || snapshot->devices[i].index != number)
			continue;
		*ret = i;
		return true;
	}
	return false;
}

static struct usage *find_usage(const struct snapshot *snapshot, const struct process *process,
				const struct identity_numbers *numbers,
				const struct dispatch_line *line)
{
	size_t device;
	bool found = line->has_device ? find_node(snapshot, line->device, &device)
				      : identity_numbers_find(numbers, line->chip, &device);

	return found ? process_find_usage(process, device) : NULL;
}

/* A chip that cannot be identified may be any of those without a line. */
static void blame_rest(struct process *process, const bool *has_line)
{
	const struct utilization_figure unknown =
		utilization_unknown(process->visible_why ? process->visible_why : UNMATCHED_CHIP);

	for (size_t i = 0; i < process->n_usages; i++)
		if (!has_line[i])
			usage_offer_utilization(&process->usages[i], &unknown);
}

/* The line for all chips applies to those without one of their own. */
static void take_all_chips(struct sample *sample, const struct dispatch_text *text,
			   const struct dispatch_line *line, struct process *process)
{
	for (size_t i = 0; i < process->n_usages; i++) {
		struct usage *usage = &process->usages[i];
		struct utilization_figure figure = dispatch_line_figure(
			sample->root, text, line, &sample->snapshot->devices[usage->device]);

		usage_offer_utilization(usage, &figure);
	}
}

static int take_chips(struct sample *sample, const struct dispatch_text *text,
		      const struct dispatch_line *lines, size_t count, struct process *process)
{
	CLEANUP_FREE bool *has_line = calloc(process->n_usages, sizeof(*has_line));
	struct identity_numbers numbers;
	bool all = true;

	if (!has_line)
		return -ENOMEM;
	identity_numbers(sample->snapshot, process, &numbers);
	for (size_t i = 0; i < count; i++) {
		struct usage *usage;
		struct utilization_figure figure;

		if (!lines[i].has_chip)
			continue;
		usage = find_usage(sample->snapshot, process, &numbers, &lines[i]);
		if (!usage) {
			all = false;
			continue;
		}
		figure = dispatch_line_figure(sample->root, text, &lines[i],
					      &sample->snapshot->devices[usage->device]);
		usage_offer_utilization(usage, &figure);
		has_line[usage - process->usages] = true;
	}
	if (!all)
		blame_rest(process, has_line);
	return 0;
}

static int take_process(struct sample *sample, const struct dispatch_text *text,
			const struct dispatch_line *lines, size_t count)
{
	struct process *process = snapshot_find_process(sample->snapshot, lines[0].pid);

	if (!process || process->n_usages == 0 ||
	    (process->start_ticks && process->start_ticks != lines[0].start_ticks))
		return 0;
	for (size_t i = 0; i < count; i++)
		if (!lines[i].has_chip)
			take_all_chips(sample, text, &lines[i], process);
	return take_chips(sample, text, lines, count, process);
}

/* Lines of devices first; those of one process are adjacent. */
static int by_process(const void *a, const void *b)
{
	const struct dispatch_line *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->start_ticks > y->start_ticks) - (x->start_ticks < y->start_ticks);
}

static int take_processes(struct sample *sample, const struct dispatch_text *text)
{
	size_t n;
	int r = 0;

	for (size_t i = 0; i < text->count && r >= 0; i += n) {
		const struct dispatch_line *lines = text->lines + i;

		for (n = 1; i + n < text->count && by_process(lines, lines + n) == 0; n++)
			;
		if (lines[0].pid)
			r = take_process(sample, text, lines, n);
	}
	return r;
}

/* ---- the file ---- */

static int take_text(struct dispatch_source *dispatch, struct sample *sample, const char *content,
		     struct dispatch_text *ret)
{
	struct dispatch_text text = {
		.is_watched = tracer_is_watching(sample->root),
		.is_measured = true,
	};
	int r = dispatch_parse(content, &text.lines, &text.count);

	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		bpf_text_report_error(&dispatch->file, sample, r);
		return 0;
	}
	if (text.count)
		qsort(text.lines, text.count, sizeof(*text.lines), by_process);
	text.now = sample->snapshot->recorded ? 0 : (uint64_t)clock_now(CLOCK_MONOTONIC);
	*ret = text;
	return take_processes(sample, &text);
}

static int read_text(struct dispatch_source *dispatch, struct sample *sample,
		     struct dispatch_text *ret)
{
	const char *text = bpf_text_read(&dispatch->file, sample);

	return text ? take_text(dispatch, sample, text, ret) : 0;
}

/* ---- the tables of processes ---- */

static int take_tables(struct sample *sample, struct dispatch_text *text)
{
	int r = 0;

	for (size_t i = 0; i < sample->snapshot->n_processes && r >= 0; i++) {
		const struct process *process = &sample->snapshot->processes[i];
		CLEANUP_FREE struct dispatch_line *lines = NULL;
		const struct dispatch_text none = { 0 };

		if (process->n_usages == 0)
			continue;
		r = program_tables_read(&text->tables, sample, process, &lines);
		if (r <= 0)
			continue;
		text->is_measured = true;
		r = take_process(sample, &none, lines, (size_t)r);
	}
	return r;
}

static int dispatch_sample(void *state, struct sample *sample)
{
	struct dispatch_text text = { 0 };
	int r;

	if (!sample->want->utilization)
		return 0;
	r = read_text(state, sample, &text);
	if (r >= 0)
		r = take_tables(sample, &text);
	if (r >= 0)
		dispatch_fill_devices(sample, &text);
	free(text.lines);
	program_tables_done(&text.tables);
	return r;
}

static int dispatch_open(const struct root *root, void **ret_state)
{
	struct dispatch_source *dispatch = calloc(1, sizeof(*dispatch));

	if (!dispatch)
		return -ENOMEM;
	bpf_text_init(&dispatch->file, root, DISPATCH_FILE);
	*ret_state = dispatch;
	return 0;
}

static void dispatch_close(void *state, struct worker_pool *workers)
{
	struct dispatch_source *dispatch = state;

	if (bpf_text_done(&dispatch->file, workers))
		free(dispatch);
}

const struct source source_dispatch = {
	.name = "dispatch",
	.open = dispatch_open,
	.sample = dispatch_sample,
	.close = dispatch_close,
};
