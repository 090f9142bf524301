/* Name, command, user, age and owner of each holder, from /proc/PID. */
#include "source/source.h"

#include "basic/clock.h"
#include "source/proc_reader.h"
#include "source/procfs.h"
#include "source/roles.h"
#include "source/usernames.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct proc {
	struct usernames users;
	struct roles roles;
	struct proc_reader **late; /* their job hangs, and a second one would hang as well */
	size_t n_late;
	struct proc_reader **known; /* of the last sample, by pid, if it was at a low rate */
	size_t n_known;
	int64_t booted; /* boot time in a tree, in seconds since 1970; 0: not read yet */
};

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

/*
 * Boot time in seconds since 1970, from which process start times count. Our own clock may be set,
 * so it is computed each time.
 */
static bool boot_time(struct proc *proc, const struct root *root, double *ret)
{
	CLEANUP_BUF struct buf text = { 0 };

	if (root->live) {
		*ret = (double)(clock_now(CLOCK_REALTIME) - clock_now(CLOCK_BOOTTIME)) / NS_PER_S;
		return true;
	}
	if (!proc->booted && (root_read_all(root, "proc/stat", 1 << 20, &text) < 0 ||
			      !procfs_parse_btime(buf_text(&text), &proc->booted)))
		return false;
	*ret = (double)proc->booted;
	return true;
}

static void fill_times(struct process *process, const struct procfs_stat *stat,
		       const struct sample *sample, bool has_boot, double boot)
{
	double now = (double)sample->snapshot->wall_ns / NS_PER_S;

	process->start_ticks = stat->start_ticks;
	process->cpu_ticks = stat->cpu_ticks;
	process->parent = stat->parent;
	process->why[PROC_START_TIME] = process->why[PROC_ELAPSED] = process->why[PROC_CPU] =
		NOT_OFFERED;
	if (!has_boot)
		return;
	process->start_time = boot + (double)stat->start_ticks / (double)sysconf(_SC_CLK_TCK);
	process->elapsed = MAX(0, now - process->start_time);
	process->why[PROC_START_TIME] = process->why[PROC_ELAPSED] = process->why[PROC_CPU] = KNOWN;
}

static void fill_command(struct process *process, const struct proc_reader *reader)
{
	process->why[PROC_NAME] = KNOWN;
	process->why[PROC_COMMAND] = NOT_APPLICABLE; /* a zombie has none */
	snprintf(process->name, sizeof(process->name), "%s", reader->stat.comm);
	if (reader->command.length == 0)
		return;
	process->command = malloc(reader->command.length + 1);
	if (!process->command)
		return;
	procfs_parse_cmdline(reader->command.data, reader->command.length, process->name,
			     sizeof(process->name), process->command, reader->command.length + 1);
	process->why[PROC_COMMAND] = KNOWN;
	if (!process->name[0] ||
	    procfs_is_title(buf_text(&reader->command), process->name, reader->stat.comm))
		snprintf(process->name, sizeof(process->name), "%s", reader->stat.comm);
}

static void fill_status(struct usernames *users, struct sample *sample, struct process *process,
			const struct proc_reader *reader)
{
	const struct procfs_status *status = &reader->status;

	if (!reader->wants_status)
		return;
	if (reader->status_error < 0) {
		process->why[PROC_UID] = process->why[PROC_USER] = process->why[PROC_NS_PID] =
			(uint8_t)reason_of_error(reader->status_error);
		return;
	}
	process->uid = status->uid;
	process->why[PROC_UID] = KNOWN;
	if (proc_reader_wants(reader, PROC_USER)) {
		usernames_find(users, sample, status->uid, process->user, sizeof(process->user));
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

static void fill_owner(struct process *process, const struct proc_reader *reader)
{
	if (!proc_reader_wants(reader, PROC_OWNER))
		return;
	if (reader->owner_error < 0)
		memset(process->why + PROC_OWNER, (int)reason_of_error(reader->owner_error),
		       PROC_UNIT - PROC_OWNER + 1);
	else
		process_set_owner(process, reader->owner ? reader->owner : &(struct owner){ 0 });
}

static void process_fail(struct process *process, enum reason why)
{
	for (unsigned i = 0; i < PROCESS_N_FIELDS; i++)
		if (process->why[i] != KNOWN)
			process->why[i] = (uint8_t)why;
}

static void proc_reader_fill(struct usernames *users, struct sample *sample,
			     const struct proc_reader *reader, bool has_boot, double boot)
{
	struct process *process = snapshot_find_process(sample->snapshot, reader->pid);

	if (!process)
		return;
	if (!job_is_done(sample->workers, &reader->job)) {
		process_fail(process, TIMED_OUT);
		return;
	}
	if (reader->error < 0) {
		process_fail(process, reason_of_error(reader->error));
		return;
	}
	fill_command(process, reader);
	fill_times(process, &reader->stat, sample, has_boot, boot);
	fill_status(users, sample, process, reader);
	fill_owner(process, reader);
	process->state = state_of_letter(reader->stat.state);
	process->why[PROC_STATE] = KNOWN;
	process->host_memory = reader->stat.rss_pages * (uint64_t)sysconf(_SC_PAGESIZE);
	process->why[PROC_HOST_MEMORY] = KNOWN;
	process->mount_ns = reader->mount_ns;
}

/* An opener that has exited cannot be read. */
static bool can_be_asked(const struct process *process)
{
	return process->pid > 0 && process->holding != HOLDING_OPENER_GONE;
}

/* Finished processes have a user too. */
static void name_accounts(struct usernames *users, struct sample *sample)
{
	for (size_t i = 0; i < sample->snapshot->n_accounts; i++) {
		struct accounted *account = &sample->snapshot->accounts[i];

		usernames_find(users, sample, account->uid, account->user, sizeof(account->user));
		account->why[ACCOUNT_USER] = KNOWN;
	}
}

/* Does an earlier job for this process still hang? */
static bool is_late(const struct proc *proc, int32_t pid)
{
	for (size_t i = 0; i < proc->n_late; i++)
		if (proc->late[i]->pid == pid)
			return true;
	return false;
}

static void drop_late(struct proc *proc, struct worker_pool *workers)
{
	size_t kept = 0;

	for (size_t i = 0; i < proc->n_late; i++) {
		if (job_is_busy(workers, &proc->late[i]->job))
			proc->late[kept++] = proc->late[i];
		else
			proc_reader_free(proc->late[i]);
	}
	proc->n_late = kept;
}

/* Without memory it is left to its job. */
static void keep_late(struct proc *proc, struct proc_reader *reader)
{
	struct proc_reader **grown = reallocarray(proc->late, proc->n_late + 1, sizeof(*grown));

	if (!grown)
		return;
	proc->late = grown;
	proc->late[proc->n_late++] = reader;
}

/* Readers with smaller pids are of processes that are gone. */
static void forget_known(struct proc *proc, size_t *at, int64_t pid)
{
	while (*at < proc->n_known && proc->known[*at]->pid < pid)
		proc_reader_free(proc->known[(*at)++]);
}

/* That of the last sample, removed from the list, or a new one. */
static struct proc_reader *take_known(struct proc *proc, size_t *at, int32_t pid)
{
	forget_known(proc, at, pid);
	if (*at == proc->n_known || proc->known[*at]->pid != pid)
		return calloc(1, sizeof(struct proc_reader));
	return proc->known[(*at)++];
}

/* NULL: the process cannot be read now, or there is no memory. */
static struct proc_reader *make_reader(struct proc *proc, size_t *at, struct sample *sample,
				       struct process *process)
{
	const struct want *want = sample->want;
	/* A tree has no namespaces, and a simulated machine's processes are in ours. */
	bool mount_ns = sample->root->live;
	bool role = fieldset_has(&want->process, PROC_ROLE);
	struct proc_reader *reader;

	if (!can_be_asked(process) || is_late(proc, process->pid)) {
		process_fail(process, can_be_asked(process) ? TIMED_OUT : GONE);
		return NULL;
	}
	reader = take_known(proc, at, process->pid);
	if (!reader)
		return NULL;
	if (mount_ns != reader->wants_mount_ns || role != reader->wants_role ||
	    memcmp(&reader->want, &want->process, sizeof(want->process)) != 0)
		reader->read_ns = 0;
	reader->root = sample->root;
	reader->want = want->process;
	reader->low_rate = want->low_rate;
	reader->pid = process->pid;
	reader->wants_mount_ns = mount_ns;
	reader->wants_role = role;
	reader->job = (struct job){ .run = proc_reader_run, .arg = reader };
	return reader;
}

/* Keeps them for the next sample, by pid, as the processes are. */
static void keep_known(struct proc *proc, struct sample *sample, struct proc_reader **readers,
		       size_t count)
{
	free(proc->known);
	proc->known = readers;
	proc->n_known = 0;
	for (size_t i = 0; i < count; i++)
		if (job_is_busy(sample->workers, &readers[i]->job))
			keep_late(proc, readers[i]);
		else if (sample->want->low_rate && readers[i]->error == 0)
			proc->known[proc->n_known++] = readers[i];
		else
			proc_reader_free(readers[i]);
}

/* Collects evidence on the roles of the processes that could be read. */
static int examine_roles(struct proc *proc, struct sample *sample, struct proc_reader **readers,
			 size_t count)
{
	CLEANUP_FREE struct role_evidence **evidence = calloc(count + 1, sizeof(*evidence));
	CLEANUP_FREE struct proc_reader **judged = calloc(count + 1, sizeof(*judged));
	struct roles *roles = &proc->roles;
	size_t n = 0;

	if (!evidence || !judged)
		return -ENOMEM;
	monitors_take(&roles->monitors, sample->workers);
	if (roles->monitors.problem.length)
		snapshot_complain(sample->snapshot, "proc", "%s",
				  buf_text(&roles->monitors.problem));
	for (size_t i = 0; i < count; i++) {
		struct process *process = snapshot_find_process(sample->snapshot, readers[i]->pid);

		/* While its job runs, all of it belongs to the job. */
		if (!process || !job_is_done(sample->workers, &readers[i]->job) ||
		    !readers[i]->wants_role || readers[i]->error < 0)
			continue;
		judged[n] = readers[i];
		evidence[n++] = &process->evidence.role;
	}
	return roles_examine(roles, sample->workers, sample->deadline_ns, judged, evidence, n);
}

static int proc_sample(void *state, struct sample *sample)
{
	struct proc *proc = state;
	struct snapshot *snapshot = sample->snapshot;
	size_t n = snapshot->n_processes, count = 0, at = 0;
	CLEANUP_FREE struct proc_reader **readers = calloc(n + 1, sizeof(*readers));
	CLEANUP_FREE struct job **jobs = calloc(n + 2, sizeof(*jobs));
	struct job *names;
	double boot = 0;
	size_t n_jobs = 0;
	bool has_boot;
	int r;

	name_accounts(&proc->users, sample);
	drop_late(proc, sample->workers);
	if (!readers || !jobs)
		return -ENOMEM;
	has_boot = n && boot_time(proc, sample->root, &boot);
	for (size_t i = 0; i < n; i++) {
		struct proc_reader *reader =
			make_reader(proc, &at, sample, &snapshot->processes[i]);

		if (!reader)
			continue;
		jobs[n_jobs++] = &reader->job;
		readers[count++] = reader;
	}
	forget_known(proc, &at, INT64_MAX);
	names = count ? monitors_job(&proc->roles.monitors, sample->workers) : NULL;
	if (names)
		jobs[n_jobs++] = names;
	worker_pool_run(sample->workers, jobs, n_jobs, sample->deadline_ns);
	for (size_t i = 0; i < count; i++)
		proc_reader_fill(&proc->users, sample, readers[i], has_boot, boot);
	r = examine_roles(proc, sample, readers, count);
	keep_known(proc, sample, TAKE_PTR(readers), count);
	return r;
}

static int proc_open(const struct root *root, void **ret_state)
{
	struct proc *proc = calloc(1, sizeof(*proc));

	if (!proc)
		return -ENOMEM;
	roles_init(&proc->roles, root);
	*ret_state = proc;
	return 0;
}

static void proc_close(void *state, struct worker_pool *workers)
{
	struct proc *proc = state;
	size_t at = 0;

	drop_late(proc, workers);
	forget_known(proc, &at, INT64_MAX);
	usernames_done(&proc->users);
	free(proc->known);
	free(proc->late);
	if (roles_done(&proc->roles, workers))
		free(proc);
}

const struct source source_proc = {
	.name = "proc",
	.help = "name, command, user, age and owner of each holder, from procfs",
	.open = proc_open,
	.sample = proc_sample,
	.close = proc_close,
};
