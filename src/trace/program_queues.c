#include "trace/program_queues.h"

#include <bpf/bpf.h>
#include <errno.h>

/*
 * Has the process exited, or closed the queue? process: NULL if no scan has found it yet, although
 * it may be running: then the kernel still has its entry.
 */
static bool is_obsolete(const struct tracer *tracer, const struct program_process *process,
			const struct trace_queue_key *key, const struct trace_queue *queue)
{
	struct trace_programs programs;

	if (!process)
		return bpf_map_lookup_elem(tracer->maps[MAP_PROGRAMS], &key->tgid, &programs) < 0 ||
		       programs.start_ns != queue->start_ns;
	return process->start != queue->start_ns / TRACE_NS_PER_TICK ||
	       queue->made_ns < process->programs.begun_ns;
}

static int take_queue(struct program_process *process, const struct trace_queue *queue)
{
	struct program_chip *chip = program_process_chip(process, queue->state.chip);

	if (!chip)
		return process->is_left_out ? 0 : -ENOMEM;
	chip->queue = *queue;
	chip->has_queue = true;
	return 0;
}

int program_queues_read(const struct tracer *tracer, struct program_process *processes,
			struct worker_pool *workers)
{
	struct trace_queue_key key, next;
	int map = tracer->maps[MAP_QUEUES];
	bool has_next = bpf_map_get_next_key(map, NULL, &next) == 0;
	int r = 0;

	while (has_next && r == 0) {
		struct program_process *process = program_process_find(processes, next.tgid);
		struct trace_queue queue;

		key = next;
		/* Before the key may be deleted: a deleted key has no next one. */
		has_next = bpf_map_get_next_key(map, &key, &next) == 0;
		if (bpf_map_lookup_elem(map, &key, &queue) < 0)
			continue;
		if (is_obsolete(tracer, process, &key, &queue))
			bpf_map_delete_elem(map, &key);
		else if (process && !process->is_left_out && !job_is_busy(workers, &process->job))
			r = take_queue(process, &queue);
	}
	return r;
}
