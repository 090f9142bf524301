#include "jobs.h"

#include "basic/clock.h"
#include "basic/exit_code.h"
#include "basic/file.h"
#include "basic/parse.h"
#include "procfs.h"
#include "setup.h"
#include "sysfs.h"
#include "traced_report.h"
#include "worker.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define START_MS 10000
#define STOP_MS	 1000
#define MAX_ARGS 64

/*
 * The path of this program, for executing it again. Executing /proc/self/exe would start valgrind
 * under valgrind; it is used only if the file was replaced, since the job needs this build.
 */
static const char *own_path(char *path, size_t size)
{
	static const char link[] = "/proc/self/exe";

	if (file_readlink(AT_FDCWD, link, path, size) < 0 || strstr(path, " (deleted)"))
		return link;
	return path;
}

/*
 * Runs in the child, with its own process group, so that signals of the terminal do not reach it.
 */
static void become_worker(const struct workload *w, int socket, pid_t parent)
{
	char words[sizeof(w->args)], *rest = words, *word, number[16], path[PATH_MAX];
	char *argv[MAX_ARGS + 2] = { (char *)w->name };
	size_t argc = 1;
	sigset_t none;
	int null;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILED);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	null = open("/dev/null", O_RDWR);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	if (null > STDERR_FILENO)
		close(null);
	/* close the descriptors of our caller on exec */
	close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
	fcntl(socket, F_SETFD, 0);
	snprintf(number, sizeof(number), "%d", socket);
	setenv(WORKER_VARIABLE, number, 1);
	snprintf(words, sizeof(words), "%s", w->args);
	while ((word = strsep(&rest, " ")) && argc <= MAX_ARGS)
		if (*word)
			argv[argc++] = word;
	execv(own_path(path, sizeof(path)), argv);
	_exit(EXIT_NO_COMMAND);
}

/* Sends the job and waits for one byte. */
static int hand_over(int socket, const struct worker_job *job)
{
	struct pollfd ready = { .fd = socket, .events = POLLIN };
	char byte;
	int r;

	if (send(socket, job, sizeof(*job), MSG_NOSIGNAL) != (ssize_t)sizeof(*job))
		return -EPIPE;
	do
		r = poll(&ready, 1, START_MS);
	while (r < 0 && errno == EINTR);
	if (r == 0)
		return -ETIMEDOUT;
	return r > 0 && read(socket, &byte, 1) == 1 ? 0 : -ECHILD;
}

static int start_process(const struct worker_job *job, pid_t *ret)
{
	pid_t parent = getpid(), pid;
	int pair[2], r;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		become_worker(&job->workload, pair[1], parent);
	r = pid < 0 ? -errno : 0;
	close(pair[1]);
	if (r == 0)
		r = hand_over(pair[0], job);
	close(pair[0]);
	if (r < 0 && pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	if (r == 0)
		*ret = pid;
	return r;
}

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

/* Writes what the tracer would have counted and measured by now. */
static void write_traced(struct jobs *jobs)
{
	struct machine *m = jobs->machine;
	struct traced_report report;

	if (!traced_report_begin(&report, m, clock_now(CLOCK_MONOTONIC)))
		return;
	for (size_t i = 0; i < m->opt.workload_count; i++) {
		const struct job_process *p = &jobs->process[i];
		struct worker_job job;

		if (!p->pid)
			continue;
		setup_job(m, &m->opt.workloads[i], jobs->root, &job);
		drop_absent(m, &job);
		traced_report_add(&report,
				  &(struct traced_process){ .pid = p->pid,
							    .start_ticks = p->start_ticks,
							    .age_ms = m->now_ms - p->started_ms,
							    .job = &job });
	}
	traced_report_end(&report, &m->root);
}

static int start_one(struct jobs *jobs, size_t index)
{
	struct machine *m = jobs->machine;
	struct job_process *p = &jobs->process[index];
	struct worker_job job;
	int r;

	setup_job(m, &m->opt.workloads[index], jobs->root, &job);
	drop_absent(m, &job);
	r = start_process(&job, &p->pid);
	if (r < 0)
		return r;
	p->restart_ms = 0;
	p->started_ms = m->now_ms;
	p->start_ticks = read_start(p->pid);
	procfs_add_running(&m->root, p->pid, &job.workload);
	for (size_t i = 0; i < job.device_count && r == 0; i++)
		r = add_holder(m, machine_device(m, job.devices[i].number), p->pid, &job.workload);
	return r;
}

int jobs_start(struct jobs *jobs)
{
	int r;

	for (size_t i = 0; i < jobs->machine->opt.workload_count; i++) {
		r = start_one(jobs, i);
		if (r < 0) {
			fprintf(stderr, "tt_smi sim: workload %zu: %s\n", i, strerror(-r));
			return r;
		}
	}
	write_traced(jobs);
	return 0;
}

bool jobs_reap(struct jobs *jobs, pid_t pid)
{
	struct machine *m = jobs->machine;

	for (size_t i = 0; i < m->opt.workload_count; i++) {
		struct job_process *p = &jobs->process[i];

		if (p->pid != pid)
			continue;
		p->pid = 0;
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
