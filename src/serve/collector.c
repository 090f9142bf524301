#include "serve/collector.h"

#include "basic/background_thread.h"
#include "basic/clock.h"
#include "basic/wakeup.h"
#include "cli/error_line.h"
#include "render/metrics_owners.h"

#include <errno.h>
#include <stdlib.h>

/* Counters are read with every other sample, which is more often than they can wrap. */
static const int64_t period_ns = 1000 * NS_PER_MS;

/* How long the end of the program waits for a read that hangs. */
static const int64_t patience_ns = 2000 * NS_PER_MS;

struct collector {
	struct session *session; /* used by the thread only, like the next five */
	const struct serve_options *options;
	struct totals totals;
	uint64_t dropped; /* series that were left out so far */
	uint64_t count;	  /* of records */
	int failure;	  /* exit code of the last sample; 0: it succeeded */

	struct background_thread thread; /* its lock is never held across a read */
	struct served_sample *latest;	 /* under the lock */
};

struct served_sample *served_sample_unref(struct served_sample *record)
{
	/* Acquire-release: the thread that frees it sees all accesses of the others. */
	if (!record || atomic_fetch_sub_explicit(&record->refs, 1, memory_order_acq_rel) > 1)
		return NULL;
	owner_list_done(&record->owners);
	snapshot_free(record->snapshot);
	free(record->totals);
	free(record);
	return NULL;
}

/* A failure is reported once, until a sample succeeds or fails otherwise. */
static void report_failure(struct collector *collector, int code)
{
	if (code && code != collector->failure)
		error_line(code, "%s", buf_text(&collector->session->problem));
	collector->failure = code;
}

/* What is not collected is not dropped either. */
static int add_owners(struct collector *collector, struct served_sample *record)
{
	const struct serve_options *options = collector->options;
	int r = owner_list_make(record->snapshot, options->max_owners, &record->owners);

	if (!(options->left_out & 1U << GROUP_OWNERS))
		collector->dropped += record->owners.dropped;
	if (!(options->left_out & 1U << GROUP_PROCESSES))
		collector->dropped += metrics_dropped_processes(record->snapshot);
	record->dropped = collector->dropped;
	return r;
}

static int fill(struct collector *collector, struct served_sample *record,
		const struct snapshot *before)
{
	report_failure(collector, session_next(collector->session, before, &record->snapshot));
	record->taken_ns = clock_now(CLOCK_MONOTONIC);
	if (!record->snapshot)
		return 0;
	/* Clients are not known to be root or the owner, even if the server runs as that user. */
	snapshot_hide_operations(record->snapshot);
	record->totals = calloc(record->snapshot->n_devices + 1, sizeof(*record->totals));
	if (!record->totals || add_owners(collector, record) < 0)
		return -ENOMEM;
	return totals_add(&collector->totals, record->snapshot, before, record->totals);
}

/* Takes the next record; NULL: out of memory. */
static struct served_sample *take(struct collector *collector, const struct served_sample *last)
{
	struct served_sample *record = calloc(1, sizeof(*record));

	if (!record)
		return NULL;
	atomic_init(&record->refs, 1);
	record->number = ++collector->count;
	if (fill(collector, record, last ? last->snapshot : NULL) < 0)
		return served_sample_unref(record);
	return record;
}

static void publish(struct collector *collector, struct served_sample *record)
{
	struct served_sample *old;

	pthread_mutex_lock(&collector->thread.lock);
	old = collector->latest;
	collector->latest = record;
	pthread_mutex_unlock(&collector->thread.lock);
	wakeup_send(collector->thread.fd);
	served_sample_unref(old);
}

/* Waits for the next tick, without a backlog after a slow sample. False: the thread is to end. */
static bool wait_for_tick(struct background_thread *thread, int64_t *tick)
{
	bool stop;

	*tick = MAX(*tick + period_ns, clock_now(CLOCK_MONOTONIC));
	pthread_mutex_lock(&thread->lock);
	while (!thread->stop && background_thread_wait(thread, *tick))
		;
	stop = thread->stop;
	pthread_mutex_unlock(&thread->lock);
	return !stop;
}

static void collector_main(void *arg)
{
	struct collector *collector = arg;
	int64_t tick = clock_now(CLOCK_MONOTONIC);

	do {
		struct served_sample *record = take(collector, collector->latest);

		if (record)
			publish(collector, record);
	} while (wait_for_tick(&collector->thread, &tick));
}

int collector_new(struct session *session, const struct serve_options *options,
		  struct collector **ret)
{
	struct collector *collector = calloc(1, sizeof(*collector));
	int r;

	if (!collector)
		return -ENOMEM;
	collector->session = session;
	collector->options = options;
	r = background_thread_start(&collector->thread, collector_main, collector);
	if (r < 0) {
		free(collector);
		return r;
	}
	*ret = collector;
	return 0;
}

bool collector_free(struct collector *collector)
{
	if (!collector)
		return true;
	if (!background_thread_end(&collector->thread, patience_ns))
		return false;
	served_sample_unref(collector->latest);
	totals_done(&collector->totals);
	background_thread_done(&collector->thread);
	free(collector);
	return true;
}

struct served_sample *collector_latest(struct collector *collector)
{
	struct served_sample *record;

	wakeup_clear(collector->thread.fd);
	pthread_mutex_lock(&collector->thread.lock);
	record = collector->latest;
	if (record)
		atomic_fetch_add_explicit(&record->refs, 1, memory_order_relaxed);
	pthread_mutex_unlock(&collector->thread.lock);
	return record;
}

int collector_fd(const struct collector *collector)
{
	return collector->thread.fd;
}
