#include "trace/program_line.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The process chooses its name: bytes that would end a column are replaced. */
static void comm_clean(char to[static PROGRAM_COMM], const char comm[static PROGRAM_COMM])
{
	for (size_t i = 0; i < PROGRAM_COMM; i++)
		to[i] = (char)(comm[i] && (comm[i] <= ' ' || comm[i] > '~') ? '_' : comm[i]);
	if (!to[0])
		to[0] = '-';
}

static void update(const struct tracer *tracer, const struct trace_line_key *key,
		   struct trace_line *line)
{
	line->check = trace_line_sum(key, line);
	(void)bpf_map_update_elem(tracer->maps[MAP_LINES], key, line, BPF_ANY);
}

static void put(const struct tracer *tracer, const struct program_process *process, uint32_t chip,
		struct trace_line *line)
{
	struct trace_line_key key = { process->tgid, chip };

	line->start = process->start;
	line->device = -1;
	line->uid = process->uid;
	comm_clean(line->comm, process->comm);
	update(tracer, &key, line);
}

static void drop(const struct tracer *tracer, const struct program_process *process, uint32_t chip)
{
	struct trace_line_key key = { process->tgid, chip };

	(void)bpf_map_delete_elem(tracer->maps[MAP_LINES], &key);
}

static uint32_t bound_of(const struct program_figure *figure)
{
	if (!figure->is_known)
		return LINE_NONE;
	switch (figure->bound) {
	case PROGRAM_EXACT: return LINE_EXACT;
	case PROGRAM_LOWER: return LINE_LOWER;
	case PROGRAM_UPPER: return LINE_UPPER;
	}
	return LINE_NONE;
}

static struct trace_line line_of(const struct program_figure *figure, enum dispatch_state state,
				 int64_t now)
{
	return (struct trace_line){
		.busy = (uint64_t)figure->busy,
		.window = (uint64_t)figure->window,
		.programs = figure->programs,
		.updated = (uint64_t)now,
		.running = figure->running ? figure->running : -1,
		.last = figure->last,
		.bound = bound_of(figure),
		.state = state,
	};
}

/* Why nothing is measured on chips of the process that have no state of their own. */
static enum dispatch_state state_of(const struct program_process *process)
{
	if (process->is_left_out)
		return DISPATCH_TOO_MANY;
	if (process->programs.launches.slow_ns)
		return DISPATCH_SLOW_DISPATCH;
	if (process->error)
		return process->error == -EBADMSG ? DISPATCH_UNKNOWN_LAYOUT : DISPATCH_NO_ANSWER;
	if (!process->can_ring && !process->can_record)
		return DISPATCH_NO_PROFILER;
	return process->manager ? DISPATCH_NOT_COVERED : DISPATCH_NO_RECORDS;
}

static void put_chip(const struct tracer *tracer, const struct program_process *process,
		     const struct program_chip *chip, const char *operation, int64_t now)
{
	bool is_measured = !chip->figure.is_known || chip->figure.bound != PROGRAM_UPPER;
	struct trace_line line =
		line_of(&chip->figure, is_measured ? chip->state : state_of(process), now);

	if (chip->has_stream && chip->stream.n_records && !chip->is_usable)
		return;
	memcpy(line.operation, operation, sizeof(line.operation));
	put(tracer, process, chip->chip, &line);
}

void program_lines_publish_device(const struct tracer *tracer, uint32_t index,
				  const struct program_figure *figure, int64_t now)
{
	struct trace_line_key key = { 0, index };
	struct trace_line line =
		line_of(figure, figure->is_known ? DISPATCH_OK : DISPATCH_NO_RECORDS, now);

	line.device = (int32_t)index;
	update(tracer, &key, &line);
}

void program_lines_remove_device(const struct tracer *tracer, uint32_t index)
{
	struct trace_line_key key = { 0, index };

	(void)bpf_map_delete_elem(tracer->maps[MAP_LINES], &key);
}

/* The state of all chips without a line of their own: nothing was launched on them. */
static enum dispatch_state rest_state(const struct program_process *process)
{
	enum dispatch_state state = state_of(process);

	return state == DISPATCH_NO_PROFILER && process->is_followed ? DISPATCH_NO_RECORDS : state;
}

void program_lines_publish(const struct tracer *tracer, struct program_process *process)
{
	int64_t now = process->asked_ns;
	struct trace_line all = {
		.updated = (uint64_t)now,
		.running = -1,
		.last = -1,
		.state = rest_state(process),
	};

	/* The operation is chosen once per window, not at each sample. */
	if (now - process->named_ns >= PROGRAM_WINDOW_NS) {
		program_process_operation(process, process->operation);
		process->named_ns = now;
	}
	for (size_t i = 0; i < process->n_chips; i++)
		put_chip(tracer, process, &process->chips[i], process->operation, now);
	/* One line for all chips that have no line of their own. */
	put(tracer, process, LINE_ALL_CHIPS, &all);
}

void program_lines_remove(const struct tracer *tracer, const struct program_process *process)
{
	for (size_t i = 0; i < process->n_chips; i++)
		drop(tracer, process, process->chips[i].chip);
	drop(tracer, process, LINE_ALL_CHIPS);
}
