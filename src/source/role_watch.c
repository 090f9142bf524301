#include "source/role_watch.h"

#include "basic/clock.h"
#include "source/roles.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct watched {
	struct role_subject subject;
	/* its name is not that of a monitor: not examined again until it changes */
	bool is_plain;
	bool is_there; /* in the current list */
	bool is_new;   /* the last report() was new */
	struct proc_reader *reader;
	struct role_evidence evidence;
};

struct role_watch {
	struct root root;
	struct roles roles;
	struct watched **list; /* by pid */
	size_t count;
};

/* Arguments of role_watch_run(). */
struct role_run {
	struct role_watch *watch;
	struct worker_pool *workers;
	int64_t deadline_ns;
	int (*report)(const struct role_subject *subject, enum role_report role, void *arg);
	void *arg;
};

/* How often user, command line and executable are read again, if nothing shows a change. */
static const int64_t details_ns = 4900 * NS_PER_MS;

int role_watch_new(struct role_watch **ret)
{
	CLEANUP_FREE struct role_watch *watch = calloc(1, sizeof(*watch));
	int r;

	if (!watch)
		return -ENOMEM;
	r = root_init(&watch->root, NULL);
	if (r < 0)
		return r;
	roles_init(&watch->roles, &watch->root);
	*ret = TAKE_PTR(watch);
	return 0;
}

static void watched_free(struct watched *watched)
{
	proc_reader_free(watched->reader);
	free(watched);
}

static struct watched *watched_new(const struct role_subject *subject, const struct root *root)
{
	struct watched *watched = calloc(1, sizeof(*watched));

	if (!watched)
		return NULL;
	watched->reader = proc_reader_new(subject->pid);
	if (!watched->reader) {
		free(watched);
		return NULL;
	}
	watched->subject = *subject;
	watched->reader->root = root;
	watched->reader->wants_role = watched->reader->wants_user = true;
	watched->reader->details_ns = details_ns;
	return watched;
}

static int by_pid(const void *a, const void *b)
{
	int32_t x = (*(struct watched *const *)a)->subject.pid;
	int32_t y = (*(struct watched *const *)b)->subject.pid;

	return (x > y) - (x < y);
}

static struct watched *find(const struct role_watch *watch, size_t count, int32_t pid)
{
	struct watched wanted = { .subject.pid = pid }, *key = &wanted, **found = NULL;

	if (count)
		found = bsearch(&key, watch->list, count, sizeof(key), by_pid);
	return found ? *found : NULL;
}

static int add_subjects(struct role_watch *watch, const struct role_subject *subjects, size_t count)
{
	size_t known = watch->count;
	struct watched **grown = reallocarray(watch->list, known + count + 1, sizeof(*watch->list));

	if (!grown)
		return -ENOMEM;
	watch->list = grown;
	for (size_t i = 0; i < known; i++)
		grown[i]->is_there = false;
	for (size_t i = 0; i < count; i++) {
		struct watched *watched = find(watch, known, subjects[i].pid);

		if (!watched) {
			watched = watched_new(&subjects[i], &watch->root);
			if (!watched)
				return -ENOMEM;
			grown[watch->count++] = watched;
		}
		if (watched->subject.start_ticks != subjects[i].start_ticks ||
		    strcmp(watched->subject.comm, subjects[i].comm) != 0)
			watched->is_plain = false;
		watched->subject = subjects[i];
		watched->is_there = true;
	}
	return 0;
}

/* Removes processes that are not in the list. One whose job hangs is kept until the job ends. */
static int drop_others(const struct role_run *run)
{
	struct role_watch *watch = run->watch;
	size_t kept = 0;
	int r = 0;

	for (size_t i = 0; i < watch->count; i++) {
		struct watched *watched = watch->list[i];
		int reported;

		if (watched->is_there || job_is_busy(run->workers, &watched->reader->job)) {
			watch->list[kept++] = watched;
			continue;
		}
		reported = run->report(&watched->subject, ROLE_NOT_REPORTED, run->arg);
		r = MIN(r, reported);
		watched_free(watched);
	}
	watch->count = kept;
	if (kept)
		qsort(watch->list, kept, sizeof(*watch->list), by_pid);
	return r;
}

static int run_readers(const struct role_run *run)
{
	struct role_watch *watch = run->watch;
	CLEANUP_FREE struct job **jobs = calloc(watch->count + 2, sizeof(struct job *));
	struct job *names = monitors_job(&watch->roles.monitors, run->workers);
	size_t n = 0;

	if (!jobs)
		return -ENOMEM;
	if (names)
		jobs[n++] = names;
	for (size_t i = 0; i < watch->count; i++) {
		struct watched *watched = watch->list[i];
		struct proc_reader *reader = watched->reader;

		if (!watched->is_there || watched->is_plain ||
		    job_is_busy(run->workers, &reader->job))
			continue;
		reader->job = (struct job){ .run = proc_reader_run, .arg = reader };
		jobs[n++] = &reader->job;
	}
	worker_pool_run(run->workers, jobs, n, run->deadline_ns);
	if (monitors_take(&watch->roles.monitors, run->workers))
		for (size_t i = 0; i < watch->count; i++)
			watch->list[i]->is_plain = false; /* examined in the next run */
	return 0;
}

/* Was it just read, and is it the expected process? */
static bool is_read(const struct watched *watched, struct worker_pool *workers)
{
	return watched->is_there && !watched->is_plain &&
	       job_is_done(workers, &watched->reader->job) && watched->reader->error >= 0 &&
	       watched->reader->stat.start_ticks == watched->subject.start_ticks;
}

static int judge(struct watched *watched, const struct role_run *run)
{
	const struct role_evidence *evidence = &watched->evidence;
	enum role_report role = ROLE_NOT_REPORTED;
	int r;

	if (role_is_settled(evidence))
		role = role_judge(evidence) == ROLE_MONITOR ? ROLE_REPORTED_MONITOR
							    : ROLE_REPORTED_JOB;
	r = run->report(&watched->subject, role, run->arg);
	watched->is_new = r > 0 && role != ROLE_NOT_REPORTED;
	watched->is_plain =
		!evidence->exe_listed && !evidence->comm_listed && !evidence->script_listed;
	return MIN(r, 0);
}

static int judge_all(const struct role_run *run)
{
	struct role_watch *watch = run->watch;
	CLEANUP_FREE struct watched **read = calloc(watch->count + 1, sizeof(*read));
	CLEANUP_FREE struct proc_reader **readers = calloc(watch->count + 1, sizeof(*readers));
	CLEANUP_FREE struct role_evidence **evidence = calloc(watch->count + 1, sizeof(*evidence));
	size_t n = 0;
	int r;

	if (!read || !readers || !evidence)
		return -ENOMEM;
	for (size_t i = 0; i < watch->count; i++) {
		watch->list[i]->is_new = false;
		if (!is_read(watch->list[i], run->workers))
			continue;
		read[n] = watch->list[i];
		readers[n] = read[n]->reader;
		evidence[n] = &read[n]->evidence;
		n++;
	}
	r = roles_examine(&watch->roles, run->workers, run->deadline_ns, readers, evidence, n);
	for (size_t i = 0; i < n && r >= 0; i++)
		r = judge(read[i], run);
	return r;
}

static bool any_new(const struct role_watch *watch)
{
	for (size_t i = 0; i < watch->count; i++)
		if (watch->list[i]->is_new)
			return true;
	return false;
}

int role_watch_run(struct role_watch *watch, struct worker_pool *workers, int64_t deadline_ns,
		   const struct role_subject *subjects, size_t count,
		   int (*report)(const struct role_subject *subject, enum role_report role,
				 void *arg),
		   void *arg)
{
	const struct role_run run = { watch, workers, deadline_ns, report, arg };
	int r = add_subjects(watch, subjects, count);

	if (r >= 0)
		r = drop_others(&run);
	for (int rounds = 0; rounds < 3 && r >= 0 && (rounds == 0 || any_new(watch)); rounds++) {
		r = run_readers(&run);
		if (r >= 0)
			r = judge_all(&run);
	}
	/* A process that keeps executing other programs has no role. */
	for (size_t i = 0; i < watch->count && r >= 0; i++)
		if (watch->list[i]->is_new)
			r = report(&watch->list[i]->subject, ROLE_NOT_REPORTED, arg);
	return MIN(r, 0);
}

struct role_watch *role_watch_free(struct role_watch *watch, struct worker_pool *workers)
{
	if (!watch)
		return NULL;
	for (size_t i = 0; i < watch->count; i++)
		watched_free(watch->list[i]);
	free(watch->list);
	(void)roles_done(&watch->roles, workers);
	root_done(&watch->root);
	free(watch);
	return NULL;
}
