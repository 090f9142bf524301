#include "basic/worker_pool.h"

#include "basic/clock.h"
#include "basic/condition.h"
#include "basic/standby.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>

enum {
	JOB_IDLE,
	JOB_QUEUED,
	JOB_RUNNING,
	JOB_LATE, /* running, but abandoned */
};

/* If a job takes longer, another worker continues with the queue. */
static const int64_t slow_job_ns = 20 * NS_PER_MS;

struct worker_pool {
	pthread_mutex_t lock; /* protects everything below and the jobs' states */
	pthread_cond_t work;  /* a job was queued, or the pool ends */
	pthread_cond_t done;  /* a job ended */
	struct job *queue, **queue_end;
	unsigned workers;
	unsigned idle;	  /* of them: waiting for a job */
	unsigned pending; /* jobs queued or running, and awaited */
	bool ending;
	bool left;	  /* no longer used: the last worker frees it */
	bool use_standby; /* run jobs on the calling thread, watched by: */
	bool has_standby; /* it was started */
	struct standby standby;
};

int worker_pool_new(struct worker_pool **ret)
{
	struct worker_pool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return -ENOMEM;
	pthread_mutex_init(&pool->lock, NULL);
	condition_init(&pool->work);
	condition_init(&pool->done);
	pool->queue_end = &pool->queue;
	*ret = pool;
	return 0;
}

static void worker_pool_destroy(struct worker_pool *pool)
{
	pthread_mutex_destroy(&pool->lock);
	pthread_cond_destroy(&pool->work);
	pthread_cond_destroy(&pool->done);
	free(pool);
}

/* Takes the next job, or waits for one. NULL: the pool ends. */
static struct job *worker_pool_next(struct worker_pool *pool)
{
	struct job *job;

	while (!pool->queue && !pool->ending)
		pthread_cond_wait(&pool->work, &pool->lock);
	pool->idle--;
	job = pool->queue;
	if (!job)
		return NULL;
	pool->queue = job->next;
	if (!pool->queue)
		pool->queue_end = &pool->queue;
	job->state = JOB_RUNNING;
	job->started = clock_now(CLOCK_MONOTONIC);
	return job;
}

/*
 * Marks a job as finished. The waiting caller is signalled after the lock is released, since it
 * would wake up only to wait for the lock.
 */
static void worker_pool_end(struct worker_pool *pool, struct job *job)
{
	bool last = job->state == JOB_RUNNING && --pool->pending == 0;

	pool->idle++;
	job->state = JOB_IDLE;
	job->done = true;
	if (!last)
		return;
	pthread_mutex_unlock(&pool->lock);
	pthread_cond_signal(&pool->done);
	pthread_mutex_lock(&pool->lock);
}

static void *worker(void *arg)
{
	struct worker_pool *pool = arg;
	struct job *job;
	bool last;

	pthread_mutex_lock(&pool->lock);
	while ((job = worker_pool_next(pool))) {
		pthread_mutex_unlock(&pool->lock);
		job->run(job->arg);
		pthread_mutex_lock(&pool->lock);
		worker_pool_end(pool, job);
	}
	last = --pool->workers == 0 && pool->left;
	pthread_cond_broadcast(&pool->done);
	pthread_mutex_unlock(&pool->lock);
	if (last)
		worker_pool_destroy(pool);
	return NULL;
}

/* Signals are blocked: the main thread handles them. */
static int worker_pool_add_worker(struct worker_pool *pool)
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
	r = pthread_create(&thread, &attr, worker, pool);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	if (r == 0) {
		pool->workers++;
		pool->idle++;
	}
	return -r;
}

static void worker_pool_queue(struct worker_pool *pool, struct job *job)
{
	job->state = JOB_QUEUED;
	job->done = false;
	job->next = NULL;
	*pool->queue_end = job;
	pool->queue_end = &job->next;
	pool->pending++;
}

/*
 * Abandons jobs that have run too long. Returns when the next one would be, and in *ret_newest when
 * the newest running job began.
 */
static int64_t worker_pool_check(struct worker_pool *pool, struct job *const *jobs, size_t count,
				 int64_t deadline_ns, int64_t *ret_newest)
{
	int64_t now = clock_now(CLOCK_MONOTONIC), next = now + deadline_ns;

	*ret_newest = 0;
	for (size_t i = 0; i < count; i++) {
		if (jobs[i]->state != JOB_RUNNING)
			continue;
		if (now - jobs[i]->started >= deadline_ns) {
			jobs[i]->state = JOB_LATE;
			pool->pending--;
			continue;
		}
		next = MIN(next, jobs[i]->started + deadline_ns);
		*ret_newest = MAX(*ret_newest, jobs[i]->started);
	}
	return next;
}

/* Wakes an idle worker, or starts a new one. */
static void worker_pool_send(struct worker_pool *pool)
{
	if (!pool->idle) {
		(void)worker_pool_add_worker(pool); /* on failure all jobs time out */
		return;
	}
	pthread_mutex_unlock(&pool->lock); /* as in worker_pool_end() */
	pthread_cond_signal(&pool->work);
	pthread_mutex_lock(&pool->lock);
}

/* Adds a worker if jobs are queued and the newest running one takes too long. */
static void worker_pool_reinforce(struct worker_pool *pool, int64_t newest, int64_t *wake)
{
	int64_t now = clock_now(CLOCK_MONOTONIC);

	if (!pool->queue)
		return;
	if (now - newest >= slow_job_ns) {
		worker_pool_send(pool);
		newest = now;
	}
	*wake = MIN(*wake, newest + slow_job_ns);
}

/*
 * Waits until the given time for a job to finish, at most slow_job_ns. If it wakes up much later,
 * the whole machine was stalled, including the jobs: returns the length of the stall, which does
 * not count towards their deadlines.
 */
static int64_t worker_pool_wait(struct worker_pool *pool, struct job *const *jobs, size_t count,
				int64_t until)
{
	struct timespec moment;
	int64_t now, lost;

	until = MIN(until, clock_now(CLOCK_MONOTONIC) + slow_job_ns);
	moment = clock_timespec(until);
	pthread_cond_timedwait(&pool->done, &pool->lock, &moment);
	now = clock_now(CLOCK_MONOTONIC);
	lost = now - until;
	if (lost < slow_job_ns)
		return 0;
	for (size_t i = 0; i < count; i++)
		if (jobs[i]->state == JOB_RUNNING)
			jobs[i]->started = MIN(now, jobs[i]->started + lost);
	return lost;
}

/*
 * The caller stops waiting: removes jobs that were not started from the queue, and marks running
 * ones as late.
 */
static bool worker_pool_collect(struct worker_pool *pool, struct job *const *jobs, size_t count)
{
	bool all = true;

	for (size_t i = 0; i < count; i++) {
		all = all && jobs[i]->done;
		if (jobs[i]->state == JOB_QUEUED)
			jobs[i]->state = JOB_IDLE;
		else if (jobs[i]->state == JOB_RUNNING)
			jobs[i]->state = JOB_LATE;
	}
	pool->queue = NULL;
	pool->queue_end = &pool->queue;
	pool->pending = 0;
	return all;
}

void worker_pool_use_standby(struct worker_pool *pool, void (*take_over)(void *arg), void *arg)
{
	pool->use_standby = true;
	pool->standby.take_over = take_over;
	pool->standby.arg = arg;
}

void worker_pool_end_standby(struct worker_pool *pool)
{
	if (pool->use_standby && pool->has_standby)
		standby_end(&pool->standby);
	pool->use_standby = false;
}

/* Started with the first job: until then no second thread slows the system calls down. */
static bool has_standby(struct worker_pool *pool)
{
	if (pool->use_standby && !pool->has_standby) {
		pool->has_standby = standby_start(&pool->standby) >= 0;
		pool->use_standby = pool->has_standby;
	}
	return pool->use_standby;
}

static void run_here(struct worker_pool *pool, struct job *const *jobs, size_t count)
{
	standby_set_in_job(&pool->standby, true);
	for (size_t i = 0; i < count; i++) {
		jobs[i]->run(jobs[i]->arg);
		jobs[i]->done = true;
	}
	standby_set_in_job(&pool->standby, false);
}

bool worker_pool_run(struct worker_pool *pool, struct job *const *jobs, size_t count,
		     int64_t deadline_ns)
{
	/* Each job has a deadline, and so has the queue as a whole. */
	int64_t start = clock_now(CLOCK_MONOTONIC);
	int64_t end = start + deadline_ns + (int64_t)count * slow_job_ns * 2;
	bool all;

	if (count && has_standby(pool)) {
		run_here(pool, jobs, count);
		return true;
	}
	pthread_mutex_lock(&pool->lock);
	for (size_t i = 0; i < count; i++)
		worker_pool_queue(pool, jobs[i]);
	if (count)
		worker_pool_send(pool);
	while (pool->pending) {
		int64_t newest, wake = worker_pool_check(pool, jobs, count, deadline_ns, &newest);

		if (!pool->pending || clock_now(CLOCK_MONOTONIC) >= end)
			break;
		worker_pool_reinforce(pool, MAX(start, newest), &wake);
		if (pool->pending) /* again, since the lock was released meanwhile */
			end += worker_pool_wait(pool, jobs, count, MIN(wake, end));
	}
	all = worker_pool_collect(pool, jobs, count);
	pthread_mutex_unlock(&pool->lock);
	return all;
}

int job_run_once(struct job *job, int64_t deadline_ns)
{
	struct worker_pool *pool;
	bool done;
	int r;

	r = worker_pool_new(&pool);
	if (r < 0)
		return r;
	done = worker_pool_run(pool, &job, 1, deadline_ns);
	worker_pool_free(pool);
	return done ? 0 : -ETIMEDOUT;
}

bool job_is_busy(struct worker_pool *pool, const struct job *job)
{
	bool busy;

	pthread_mutex_lock(&pool->lock);
	busy = job->state != JOB_IDLE;
	pthread_mutex_unlock(&pool->lock);
	return busy;
}

bool job_is_done(struct worker_pool *pool, const struct job *job)
{
	bool done;

	pthread_mutex_lock(&pool->lock);
	done = job->done;
	pthread_mutex_unlock(&pool->lock);
	return done;
}

bool worker_pool_is_blocked(struct worker_pool *pool)
{
	bool blocked;

	pthread_mutex_lock(&pool->lock);
	blocked = pool->workers > pool->idle;
	pthread_mutex_unlock(&pool->lock);
	return blocked;
}

struct worker_pool *worker_pool_free(struct worker_pool *pool)
{
	struct timespec until;
	bool gone;

	if (!pool)
		return NULL;
	worker_pool_end_standby(pool);
	if (pool->has_standby)
		standby_done(&pool->standby);
	pthread_mutex_lock(&pool->lock);
	pool->ending = true;
	pthread_cond_broadcast(&pool->work);
	until = clock_timespec(clock_now(CLOCK_MONOTONIC) + slow_job_ns);
	while (pool->workers)
		if (pthread_cond_timedwait(&pool->done, &pool->lock, &until))
			break;
	gone = pool->workers == 0;
	pool->left = !gone;
	pthread_mutex_unlock(&pool->lock);
	if (gone)
		worker_pool_destroy(pool);
	return NULL;
}
