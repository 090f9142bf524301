#include "basic/crew.h"

#include "basic/clock.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>

enum {
	JOB_IDLE,
	JOB_QUEUED,
	JOB_RUNNING,
	JOB_LATE, /* running, but nobody waits for it */
};

/* How long a job may take before another worker is put to the rest. */
static const int64_t patience_ns = 20 * NS_PER_MS;

struct crew {
	pthread_mutex_t lock; /* guards everything below and the jobs' states */
	pthread_cond_t work;  /* a job was queued, or the crew ends */
	pthread_cond_t done;  /* a job ended */
	struct job *queue, **queue_end;
	unsigned workers;
	unsigned idle;	  /* of them: without a job, and bound to look for one */
	unsigned pending; /* jobs queued or running, and awaited */
	bool ending;
	bool left; /* to its workers: the last of them frees it */
};

int crew_new(struct crew **ret)
{
	struct crew *crew = calloc(1, sizeof(*crew));
	pthread_condattr_t attr;

	if (!crew)
		return -ENOMEM;
	pthread_mutex_init(&crew->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&crew->work, &attr);
	pthread_cond_init(&crew->done, &attr);
	pthread_condattr_destroy(&attr);
	crew->queue_end = &crew->queue;
	*ret = crew;
	return 0;
}

static void crew_destroy(struct crew *crew)
{
	pthread_mutex_destroy(&crew->lock);
	pthread_cond_destroy(&crew->work);
	pthread_cond_destroy(&crew->done);
	free(crew);
}

/* Takes the next job, or waits for one. NULL: the crew ends. */
static struct job *crew_next(struct crew *crew)
{
	struct job *job;

	while (!crew->queue && !crew->ending)
		pthread_cond_wait(&crew->work, &crew->lock);
	crew->idle--;
	job = crew->queue;
	if (!job)
		return NULL;
	crew->queue = job->next;
	if (!crew->queue)
		crew->queue_end = &crew->queue;
	job->state = JOB_RUNNING;
	job->started = clock_now(CLOCK_MONOTONIC);
	return job;
}

/*
 * Notes that a job has ended. Whoever waits is told without the lock, or would wake
 * only to wait for that.
 */
static void crew_end(struct crew *crew, struct job *job)
{
	bool last = job->state == JOB_RUNNING && --crew->pending == 0;

	crew->idle++;
	job->state = JOB_IDLE;
	job->done = true;
	if (!last)
		return;
	pthread_mutex_unlock(&crew->lock);
	pthread_cond_signal(&crew->done);
	pthread_mutex_lock(&crew->lock);
}

static void *worker(void *arg)
{
	struct crew *crew = arg;
	struct job *job;
	bool last;

	pthread_mutex_lock(&crew->lock);
	while ((job = crew_next(crew))) {
		pthread_mutex_unlock(&crew->lock);
		job->run(job->arg);
		pthread_mutex_lock(&crew->lock);
		crew_end(crew, job);
	}
	last = --crew->workers == 0 && crew->left;
	pthread_cond_broadcast(&crew->done);
	pthread_mutex_unlock(&crew->lock);
	if (last)
		crew_destroy(crew);
	return NULL;
}

/* Signals are for the main thread, which knows what to do with them. */
static int crew_add_worker(struct crew *crew)
{
	sigset_t all, before;
	pthread_attr_t attr;
	pthread_t thread;
	int r;

	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, 256 * 1024 + PTHREAD_STACK_MIN);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&thread, &attr, worker, crew);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	if (r == 0) {
		crew->workers++;
		crew->idle++;
	}
	return -r;
}

static void crew_queue(struct crew *crew, struct job *job)
{
	job->state = JOB_QUEUED;
	job->done = false;
	job->next = NULL;
	*crew->queue_end = job;
	crew->queue_end = &job->next;
	crew->pending++;
}

/*
 * Gives up what has run too long; returns when the next job does so, and in
 * *ret_newest when the newest running job began.
 */
static int64_t crew_check(struct crew *crew, struct job *const *jobs, size_t count,
			  int64_t deadline_ns, int64_t *ret_newest)
{
	int64_t now = clock_now(CLOCK_MONOTONIC), next = now + deadline_ns;

	*ret_newest = 0;
	for (size_t i = 0; i < count; i++) {
		if (jobs[i]->state != JOB_RUNNING)
			continue;
		if (now - jobs[i]->started >= deadline_ns) {
			jobs[i]->state = JOB_LATE;
			crew->pending--;
			continue;
		}
		next = MIN(next, jobs[i]->started + deadline_ns);
		*ret_newest = MAX(*ret_newest, jobs[i]->started);
	}
	return next;
}

/* Sends one worker to the queue: one that waits for work, else a new one. */
static void crew_send(struct crew *crew)
{
	if (!crew->idle) {
		(void)crew_add_worker(crew); /* without threads everything is late */
		return;
	}
	pthread_mutex_unlock(&crew->lock); /* as in crew_end() */
	pthread_cond_signal(&crew->work);
	pthread_mutex_lock(&crew->lock);
}

/* Jobs still queued, though the newest running one had its moment? */
static void crew_reinforce(struct crew *crew, int64_t newest, int64_t *wake)
{
	int64_t now = clock_now(CLOCK_MONOTONIC);

	if (!crew->queue)
		return;
	if (now - newest >= patience_ns) {
		crew_send(crew);
		newest = now;
	}
	*wake = MIN(*wake, newest + patience_ns);
}

/*
 * Waits for what may change until then, for a moment at most. Who is woken much later
 * than that stood still with the machine, and so did the jobs: returns how long, which
 * is not counted.
 */
static int64_t crew_wait(struct crew *crew, struct job *const *jobs, size_t count, int64_t until)
{
	struct timespec moment;
	int64_t now, lost;

	until = MIN(until, clock_now(CLOCK_MONOTONIC) + patience_ns);
	moment = clock_timespec(until);
	pthread_cond_timedwait(&crew->done, &crew->lock, &moment);
	now = clock_now(CLOCK_MONOTONIC);
	lost = now - until;
	if (lost < patience_ns)
		return 0;
	for (size_t i = 0; i < count; i++)
		if (jobs[i]->state == JOB_RUNNING)
			jobs[i]->started = MIN(now, jobs[i]->started + lost);
	return lost;
}

/*
 * Nobody waits any more: what was never begun must not be found in the queue, and
 * what runs must not be counted when it ends.
 */
static bool crew_collect(struct crew *crew, struct job *const *jobs, size_t count)
{
	bool all = true;

	for (size_t i = 0; i < count; i++) {
		all = all && jobs[i]->done;
		if (jobs[i]->state == JOB_QUEUED)
			jobs[i]->state = JOB_IDLE;
		else if (jobs[i]->state == JOB_RUNNING)
			jobs[i]->state = JOB_LATE;
	}
	crew->queue = NULL;
	crew->queue_end = &crew->queue;
	crew->pending = 0;
	return all;
}

bool crew_run(struct crew *crew, struct job *const *jobs, size_t count, int64_t deadline_ns)
{
	/* Each job has its deadline; the queue as a whole has an end too. */
	int64_t start = clock_now(CLOCK_MONOTONIC);
	int64_t end = start + deadline_ns + (int64_t)count * patience_ns * 2;
	bool all;

	pthread_mutex_lock(&crew->lock);
	for (size_t i = 0; i < count; i++)
		crew_queue(crew, jobs[i]);
	if (count)
		crew_send(crew);
	while (crew->pending) {
		int64_t newest, wake = crew_check(crew, jobs, count, deadline_ns, &newest);

		if (!crew->pending || clock_now(CLOCK_MONOTONIC) >= end)
			break;
		crew_reinforce(crew, MAX(start, newest), &wake);
		if (crew->pending) /* still, for the lock may have been others' */
			end += crew_wait(crew, jobs, count, MIN(wake, end));
	}
	all = crew_collect(crew, jobs, count);
	pthread_mutex_unlock(&crew->lock);
	return all;
}

int crew_run_once(struct job *job, int64_t deadline_ns)
{
	struct crew *crew;
	bool done;
	int r;

	r = crew_new(&crew);
	if (r < 0)
		return r;
	done = crew_run(crew, &job, 1, deadline_ns);
	crew_free(crew);
	return done ? 0 : -ETIMEDOUT;
}

bool crew_job_is_busy(struct crew *crew, const struct job *job)
{
	bool busy;

	pthread_mutex_lock(&crew->lock);
	busy = job->state != JOB_IDLE;
	pthread_mutex_unlock(&crew->lock);
	return busy;
}

bool crew_job_is_done(struct crew *crew, const struct job *job)
{
	bool done;

	pthread_mutex_lock(&crew->lock);
	done = job->done;
	pthread_mutex_unlock(&crew->lock);
	return done;
}

bool crew_is_blocked(struct crew *crew)
{
	bool blocked;

	pthread_mutex_lock(&crew->lock);
	blocked = crew->workers > crew->idle;
	pthread_mutex_unlock(&crew->lock);
	return blocked;
}

struct crew *crew_free(struct crew *crew)
{
	struct timespec until;
	bool gone;

	if (!crew)
		return NULL;
	pthread_mutex_lock(&crew->lock);
	crew->ending = true;
	pthread_cond_broadcast(&crew->work);
	until = clock_timespec(clock_now(CLOCK_MONOTONIC) + patience_ns);
	while (crew->workers)
		if (pthread_cond_timedwait(&crew->done, &crew->lock, &until))
			break;
	gone = crew->workers == 0;
	crew->left = !gone;
	pthread_mutex_unlock(&crew->lock);
	if (gone)
		crew_destroy(crew);
	return NULL;
}
