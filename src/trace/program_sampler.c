#include "trace/program_sampler.h"

#include "trace/program_judge.h"
#include "trace/program_line.h"
#include "trace/program_queues.h"
#include "trace/process_stat.h"

#include "basic/clock.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

/* Deadline for reading the rings of one process. */
#define DEADLINE (100 * NS_PER_MS)

/*
 * Probes that find the rings of a process are attached for SEEK_FIRST, and after that for
 * SEEK_AGAIN in each SEEK_PERIOD.
 */
#define SEEK_FIRST  (10 * NS_PER_S)
#define SEEK_PERIOD (30 * NS_PER_S)
#define SEEK_AGAIN  (2 * NS_PER_S)

/* ---- records from the kernel's ring buffer (releases before v0.76) ---- */

static struct program_process *add(struct program_sampler *sampler, uint32_t tgid, uint64_t start)
{
	int names = sampler->links.follow.names ? sampler->tracer->maps[MAP_OPERATIONS] : -1;
	struct program_process *process = program_process_new(
		tgid, start, names, clock_now(CLOCK_MONOTONIC), &sampler->shares);
	struct program_process **at = &sampler->processes;

	if (!process)
		return NULL;
	process->is_current = true;
	process->is_followed = sampler->links.follow.launches;
	while (*at)
		at = &(*at)->next;
	*at = process;
	return process;
}

static bool look_up(const struct program_sampler *sampler, const struct program_process *process,
		    struct trace_programs *ret)
{
	return bpf_map_lookup_elem(sampler->tracer->maps[MAP_PROGRAMS], &process->tgid, ret) == 0 &&
	       ret->start_ns / TRACE_NS_PER_TICK == process->start;
}

/* Did its user have as many entries in the kernel as one may have? */
static bool is_refused(const struct program_sampler *sampler, const struct program_process *process)
{
	struct trace_program_user user;

	return bpf_map_lookup_elem(sampler->tracer->maps[MAP_PROGRAM_USERS], &process->uid,
				   &user) == 0 &&
	       user.entries >= PROGRAM_USER_ENTRIES;
}

static void read_programs(const struct program_sampler *sampler, struct program_process *process)
{
	struct trace_programs programs;

	process->asked_ns = clock_now(CLOCK_MONOTONIC);
	if (!look_up(sampler, process, &programs)) {
		programs = (struct trace_programs){ 0 };
		process->is_left_out |= is_refused(sampler, process);
	}
	if (programs.begun_ns != process->programs.begun_ns) {
		program_lines_remove(sampler->tracer, process);
		program_process_restart(process);
	}
	process->programs = programs;
}

/* Counts again: programs that were launched while records were read may have records already. */
static void read_counted(const struct program_sampler *sampler, struct program_process *process)
{
	struct trace_programs programs;

	process->counted_after = process->programs.launches.counted;
	if (process->programs.from_start && look_up(sampler, process, &programs) &&
	    programs.begun_ns == process->programs.begun_ns)
		process->counted_after = programs.launches.counted;
}

/* A process may run programs before a scan has found it. */
static struct program_process *process_of(struct program_sampler *sampler,
					  const struct trace_record *record)
{
	uint64_t start = record->start_ns / TRACE_NS_PER_TICK;
	struct program_process *process = program_process_find(sampler->processes, record->tgid);

	if (process)
		return process->start == start ? process : NULL;
	process = add(sampler, record->tgid, start);
	if (process)
		read_programs(sampler, process);
	return process;
}

/*
 * Releases have the number of the chip at one of two places. Only in newer ones can the first place
 * contain a number other than 0; until one is seen, a process with several devices has no figure.
 */
static int take_record(void *arg, void *data, size_t size)
{
	const struct trace_record *record = data;
	struct program_sampler *sampler = arg;
	struct program_record one = { record->start, record->end, (uint16_t)record->id };
	struct program_process *process;
	double rate;

	if (size < sizeof(*record) || !one.id || record->words[0] >= PROFILER_CHIPS)
		return 0;
	process = process_of(sampler, record);
	if (!process || job_is_busy(sampler->round.workers, &process->job) || process->is_left_out)
		return 0;
	if (record->words[0])
		process->has_chip_first = true;
	memcpy(&rate, &record->rate, sizeof(rate));
	return program_process_keep(process, record->words[0], rate, &one,
				    (int64_t)record->arrived_ns);
}

/* ---- processes ---- */

static void remove_process(struct program_sampler *sampler, struct program_process **at)
{
	struct program_process *process = *at;

	program_lines_remove(sampler->tracer, process);
	*at = process->next;
	program_process_free(process, &sampler->shares);
}

static void remove_old(struct program_sampler *sampler)
{
	for (struct program_process **at = &sampler->processes; *at;) {
		if ((*at)->is_current || job_is_busy(sampler->round.workers, &(*at)->job))
			at = &(*at)->next;
		else
			remove_process(sampler, at);
	}
}

static bool has_profiler(struct program_sampler *sampler, const struct device_holder *holder,
			 struct program_process *process)
{
	bool found = false;

	process->can_ring = process->can_record = false;
	for (size_t i = 0; i < TRACE_COPIES && holder->libraries[i]; i++) {
		const struct program_library *library =
			program_links_find(&sampler->links, holder->libraries[i]);

		if (!library)
			continue;
		found = true;
		process->can_ring |= program_hooks_has_rings(&library->hooks);
		process->can_record |= program_hooks_has_records(&library->hooks);
	}
	return found;
}

static int add_holder(struct program_sampler *sampler, const struct device_holder *holder)
{
	struct program_process *process =
		program_process_find(sampler->processes, (uint32_t)holder->pid);

	if (process && process->start != holder->start)
		return 0; /* an earlier process had this pid: it is removed first */
	if (!process)
		process = add(sampler, (uint32_t)holder->pid, holder->start);
	if (!process)
		return -ENOMEM;
	memcpy(process->comm, holder->comm, sizeof(process->comm) - 1);
	process->n_devices = holder->n_devices;
	process->is_current = has_profiler(sampler, holder, process);
	return 0;
}

/* Attaches the probes that find rings to libraries of processes whose rings are not known. */
static int seek_rings(struct program_sampler *sampler, const struct device_holder *holders,
		      size_t count, int64_t now)
{
	int r = 0;

	for (size_t i = 0; i < TRACE_LIBRARIES && r == 0; i++) {
		struct program_library *library = &sampler->links.libraries[i];
		bool seek = false;

		if (!library->id)
			continue;
		for (size_t j = 0; j < count; j++) {
			const struct program_process *process =
				program_process_find(sampler->processes, (uint32_t)holders[j].pid);
			int64_t age = process ? now - process->first_ns : 0;

			seek |= process && device_holder_maps(&holders[j], library->id) &&
				!process->programs.manager &&
				(age < SEEK_FIRST || age % SEEK_PERIOD < SEEK_AGAIN);
		}
		r = program_links_seek(library, sampler->tracer, seek);
	}
	return r;
}

bool program_sampler_is_active(const struct program_sampler *sampler)
{
	for (const struct program_process *process = sampler->processes; process;
	     process = process->next)
		if (sampler->links.follow.launches || process->can_ring || process->can_record)
			return true;
	return false;
}

int program_sampler_update(struct program_sampler *sampler,
			   const struct trace_library list[static TRACE_LIBRARIES],
			   const struct device_holder *holders, size_t count)
{
	int64_t now = clock_now(CLOCK_MONOTONIC);
	int r = 0;

	program_links_clean(&sampler->links, list);
	for (struct program_process *process = sampler->processes; process; process = process->next)
		process->is_current = false;
	for (size_t i = 0; i < count && r == 0; i++)
		r = add_holder(sampler, &holders[i]);
	remove_old(sampler);
	if (r == 0)
		r = program_union_update(&sampler->shared, sampler->processes);
	if (r == 0)
		r = seek_rings(sampler, holders, count, now);
	/*
	 * While it is not active, it runs only here, once per scan, to keep the lines up to date.
	 */
	return r == 0 && !program_sampler_is_active(sampler) ? program_sampler_run(sampler) : r;
}

/* ---- sampling ---- */

/*
 * Gives a process its place in this sample. One that cannot pay for its last job waits, with its
 * last figures, and without figures after a second.
 */
static void admit(struct program_process *process)
{
	size_t before = program_share_count(process->share);

	process->has_line = before < SHARE_LINES;
	process->is_left_out = before >= SHARE_PROCESSES;
	process->is_waiting = !program_share_pay(process->share, process->work);
	if (!process->is_waiting) {
		process->work = process->waits_ns = 0;
		return;
	}
	if (!process->waits_ns)
		process->waits_ns = clock_now(CLOCK_MONOTONIC);
	process->is_left_out |= clock_now(CLOCK_MONOTONIC) - process->waits_ns >= PROGRAM_WINDOW_NS;
}

static int start_jobs(struct program_sampler *sampler)
{
	int r = 0;

	job_round_clear(&sampler->round);
	program_shares_renew(sampler->shares);
	for (struct program_process *process = sampler->processes; process && r == 0;
	     process = process->next) {
		if (job_is_busy(sampler->round.workers, &process->job)) {
			program_share_count(process->share); /* it has its place, and a thread */
			continue;
		}
		admit(process);
		if (process->is_waiting)
			continue;
		read_programs(sampler, process);
		program_process_begin(process);
		if (process->programs.manager && !process->is_left_out)
			r = job_round_add(&sampler->round, program_process_start(process));
	}
	return r;
}

static void judge(const struct program_sampler *sampler, struct program_process *process,
		  int64_t now)
{
	program_process_take_kept(process, now);
	read_counted(sampler, process);
	program_judge(process);
}

/* Its chips are free for other processes of the user. */
static void leave_out(const struct program_sampler *sampler, struct program_process *process,
		      int64_t now)
{
	program_lines_remove(sampler->tracer, process);
	program_process_restart(process);
	process->asked_ns = now;
	if (process->has_line)
		program_lines_publish(sampler->tracer, process);
}

static void publish(struct program_sampler *sampler, int64_t now)
{
	for (struct program_process *process = sampler->processes; process;
	     process = process->next) {
		if (job_is_busy(sampler->round.workers, &process->job))
			continue; /* readers see by its old lines that it is blocked */
		if (!process->is_waiting && !process->is_left_out)
			judge(sampler, process, now);
		if (process->is_left_out)
			leave_out(sampler, process, now);
		else if (!process->is_waiting)
			program_lines_publish(sampler->tracer, process);
	}
	program_union_publish(&sampler->shared, sampler->tracer, sampler->processes,
			      sampler->round.workers, now);
}

int program_sampler_run(struct program_sampler *sampler)
{
	int64_t now;
	int r = start_jobs(sampler);

	if (r == 0)
		r = program_queues_read(sampler->tracer, sampler->processes,
					sampler->round.workers);
	if (r < 0)
		return r;
	job_round_run(&sampler->round);
	r = ring_buffer__consume(sampler->records);
	now = clock_now(CLOCK_MONOTONIC);
	publish(sampler, now);
	return MIN(r, 0);
}

/* ---- begin and end ---- */

static void clear(int map, void *key)
{
	while (bpf_map_get_next_key(map, NULL, key) == 0)
		if (bpf_map_delete_elem(map, key) < 0)
			return;
}

int program_sampler_init(struct program_sampler *sampler, const struct tracer *tracer,
			 struct worker_pool *workers, struct program_follow follow)
{
	*sampler = (struct program_sampler){
		.tracer = tracer,
		.round = { .workers = workers, .deadline = DEADLINE },
	};
	program_links_init(&sampler->links, follow);
	clear(tracer->maps[MAP_PROGRAMS], &(uint32_t){ 0 });
	clear(tracer->maps[MAP_PROGRAM_USERS], &(uint32_t){ 0 });
	clear(tracer->maps[MAP_QUEUES], &(struct trace_queue_key){ 0 });
	clear(tracer->maps[MAP_LINES], &(struct trace_line_key){ 0 });
	sampler->records = ring_buffer__new(tracer->maps[MAP_RECORDS], take_record, sampler, NULL);
	return sampler->records ? 0 : -errno;
}

void program_sampler_done(struct program_sampler *sampler)
{
	while (sampler->processes)
		remove_process(sampler, &sampler->processes);
	program_union_done(&sampler->shared);
	program_links_done(&sampler->links);
	job_round_done(&sampler->round);
	ring_buffer__free(sampler->records);
}
