/*
 * Memory per process as counted by probes in the kernel, read from the file that the tracer pins.
 * Needs no server and no privileges.
 *
 * A line is for a process and a chip, by TT-Metal's number of the chip in that process. A traced
 * process without a line for a device that it holds has no memory there: known to be 0, except for
 * what it allocated before it was traced.
 */
#include "source/source.h"

#include "source/identity.h"
#include "source/bpf_text.h"

#include <errno.h>
#include <string.h>

struct traced_source {
	struct bpf_text file;
};

/* Lines of one process are adjacent, by chip. */
static int by_process(const void *a, const void *b)
{
	const struct traced_memory *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->start_ticks != y->start_ticks)
		return x->start_ticks < y->start_ticks ? -1 : 1;
	return (x->chip > y->chip) - (x->chip < y->chip);
}

static size_t count_same(const struct traced_memory *lines, size_t count)
{
	size_t n = 1;

	while (n < count && lines[n].pid == lines[0].pid &&
	       lines[n].start_ticks == lines[0].start_ticks)
		n++;
	return n;
}

/* A fault in one line of a process is a fault of all of its lines. */
static enum trace_fault find_fault(const struct traced_memory *lines, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (lines[i].state == TRACED_UNRELIABLE)
			return lines[i].fault;
	return TRACE_FAULT_NONE;
}

/*
 * What a process allocated before it was traced may be on any chip, even one without a line: a
 * single line with this state applies to all.
 */
static bool was_there_before(const struct traced_memory *lines, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (lines[i].state == TRACED_SINCE_ATTACH)
			return true;
	return false;
}

/*
 * The server reads the same file and may identify the card better: its report replaces ours
 * completely.
 */
static bool is_reported_by_server(const struct sample *sample, size_t before, int32_t pid)
{
	for (size_t i = 0; i < before; i++)
		if (sample->reports[i].pid == pid && sample->reports[i].source == TRACKING_TRACED)
			return true;
	return false;
}

static bool is_reported(const struct sample *sample, size_t first, size_t device)
{
	for (size_t i = first; i < sample->n_reports; i++)
		if (sample->reports[i].device == device)
			return true;
	return false;
}

static void fill_report(struct memory_report *report, const struct traced_memory *line)
{
	memcpy(report->bytes, line->bytes, sizeof(report->bytes));
	report->held = line->buffers;
}

static void report_unmatched(struct snapshot *snapshot, const struct process *process,
			     unsigned chip)
{
	if (process->visible_why)
		snapshot_add_problem(snapshot, "traced",
				     "process %d: device of its chip %u not known: %s",
				     process->pid, chip, reason_text(process->visible_why));
	else
		snapshot_add_problem(snapshot, "traced",
				     "process %d: its chip %u is none of those it has open",
				     process->pid, chip);
}

/* Devices without a report may be those whose chip was not identified. */
static void set_missing_reason(struct sample *sample, struct process *process, size_t first)
{
	for (size_t i = 0; i < process->n_usages && process->visible_why; i++)
		if (!is_reported(sample, first, process->usages[i].device))
			usage_set_reason(&process->usages[i], process->visible_why);
}

/*
 * A chip that cannot be identified may be any of those without a line, so these are unknown, not 0.
 */
static int take_lines(struct sample *sample, struct process *process,
		      const struct traced_memory *lines, size_t count)
{
	struct memory_report nothing = memory_report_make(process->pid, TRACKING_TRACED);
	size_t first = sample->n_reports;
	bool all = true;
	int r = 0;

	nothing.start_ticks = lines[0].start_ticks;
	nothing.has_held = true;
	nothing.low = was_there_before(lines, count);
	for (size_t i = 0; i < count && r >= 0; i++) {
		struct memory_report report = nothing;

		if (!lines[i].has_chip || (i > 0 && lines[i].chip == lines[i - 1].chip))
			continue;
		fill_report(&report, &lines[i]);
		if (identity_logical(sample->snapshot, process, lines[i].chip, &report.device)) {
			r = sample_report_part(sample, first, &report);
			continue;
		}
		all = false;
		report_unmatched(sample->snapshot, process, lines[i].chip);
	}
	if (!all)
		set_missing_reason(sample, process, first);
	for (size_t i = 0; i < process->n_usages && all && r >= 0; i++) {
		struct memory_report report = nothing;

		report.device = process->usages[i].device;
		if (!is_reported(sample, first, report.device))
			r = sample_report(sample, &report);
	}
	return r;
}

static int take_process(struct sample *sample, size_t before, const struct traced_memory *lines,
			size_t count)
{
	struct process *process = snapshot_find_process(sample->snapshot, lines[0].pid);
	enum trace_fault fault = find_fault(lines, count);

	if (!process || is_reported_by_server(sample, before, process->pid) ||
	    (process->start_ticks && process->start_ticks != lines[0].start_ticks))
		return 0;
	if (fault == TRACE_FAULT_NONE)
		return take_lines(sample, process, lines, count);
	for (size_t i = 0; i < process->n_usages; i++)
		usage_set_reason(&process->usages[i], reason_of_trace_fault(fault));
	return 0;
}

static int take_text(struct traced_source *traced, struct sample *sample, const char *text)
{
	CLEANUP_FREE struct traced_memory *lines = NULL;
	size_t count = 0, n, before = sample->n_reports;
	int r = traced_parse_allocations(text, &lines, &count);

	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		bpf_text_report_error(&traced->file, sample, r);
		return 0;
	}
	if (count)
		qsort(lines, count, sizeof(*lines), by_process);
	for (size_t i = 0; i < count && r >= 0; i += n) {
		n = count_same(lines + i, count - i);
		r = take_process(sample, before, lines + i, n);
	}
	return r;
}

static int traced_sample(void *state, struct sample *sample)
{
	struct traced_source *traced = state;
	const char *text;

	/* A process without a device has no memory to show. */
	sample->absent = !sample->want->processes || sample->snapshot->n_processes == 0;
	if (sample->absent)
		return 0;
	text = bpf_text_read(&traced->file, sample);
	sample->absent = traced->file.absent;
	return text ? take_text(traced, sample, text) : 0;
}

static int traced_open(const struct root *root, void **ret_state)
{
	struct traced_source *traced = calloc(1, sizeof(*traced));

	if (!traced)
		return -ENOMEM;
	bpf_text_init(&traced->file, root, TRACED_ALLOCATIONS);
	*ret_state = traced;
	return 0;
}

static void traced_close(void *state, struct worker_pool *workers)
{
	struct traced_source *traced = state;

	if (bpf_text_done(&traced->file, workers))
		free(traced);
}

const struct source source_traced = {
	.name = "traced",
	.open = traced_open,
	.sample = traced_sample,
	.close = traced_close,
};
