#include "jobs.h"

#include "basic/clock.h"
#include "basic/exit_code.h"
#include "basic/file.h"
#include "basic/parse.h"
#include "procfs.h"
#include "programs.h"
#include "setup.h"
#include "spawn.h"
#include "sysfs.h"
#include "traced.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define STOP_MS 1000

static int add_holder(struct machine *m, struct sim_device *d, pid_t pid, const struct workload *w)
{
	struct sim_holder *grown;

	grown = reallocarray(d->holders, d->holder_count + w->opens, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	d->holders = grown;
	for (unsigned i = 0; i < w->opens; i++) {
		struct sim_holder *h = &d->holders[d->holder_count++];

		h->pid = pid;
		workload_comm(w, h->comm);
	}
	sysfs_update_holders(m, d);
	return 0;
}

static void drop_holder(struct machine *m, struct sim_device *d, pid_t pid)
{
	size_t left = 0;

	for (size_t i = 0; i < d->holder_count; i++)
		if (d->holders[i].pid != pid)
			d->holders[left++] = d->holders[i];
	if (left == d->holder_count)
		return;
	d->holder_count = left;
	sysfs_update_holders(m, d);
}

/* Removes devices that are currently absent and cannot be opened. */
static void drop_absent(struct machine *m, struct worker_job *job)
{
	size_t left = 0;

	for (size_t i = 0; i < job->device_count; i++)
		if (machine_device(m, job->devices[i].number)->present)
			job->devices[left++] = job->devices[i];
	job->device_count = left;
}

/* Field 22 of its stat, the twentieth after the name in parentheses. 0: unreadable. */
static uint64_t read_start(pid_t pid)
{
	char path[32], text[1024], *at;
	uint64_t ticks = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (file_read(AT_FDCWD, path, text, sizeof(text)) < 0)
		return 0;
	at = strrchr(text, ')');
	for (int i = 0; i < 20 && at; i++)
		at = strchr(at + 1, ' ');
	if (!at)
		return 0;
	at[1 + strcspn(at + 1, " ")] = '\0';
	return parse_u64(at + 1, &ticks) < 0 ? 0 : ticks;
}

/* Writes what the tracer would have counted by now. */
static void write_traced(struct jobs *jobs)
{
	struct machine *m = jobs->machine;
	struct traced_files files;

	if (!traced_is_on(m))
		return;
	traced_begin(&files);
	for (size_t i = 0; i < m->opt.workload_count; i++) {
		const struct job_process *p = &jobs->process[i];
		struct worker_job job;

		if (!p->pid)
			continue;
		setup_job(m, &m->opt.workloads[i], jobs->root, &job);
		drop_absent(m, &job);
		traced_add(&files, &(struct traced_process){ .pid = p->pid,
							     .start_ticks = p->start_ticks,
							     .age_ms = m->now_ms - p->started_ms,
							     .job = &job });
	}
	traced_end(&files, &m->root);
}

/* Chips that run no program: a bit per device. */
static uint64_t find_stopped(const struct machine *m)
{
	uint64_t stopped = 0;

	for (size_t i = 0; i < m->device_count; i++) {
		const struct sim_device *d = &m->devices[i];

		if (d->off_bus || d->in_reset || d->place == PLACE_GONE)
			stopped |= UINT64_C(1) << i;
	}
	return stopped;
}

/* Errors are those of a process that has just ended. */
static void tell_stopped(struct jobs *jobs)
{
	uint64_t stopped = find_stopped(jobs->machine);

	if (stopped == jobs->stopped)
		return;
	jobs->stopped = stopped;
	for (size_t i = 0; i < jobs->machine->opt.workload_count; i++)
		if (jobs->process[i].pid && jobs->process[i].is_measured)
			(void)send(jobs->process[i].socket, &stopped, sizeof(stopped),
				   MSG_NOSIGNAL | MSG_DONTWAIT);
}

static int start_one(struct jobs *jobs, size_t index)
{
	struct machine *m = jobs->machine;
	struct job_process *p = &jobs->process[index];
	struct worker_job job;
	int r;

	setup_job(m, &m->opt.workloads[index], jobs->root, &job);
	drop_absent(m, &job);
	job.stopped = jobs->stopped;
	r = spawn_worker(&job, &p->pid, &p->socket);
	if (r < 0)
		return r;
	p->is_measured = programs_are_run(&job);
	p->restart_ms = 0;
	p->started_ms = m->now_ms;
	p->start_ticks = read_start(p->pid);
	procfs_add_running(&m->root, p->pid, &job.workload);
	for (size_t i = 0; i < job.device_count && r == 0; i++)
		r = add_holder(m, machine_device(m, job.devices[i].number), p->pid, &job.workload);
	return r;
}

/* Waits until figures about the programs of all processes can be had, or a process has ended. */
static int wait_for_figures(struct jobs *jobs)
{
	int r = 0;

	for (size_t i = 0; i < jobs->machine->opt.workload_count && (r == 0 || r == -ECHILD); i++)
		if (jobs->process[i].is_measured)
			r = spawn_wait(jobs->process[i].socket);
	return r == -ECHILD ? 0 : r;
}

int jobs_start(struct jobs *jobs)
{
	int r;

	jobs->stopped = find_stopped(jobs->machine);
	for (size_t i = 0; i < jobs->machine->opt.workload_count; i++) {
		r = start_one(jobs, i);
		if (r < 0) {
			fprintf(stderr, "tt_smi sim: workload %zu: %s\n", i, strerror(-r));
			return r;
		}
	}
	write_traced(jobs);
	r = wait_for_figures(jobs);
	if (r < 0)
		fprintf(stderr, "tt_smi sim: a workload runs no programs: %s\n", strerror(-r));
	return r;
}

bool jobs_reap(struct jobs *jobs, pid_t pid)
{
	struct machine *m = jobs->machine;

	for (size_t i = 0; i < m->opt.workload_count; i++) {
		struct job_process *p = &jobs->process[i];

		if (p->pid != pid)
			continue;
		p->pid = 0;
		close(p->socket);
		if (m->opt.workloads[i].restart_after_ms)
			p->restart_ms = m->now_ms + m->opt.workloads[i].restart_after_ms;
		for (size_t j = 0; j < m->device_count; j++)
			drop_holder(m, &m->devices[j], pid);
		tree_removef(&m->root, "proc/%d", pid);
		write_traced(jobs);
		return true;
	}
	return false;
}

void jobs_tick(struct jobs *jobs)
{
	struct machine *m = jobs->machine;

	for (size_t i = 0; i < m->opt.workload_count; i++) {
		struct job_process *p = &jobs->process[i];

		if (!p->pid && p->restart_ms && m->now_ms >= p->restart_ms &&
		    start_one(jobs, i) < 0)
			p->restart_ms = m->now_ms + 1000;
	}
	for (size_t i = 0; i < m->opt.fault_count; i++) {
		struct fault *f = &m->opt.faults[i];

		if (f->kind != FAULT_KILL || f->done || !fault_is_active(f, m->now_ms))
			continue;
		f->done = true;
		if (jobs->process[f->number].pid)
			kill(jobs->process[f->number].pid, SIGKILL);
	}
	tell_stopped(jobs);
	write_traced(jobs);
}

static bool reap_some(struct jobs *jobs)
{
	bool left = false;

	for (size_t i = 0; i < jobs->machine->opt.workload_count; i++) {
		pid_t pid = jobs->process[i].pid;

		if (pid && waitpid(pid, NULL, WNOHANG) == pid)
			jobs->process[i].pid = 0;
		left = left || jobs->process[i].pid;
	}
	return left;
}

void jobs_stop(struct jobs *jobs)
{
	static const int signals[] = { SIGTERM, SIGKILL };
	int64_t deadline;

	for (size_t s = 0; s < ARRAY_SIZE(signals); s++) {
		for (size_t i = 0; i < jobs->machine->opt.workload_count; i++)
			if (jobs->process[i].pid)
				kill(jobs->process[i].pid, signals[s]);
		deadline = clock_now(CLOCK_MONOTONIC) + STOP_MS * NS_PER_MS;
		while (reap_some(jobs) && clock_now(CLOCK_MONOTONIC) < deadline)
			usleep(2000);
	}
}
