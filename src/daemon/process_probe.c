#include "daemon/process_probe.h"

#include "basic/clock.h"
#include "basic/root.h"
#include "daemon/list.h"
#include "basic/wakeup.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>

/*
 * Reading a process's memory can block and is retried later, while others wait; reading its status
 * is slow only on a busy machine.
 */
static const int64_t deadline_ns[] = {
	[PROBE_PEER] = 500 * NS_PER_MS,
	[PROBE_VISIBLE] = 50 * NS_PER_MS,
};

/* Limit of running or blocked probes per user and kind. */
enum { BLOCKED_MAX = 4 };

/* Probes that run concurrently. */
enum { BATCH = 64 };

struct probe_job {
	struct list member;
	struct job job;
	struct probe *probe; /* NULL: cancelled */
	enum probe_kind kind;
	pid_t pid;
	uid_t uid;
	int pidfd;		     /* a duplicate, or -1 */
	struct probe_result result;  /* written by the job while it runs */
	struct visible_view unknown; /* the initial value */
};

struct probes {
	struct worker_pool *workers;
	struct root machine; /* the machine that the processes run on, regardless of --root */
	int wanted, ready;   /* eventfds */
	struct list blocked; /* struct probe_job; used by the observer's thread only */

	pthread_mutex_t lock;	 /* protects the members below and probe_job.probe */
	struct list queue, done; /* struct probe_job */
};

static void job_run(void *arg)
{
	struct probe_job *job = arg;

	if (job->kind == PROBE_VISIBLE)
		visible_view_read(&job->result.view);
	else if (job->pidfd >= 0)
		job->result.error = peer_describe(job->pid, job->pidfd, &job->result.peer);
	else
		job->result.error = peer_of_pid(job->pid, &job->result.peer, &job->result.pidfd);
}

static void probe_job_free(struct probe_job *job)
{
	if (job->pidfd >= 0)
		close(job->pidfd);
	if (job->result.pidfd >= 0)
		close(job->result.pidfd);
	free(job);
}

/* Passes the result to the loop. */
static void job_finish(struct probes *probes, struct probe_job *job)
{
	pthread_mutex_lock(&probes->lock);
	list_append(&probes->done, &job->member);
	pthread_mutex_unlock(&probes->lock);
}

/* Passes on the results of blocked jobs that have finished. */
static void blocked_sweep(struct probes *probes)
{
	for (LIST_EACH(at, &probes->blocked)) {
		struct probe_job *job = container_of(at, struct probe_job, member);

		if (job_is_busy(probes->workers, &job->job))
			continue;
		list_remove(&job->member);
		job_finish(probes, job);
	}
}

/* Same user and kind: a process whose memory cannot be read still has a name. */
static bool is_like(const struct probe_job *a, const struct probe_job *b)
{
	return a->uid == b->uid && a->kind == b->kind;
}

static unsigned blocked_count(const struct probes *probes, const struct probe_job *like)
{
	unsigned count = 0;

	for (LIST_EACH(at, &probes->blocked))
		count += is_like(container_of(at, struct probe_job, member), like);
	return count;
}

/* The job continues; the waiting probe gets the result -ETIMEDOUT in a separate record. */
static void job_give_up(struct probes *probes, struct probe_job *job)
{
	struct probe_job *answer = calloc(1, sizeof(*answer));

	list_append(&probes->blocked, &job->member);
	if (!answer)
		return; /* then the probe waits until the job finishes */
	*answer = (struct probe_job){
		.kind = job->kind,
		.uid = job->uid,
		.pidfd = -1,
		.result = { .error = -ETIMEDOUT, .pidfd = -1, .view = job->unknown },
	};
	pthread_mutex_lock(&probes->lock);
	answer->probe = TAKE_PTR(job->probe);
	if (answer->probe)
		answer->probe->job = answer;
	pthread_mutex_unlock(&probes->lock);
	job_finish(probes, answer);
}

static unsigned count_like(struct probe_job *const *probing, size_t count,
			   const struct probe_job *like)
{
	unsigned n = 0;

	for (size_t i = 0; i < count; i++)
		n += is_like(probing[i], like);
	return n;
}

/*
 * Takes the next probes of each user, up to the number it may have blocked. Probes of a user with
 * that many blocked ones fail at once. Returns their number; *ret_more: others wait.
 */
static size_t queue_take(struct probes *probes, struct probe_job **ret, bool *ret_more)
{
	size_t count = 0;

	*ret_more = false;
	pthread_mutex_lock(&probes->lock);
	for (LIST_EACH(at, &probes->queue)) {
		struct probe_job *job = container_of(at, struct probe_job, member);
		unsigned blocked = blocked_count(probes, job);

		if (count == BATCH || (blocked < BLOCKED_MAX &&
				       count_like(ret, count, job) + blocked >= BLOCKED_MAX)) {
			*ret_more = true;
			continue;
		}
		list_remove(&job->member);
		if (blocked < BLOCKED_MAX) {
			ret[count++] = job;
			continue;
		}
		job->result.error = -ETIMEDOUT;
		list_append(&probes->done, &job->member);
	}
	pthread_mutex_unlock(&probes->lock);
	return count;
}

/* Runs probes of one kind. Once its result is passed on, a job belongs to the loop. */
static void run_kind(struct probes *probes, struct probe_job *const *probing, size_t count,
		     enum probe_kind kind)
{
	struct job *jobs[BATCH] = { NULL };

	if (!count)
		return;
	for (size_t i = 0; i < count; i++) {
		probing[i]->job = (struct job){ .run = job_run, .arg = probing[i] };
		jobs[i] = &probing[i]->job;
	}
	worker_pool_run(probes->workers, jobs, count, deadline_ns[kind]);
	for (size_t i = 0; i < count; i++) {
		if (job_is_done(probes->workers, jobs[i]))
			job_finish(probes, probing[i]);
		else
			job_give_up(probes, probing[i]);
	}
}

static bool has_done(struct probes *probes)
{
	bool has;

	pthread_mutex_lock(&probes->lock);
	has = !list_is_empty(&probes->done);
	pthread_mutex_unlock(&probes->lock);
	return has;
}

bool probes_run(struct probes *probes)
{
	struct probe_job *probing[BATCH], *peers[BATCH], *others[BATCH];
	size_t count, n_peers = 0, n_others = 0;
	bool more;

	blocked_sweep(probes);
	count = queue_take(probes, probing, &more);
	for (size_t i = 0; i < count; i++) {
		if (probing[i]->kind == PROBE_PEER)
			peers[n_peers++] = probing[i];
		else
			others[n_others++] = probing[i];
	}
	run_kind(probes, peers, n_peers, PROBE_PEER);
	run_kind(probes, others, n_others, PROBE_VISIBLE);
	if (has_done(probes))
		wakeup_send(probes->ready);
	return more;
}

static struct probe_job *done_take(struct probes *probes)
{
	struct probe_job *job = NULL;

	pthread_mutex_lock(&probes->lock);
	if (!list_is_empty(&probes->done)) {
		job = container_of(probes->done.next, struct probe_job, member);
		list_remove(&job->member);
	}
	pthread_mutex_unlock(&probes->lock);
	return job;
}

void probes_hand_over(struct probes *probes)
{
	struct probe_job *job;

	while ((job = done_take(probes))) {
		struct probe *probe = job->probe;

		if (probe) {
			probe->probes = NULL;
			probe->job = NULL;
			probe->done(probe, &job->result);
			job->result.pidfd = -1;
		}
		probe_job_free(job);
	}
}

int probe_start(struct probe *probe, struct probes *probes, enum probe_kind kind, pid_t pid,
		uid_t uid, int pidfd)
{
	struct probe_job *job = calloc(1, sizeof(*job));
	int held = pidfd >= 0 ? fcntl(pidfd, F_DUPFD_CLOEXEC, 0) : -1;

	if (!job || (pidfd >= 0 && held < 0)) {
		if (held >= 0)
			close(held);
		free(job);
		return -ENOMEM;
	}
	*job = (struct probe_job){
		.probe = probe,
		.kind = kind,
		.pid = pid,
		.uid = uid,
		.pidfd = held,
		.result = { .pidfd = -1,
			    .view = { .root = &probes->machine,
				      .pid = pid,
				      .visible.status = VISIBLE_UNREADABLE } },
	};
	job->unknown = job->result.view;
	probe->probes = probes;
	probe->job = job;
	pthread_mutex_lock(&probes->lock);
	list_append(&probes->queue, &job->member);
	pthread_mutex_unlock(&probes->lock);
	wakeup_send(probes->wanted);
	return 0;
}

void probe_stop(struct probe *probe)
{
	if (!probe->probes)
		return;
	pthread_mutex_lock(&probe->probes->lock);
	probe->job->probe = NULL;
	pthread_mutex_unlock(&probe->probes->lock);
	probe->probes = NULL;
	probe->job = NULL;
}

static void jobs_free(struct list *list)
{
	for (LIST_EACH(at, list)) {
		struct probe_job *job = container_of(at, struct probe_job, member);

		if (job->probe)
			probe_stop(job->probe);
		list_remove(&job->member);
		probe_job_free(job);
	}
}

int probes_new(struct worker_pool *workers, int wanted, int ready, struct probes **ret)
{
	struct probes *probes = calloc(1, sizeof(*probes));
	int r;

	if (!probes)
		return -ENOMEM;
	*probes = (struct probes){ .workers = workers, .wanted = wanted, .ready = ready };
	r = root_init(&probes->machine, NULL);
	if (r < 0) {
		free(probes);
		return r;
	}
	pthread_mutex_init(&probes->lock, NULL);
	list_init(&probes->queue);
	list_init(&probes->done);
	list_init(&probes->blocked);
	*ret = probes;
	return 0;
}

struct probes *probes_free(struct probes *probes)
{
	if (!probes)
		return NULL;
	blocked_sweep(probes);
	jobs_free(&probes->queue);
	jobs_free(&probes->done);
	if (!list_is_empty(&probes->blocked))
		return NULL;
	root_done(&probes->machine);
	pthread_mutex_destroy(&probes->lock);
	free(probes);
	return NULL;
}
