#include "trace/program_union.h"

#include "trace/program_line.h"

#include "source/identity.h"

#include <errno.h>

/* The sources that determine which process holds which device, and by which number. */
static const struct source *const used[] = {
	&source_kmd, &source_holders, &source_proc, &source_visible, NULL,
};

static const struct field_ref *const fields =
	FIELDS(DEVICE_FIELD(BDF), DEVICE_FIELD(ASIC_ID), PROCESS_FIELD(ROLE), PART(PROCESSES));

/* A device, and the processes that run programs on it. */
struct device_users {
	struct program_user list[PROGRAM_UNION_MAX];
	int32_t pids[PROGRAM_UNION_MAX];
	size_t count;
	bool has_others;
};

static bool is_needed(const struct program_process *processes)
{
	return processes && processes->next;
}

static int open_sampler(struct program_union *all)
{
	struct want want = { 0 };
	int r;

	if (all->sampler)
		return 0;
	r = root_init(&all->root, NULL);
	if (r < 0)
		return r;
	want_add_list(&want, fields);
	r = sampler_new(&all->root, &want, used, &all->sampler);
	if (r < 0)
		root_done(&all->root);
	return r;
}

int program_union_update(struct program_union *all, const struct program_process *processes)
{
	struct snapshot *snapshot = NULL;
	int r = 0;

	if (is_needed(processes))
		r = open_sampler(all);
	if (r < 0)
		return r;
	/* A failure, as if there are no devices, leaves nothing to show. */
	if (is_needed(processes) && sampler_take(all->sampler, NULL, &snapshot) < 0)
		snapshot = NULL;
	snapshot_free(all->snapshot);
	all->snapshot = snapshot;
	return 0;
}

void program_union_done(struct program_union *all)
{
	bool is_blocked = all->sampler && sampler_is_blocked(all->sampler);

	all->snapshot = snapshot_free(all->snapshot);
	if (!all->sampler)
		return;
	all->sampler = sampler_free(all->sampler);
	if (!is_blocked)
		root_done(&all->root);
}

static void add_user(struct device_users *users, const struct program_process *process,
		     const struct program_chip *chip)
{
	if (users->count == PROGRAM_UNION_MAX) {
		users->has_others = true;
		return;
	}
	users->pids[users->count] = (int32_t)process->tgid;
	users->list[users->count++] = (struct program_user){
		.figure = chip->figure,
		.busy = chip->has_stream ? &chip->stream.busy : NULL,
	};
}

/* Adds the chips of a process that are this device. */
static void add_process(const struct program_union *all, size_t device,
			const struct program_process *sampled, struct device_users *users)
{
	const struct process *process =
		snapshot_find_process(all->snapshot, (int32_t)sampled->tgid);
	struct identity_numbers numbers;

	if (!process || process->start_ticks != sampled->start)
		return;
	identity_numbers(all->snapshot, process, &numbers);
	for (size_t i = 0; i < sampled->n_chips; i++) {
		size_t found;

		if (identity_numbers_find(&numbers, sampled->chips[i].chip, &found) &&
		    found == device)
			add_user(users, sampled, &sampled->chips[i]);
	}
}

static bool has_pid(const struct device_users *users, int32_t pid)
{
	for (size_t i = 0; i < users->count; i++)
		if (users->pids[i] == pid)
			return true;
	return false;
}

/* Is there a job on the device whose programs are not known? */
static bool has_others(const struct snapshot *snapshot, size_t device,
		       const struct device_users *users)
{
	for (size_t i = 0; i < snapshot->n_processes; i++) {
		const struct process *process = &snapshot->processes[i];

		if (process_find_usage(process, device) && process->role != ROLE_MONITOR &&
		    !has_pid(users, process->pid))
			return true;
	}
	return false;
}

static void publish_device(struct program_union *all, const struct tracer *tracer,
			   const struct program_process *processes, struct worker_pool *workers,
			   size_t device, int64_t now)
{
	uint32_t index = all->snapshot->devices[device].index;
	struct device_users users = { 0 };
	struct program_figure figure;

	for (const struct program_process *process = processes; process; process = process->next)
		if (!job_is_busy(workers, &process->job))
			add_process(all, device, process, &users);
	if (users.count < 2)
		return;
	users.has_others |= has_others(all->snapshot, device, &users);
	program_figure_join(&figure, users.list, users.count, users.has_others);
	program_lines_publish_device(tracer, index, &figure, now);
	all->has_line[index] = true;
}

void program_union_publish(struct program_union *all, const struct tracer *tracer,
			   const struct program_process *processes, struct worker_pool *workers,
			   int64_t now)
{
	for (uint32_t index = 0; index < TRACE_DEVICES; index++) {
		if (all->has_line[index])
			program_lines_remove_device(tracer, index);
		all->has_line[index] = false;
	}
	for (size_t i = 0; all->snapshot && i < all->snapshot->n_devices; i++)
		if (device_has_node(&all->snapshot->devices[i]) &&
		    all->snapshot->devices[i].index < TRACE_DEVICES)
			publish_device(all, tracer, processes, workers, i, now);
}
