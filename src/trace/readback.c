#include "trace/readback.h"

#include "trace/process_readback.h"

#include "basic/clock.h"

#include <bpf/bpf.h>
#include <errno.h>

/* A process that exceeded its time limit is not read again for this long. */
#define BACK_OFF (60 * NS_PER_S)

static struct process_readback *find(const struct readback *readback, uint32_t tgid)
{
	struct process_readback *process = readback->processes;

	while (process && process->tgid != tgid)
		process = process->next;
	return process;
}

/* Adds an allocator to its process, unless that is being read or cannot be. */
static int add(struct readback *readback, const struct scan_state *scan,
	       const struct known_allocator *known)
{
	struct process_readback *process = find(readback, known->key.tgid);

	if (process && process_readback_has_begun(process))
		return 0;
	if (!process) {
		process = process_readback_new(scan->tracer, known->key.tgid);
		if (!process)
			return 0;
		process->next = readback->processes;
		readback->processes = process;
	}
	return process_readback_add(process, known);
}

/* Collects all allocators in the kernel's table that are not read yet. */
static int collect(struct readback *readback, const struct scan_state *scan)
{
	int map = scan->tracer->maps[MAP_ALLOCATORS], r = 0;
	struct trace_key *before = NULL, next;
	struct known_allocator known;

	while (r == 0 && bpf_map_get_next_key(map, before, &next) == 0) {
		uint32_t id;

		known.key = next;
		before = &known.key;
		if (bpf_map_lookup_elem(map, &next, &known.allocator) < 0)
			continue;
		id = known.allocator.library;
		known.library = scan->libraries[id % TRACE_LIBRARIES];
		if (!known.allocator.read && known.library.id == id)
			r = add(readback, scan, &known);
	}
	return r;
}

/* Frees the processes that are done, except those in back-off. */
static void clean(struct readback *readback, const struct scan_state *scan)
{
	int64_t now = clock_now(CLOCK_MONOTONIC);

	for (struct process_readback **at = &readback->processes; *at;) {
		struct process_readback *process = *at;

		if (job_is_busy(scan->round.workers, &process->job) ||
		    (process->gave_up && now < process->until + BACK_OFF)) {
			at = &process->next;
			continue;
		}
		*at = process->next;
		process_readback_free(process);
	}
}

int readback_run(struct readback *readback, struct scan_state *scan)
{
	int r;

	clean(readback, scan);
	r = collect(readback, scan);
	for (struct process_readback *process = readback->processes; process && r == 0;
	     process = process->next)
		if (!process_readback_has_begun(process))
			r = job_round_add(&scan->round, process_readback_start(process));
	job_round_run(&scan->round);
	return r;
}

void readback_done(struct readback *readback)
{
	while (readback->processes) {
		struct process_readback *first = readback->processes;

		readback->processes = first->next;
		process_readback_free(first);
	}
}
