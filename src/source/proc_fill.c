#include "source/proc_fill.h"

#include "basic/clock.h"
#include "basic/shared_text.h"
#include "basic/text.h"

#include <string.h>

static enum process_state state_of_letter(char letter)
{
	switch (letter) {
	case 'R': return PROCESS_RUNNING;
	case 'S': return PROCESS_SLEEPING;
	case 'D': return PROCESS_DISK;
	case 'T': return PROCESS_STOPPED;
	case 't': return PROCESS_TRACED;
	case 'Z': return PROCESS_ZOMBIE;
	case 'I': return PROCESS_IDLE;
	case 'X': return PROCESS_DEAD;
	default: return PROCESS_STATE_UNKNOWN;
	}
}

static void fill_times(struct process *process, const struct procfs_stat *stat,
		       const struct proc_fill *fill)
{
	double now = (double)fill->sample->snapshot->wall_ns / NS_PER_S;

	process->start_ticks = stat->start_ticks;
	process->cpu_ticks = stat->cpu_ticks;
	process->parent = stat->parent;
	process->why[PROC_START_TIME] = process->why[PROC_ELAPSED] = process->why[PROC_CPU] =
		NOT_OFFERED;
	if (!fill->has_boot)
		return;
	process->start_time = fill->boot + (double)stat->start_ticks / (double)sysconf(_SC_CLK_TCK);
	process->elapsed = MAX(0, now - process->start_time);
	process->why[PROC_START_TIME] = process->why[PROC_ELAPSED] = process->why[PROC_CPU] = KNOWN;
}

static void fill_command(struct process *process, const struct proc_reader *reader)
{
	process->why[PROC_NAME] = KNOWN;
	/* A zombie has none. */
	process->why[PROC_COMMAND] = reader->wants_command ? NOT_APPLICABLE : NOT_ASKED;
	memcpy(process->name, reader->name, sizeof(process->name));
	if (!reader->command)
		return;
	process->command = shared_text_ref(reader->command);
	process->why[PROC_COMMAND] = KNOWN;
}

static void fill_status(const struct proc_fill *fill, struct process *process,
			const struct proc_reader *reader)
{
	const struct procfs_status *status = &reader->status;

	if (!reader->has_status)
		return;
	if (reader->status_error < 0) {
		process->why[PROC_UID] = process->why[PROC_USER] = process->why[PROC_NS_PID] =
			(uint8_t)reason_of_error(reader->status_error);
		return;
	}
	process->uid = status->uid;
	process->why[PROC_UID] = KNOWN;
	if (proc_reader_wants(reader, PROC_USER)) {
		usernames_find(fill->users, fill->sample, status->uid, process->user,
			       sizeof(process->user));
		process->why[PROC_USER] = KNOWN;
	}
	memcpy(process->ns_pids, status->ns_pids, sizeof(process->ns_pids));
	process->ns_depth = status->ns_depth;
	process->why[PROC_NS_PID] = NOT_OFFERED;
	if (status->ns_depth) {
		process->ns_pid = status->ns_pids[status->ns_depth - 1];
		process->why[PROC_NS_PID] = KNOWN;
	}
}

/* Completes what we may not read ourselves with what the server has read. */
static void add_reported_job(const struct process *process, struct owner *owner)
{
	const struct reported_job *job = process->reported_job;

	if (!job || !owner->job_why || job->start_ticks != process->start_ticks ||
	    (owner->slurm_job[0] && strcmp(owner->slurm_job, job->id) != 0))
		return;
	text_copy(owner->slurm_job, sizeof(owner->slurm_job), job->id);
	text_copy(owner->slurm_name, sizeof(owner->slurm_name), job->name);
	text_copy(owner->slurm_user, sizeof(owner->slurm_user), job->user);
	owner->job_why = KNOWN;
}

static void fill_owner(struct process *process, const struct proc_reader *reader)
{
	struct owner owner = { .container = "" };

	if (!proc_reader_wants(reader, PROC_OWNER))
		return;
	if (reader->owner_error < 0) {
		memset(process->why + PROC_OWNER, (int)reason_of_error(reader->owner_error),
		       PROC_UNIT - PROC_OWNER + 1);
		return;
	}
	if (reader->owner)
		owner = *reader->owner;
	add_reported_job(process, &owner);
	process_set_owner(process, &owner);
}

void proc_fill(const struct proc_fill *fill, struct process *process,
	       const struct proc_reader *reader)
{
	fill_command(process, reader);
	fill_times(process, &reader->stat, fill);
	fill_status(fill, process, reader);
	fill_owner(process, reader);
	process->state = state_of_letter(reader->stat.state);
	process->why[PROC_STATE] = KNOWN;
	process->host_memory = reader->stat.rss_pages * (uint64_t)sysconf(_SC_PAGESIZE);
	process->why[PROC_HOST_MEMORY] = KNOWN;
	process->mount_ns = reader->mount_ns;
}
