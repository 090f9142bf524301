/* Name, command, user, age and owner of each holder, from /proc/PID. */
#include "source/source.h"

#include "basic/clock.h"
#include "basic/file.h"
#include "source/boot_time.h"
#include "source/kubelet.h"
#include "source/proc_fill.h"
#include "source/proc_reader.h"
#include "source/procfs.h"
#include "source/roles.h"
#include "source/usernames.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Maximum number of processes whose stat file stays open. */
enum { MOST_KEPT = 4096 };

/* For a consumer with want.low_rate, everything but stat is read again after this time. */
static const int64_t details_ns = 30 * NS_PER_S;

struct proc {
	struct usernames users;
	struct roles roles;
	struct kubelet_names pods;
	struct proc_reader **late; /* their jobs timed out; a second job would hang as well */
	size_t n_late;
	struct proc_reader **known; /* of the last sample, by pid, if it had want.low_rate */
	size_t n_known;
	size_t n_taken;	       /* of them, by the current sample */
	size_t most_kept;      /* how many may keep a descriptor open; 0: not known yet */
	uint64_t own_mount_ns; /* in a tree 0 */
	int64_t booted;	       /* boot time in a tree, in seconds since 1970; 0: not read yet */
};

static void process_fail(struct process *process, enum reason why)
{
	for (unsigned i = 0; i < PROCESS_N_FIELDS; i++)
		if (process->why[i] != KNOWN)
			process->why[i] = (uint8_t)why;
}

static void fill_process(struct proc_fill *fill, struct sample *sample,
			 const struct proc_reader *reader)
{
	struct process *process = snapshot_find_process(sample->snapshot, reader->pid);

	if (!process)
		return;
	if (!job_is_done(sample->workers, &reader->job))
		process_fail(process, TIMED_OUT);
	else if (reader->error < 0)
		process_fail(process, reason_of_error(reader->error));
	else
		proc_fill(fill, process, reader);
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

/* Remembers a reader whose job hangs; out of memory, it is leaked, since the job still uses it. */
static void keep_late(struct proc *proc, struct proc_reader *reader)
{
	struct proc_reader **grown = reallocarray(proc->late, proc->n_late + 1, sizeof(*grown));

	if (!grown)
		return;
	proc->late = grown;
	proc->late[proc->n_late++] = reader;
}

/* Frees readers with smaller pids: their processes no longer hold a device. */
static void forget_known(struct proc *proc, struct worker_pool *workers, int64_t pid)
{
	while (proc->n_taken < proc->n_known && proc->known[proc->n_taken]->pid < pid) {
		struct proc_reader *reader = proc->known[proc->n_taken++];

		if (job_is_busy(workers, &reader->job))
			keep_late(proc, reader);
		else
			proc_reader_free(reader);
	}
}

/* The reader of the last sample, removed from the list, or a new one. */
static struct proc_reader *take_known(struct proc *proc, struct worker_pool *workers, int32_t pid)
{
	forget_known(proc, workers, pid);
	if (proc->n_taken == proc->n_known || proc->known[proc->n_taken]->pid != pid)
		return proc_reader_new(pid);
	return proc->known[proc->n_taken++];
}

/* position: index of the reader in this sample; the first most_kept may keep a descriptor. */
static void prepare_reader(struct proc *proc, struct proc_reader *reader, size_t position,
			   const struct sample *sample)
{
	const struct want *want = sample->want;
	/* A tree has no namespaces, and a simulated machine's processes are in ours. */
	bool mount_ns = sample->root->live;
	bool role = fieldset_has(&want->process, PROC_ROLE);

	if (mount_ns != reader->wants_mount_ns || role != reader->wants_role ||
	    memcmp(&reader->want, &want->process, sizeof(want->process)) != 0)
		reader->read_ns = 0;
	reader->root = sample->root;
	reader->want = want->process;
	reader->details_ns = want->low_rate ? details_ns : 0;
	reader->wants_mount_ns = mount_ns;
	reader->wants_role = role;
	reader->wants_command = !want->single || fieldset_has(&want->process, PROC_COMMAND);
	if (want->low_rate && !proc->most_kept)
		proc->most_kept = file_quota(MOST_KEPT);
	reader->may_keep = want->low_rate && position < proc->most_kept;
	reader->clock_ns = reader->may_keep && reader->stat_fd >= 0
				   ? process_clocks_read(sample->clocks, reader->pid)
				   : -1;
}

static struct job *reader_job(struct proc_reader *reader)
{
	reader->job = (struct job){ .run = proc_reader_run, .arg = reader };
	return &reader->job;
}

/* Announces the jobs for the processes of the last sample. */
static int proc_prepare(void *state, struct sample *sample)
{
	struct proc *proc = state;
	int r = 0;

	if (!sample->want->processes || !sample->want->low_rate)
		return 0;
	for (size_t i = 0; i < proc->n_known && r >= 0; i++) {
		struct proc_reader *reader = proc->known[i];

		if (job_is_busy(sample->workers, &reader->job))
			continue;
		prepare_reader(proc, reader, i, sample);
		reader->early = true;
		if (!proc_reader_is_current(reader))
			r = sample_expect(sample, reader_job(reader));
	}
	return r;
}

/*
 * The reader of a process; position as in prepare_reader(). NULL: the process cannot be read now,
 * or there is no memory. *ret_job is NULL if the process was read already.
 */
static struct proc_reader *make_reader(struct proc *proc, struct sample *sample,
				       struct process *process, size_t position,
				       struct job **ret_job)
{
	struct proc_reader *reader;
	bool early;

	if (!can_be_asked(process) || is_late(proc, process->pid)) {
		process_fail(process, can_be_asked(process) ? TIMED_OUT : GONE);
		return NULL;
	}
	reader = take_known(proc, sample->workers, process->pid);
	if (!reader)
		return NULL;
	early = reader->early;
	reader->early = false;
	if (job_is_busy(sample->workers, &reader->job)) {
		process_fail(process, TIMED_OUT);
		keep_late(proc, reader);
		return NULL;
	}
	*ret_job = NULL;
	if (!early || !job_is_done(sample->workers, &reader->job)) {
		prepare_reader(proc, reader, position, sample);
		*ret_job = reader_job(reader);
	}
	return reader;
}

/* Keeps the readers, sorted by pid, for the next sample. */
static void keep_known(struct proc *proc, struct sample *sample, struct proc_reader **readers,
		       size_t count)
{
	free(proc->known);
	proc->known = readers;
	proc->n_known = proc->n_taken = 0;
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
	for (size_t i = 0; i < count; i++) {
		struct process *process = snapshot_find_process(sample->snapshot, readers[i]->pid);

		/* A reader belongs to its job while that runs. */
		if (!process || !job_is_done(sample->workers, &readers[i]->job) ||
		    !readers[i]->wants_role || readers[i]->error < 0)
			continue;
		judged[n] = readers[i];
		evidence[n++] = &process->evidence.role;
	}
	return roles_examine(roles, sample->workers, sample->deadline_ns, judged, evidence, n);
}

/* Makes the readers, and reads the processes that sample_expect() has not read. */
static int read_processes(struct proc *proc, struct sample *sample, struct proc_reader **readers,
			  size_t *ret_count)
{
	struct snapshot *snapshot = sample->snapshot;
	CLEANUP_FREE struct job **jobs = calloc(snapshot->n_processes + 2, sizeof(*jobs));
	size_t count = 0, n_jobs = 0;
	struct job *names;

	if (!jobs)
		return -ENOMEM;
	for (size_t i = 0; i < snapshot->n_processes; i++) {
		struct job *job;

		readers[count] = make_reader(proc, sample, &snapshot->processes[i], count, &job);
		if (!readers[count])
			continue;
		count++;
		if (job)
			jobs[n_jobs++] = job;
	}
	forget_known(proc, sample->workers, INT64_MAX);
	names = count ? monitors_job(&proc->roles.monitors, sample->workers) : NULL;
	if (names)
		jobs[n_jobs++] = names;
	if (n_jobs)
		worker_pool_run(sample->workers, jobs, n_jobs, sample->deadline_ns);
	*ret_count = count;
	return 0;
}

static void take_monitors(struct proc *proc, struct sample *sample)
{
	struct monitors *monitors = &proc->roles.monitors;

	monitors_take(monitors, sample->workers);
	if (monitors->problem.length)
		snapshot_add_problem(sample->snapshot, "proc", "%s", buf_text(&monitors->problem));
}

/*
 * Are its user and its pids in namespaces needed, though no such field is wanted? If it has a
 * table, or perhaps TT-Metal's counters in a container, or the name of a monitor; and if its
 * descriptors cannot be read, since the user is part of that message.
 */
static bool needs_user(const struct proc *proc, const struct sample *sample,
		       const struct proc_reader *reader)
{
	const struct process *process = snapshot_find_process(sample->snapshot, reader->pid);

	if (reader->has_status || reader->error < 0 || !process)
		return false;
	return process->tables.count || process->program_tables.count ||
	       process->evidence.access == HOLD_HIDDEN ||
	       (reader->mount_ns && reader->mount_ns != proc->own_mount_ns) ||
	       (reader->wants_role && roles_need_user(&proc->roles, reader));
}

static int read_users(struct proc *proc, struct sample *sample, struct proc_reader **readers,
		      size_t count)
{
	CLEANUP_FREE struct job **jobs = calloc(count + 1, sizeof(*jobs));
	size_t n_jobs = 0;

	if (!jobs)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		/* While its job runs, it belongs to the job. */
		if (!job_is_done(sample->workers, &readers[i]->job) ||
		    !needs_user(proc, sample, readers[i]))
			continue;
		readers[i]->job = (struct job){ .run = proc_reader_read_user, .arg = readers[i] };
		jobs[n_jobs++] = &readers[i]->job;
	}
	if (n_jobs)
		worker_pool_run(sample->workers, jobs, n_jobs, sample->deadline_ns);
	return 0;
}

static int proc_sample(void *state, struct sample *sample)
{
	struct proc *proc = state;
	struct proc_fill fill = { .sample = sample, .users = &proc->users };
	size_t n = sample->snapshot->n_processes, count;
	CLEANUP_FREE struct proc_reader **readers = NULL;
	int r;

	name_accounts(&proc->users, sample);
	drop_late(proc, sample->workers);
	/* After a sample of devices alone, the next one continues with the known processes. */
	if (n == 0 && !sample->want->processes)
		return 0;
	readers = calloc(n + 1, sizeof(*readers));
	r = readers ? read_processes(proc, sample, readers, &count) : -ENOMEM;
	if (r < 0)
		return r;
	take_monitors(proc, sample);
	r = read_users(proc, sample, readers, count);
	if (r >= 0)
		r = kubelet_names_add(&proc->pods, sample, readers, count);
	fill.has_boot = n && boot_time_read(sample->root, &proc->booted, &fill.boot);
	for (size_t i = 0; i < count; i++)
		fill_process(&fill, sample, readers[i]);
	if (r >= 0)
		r = examine_roles(proc, sample, readers, count);
	keep_known(proc, sample, TAKE_PTR(readers), count);
	return r;
}

static int proc_open(const struct root *root, void **ret_state)
{
	struct proc *proc = calloc(1, sizeof(*proc));
	struct stat st;

	if (!proc)
		return -ENOMEM;
	roles_init(&proc->roles, root);
	if (root->live && stat("/proc/self/ns/mnt", &st) == 0)
		proc->own_mount_ns = st.st_ino;
	*ret_state = proc;
	return 0;
}

static void proc_close(void *state, struct worker_pool *workers)
{
	struct proc *proc = state;

	drop_late(proc, workers);
	forget_known(proc, workers, INT64_MAX);
	usernames_done(&proc->users);
	kubelet_names_done(&proc->pods, workers);
	free(proc->known);
	free(proc->late);
	if (roles_done(&proc->roles, workers))
		free(proc);
}

const struct source source_proc = {
	.name = "proc",
	.open = proc_open,
	.prepare = proc_prepare,
	.sample = proc_sample,
	.close = proc_close,
};
