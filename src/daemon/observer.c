#include "daemon/observer.h"

#include "basic/clock.h"
#include "daemon/table_search.h"
#include "source/sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/sysmacros.h>

/* For one read of a source, for the links of adopted tables, for the tables of a process. */
static const int64_t read_deadline_ns = 50 * NS_PER_MS, links_deadline_ns = 50 * NS_PER_MS,
		     search_deadline_ns = 200 * NS_PER_MS;

/*
 * For a look at a process. The memory of a process need not answer, and is looked at again later;
 * others wait meanwhile. Its status takes long on a busy machine only.
 */
static const int64_t look_deadline_ns[] = {
	[LOOK_PEER] = 500 * NS_PER_MS,
	[LOOK_VISIBLE] = 50 * NS_PER_MS,
};

/* A node appears before the last of its files do, and cards come in groups. */
#define SETTLE (200 * NS_PER_MS)

/* Looks of one user and kind that may run, or hang, at a time. With more, its further processes go
 * unknown.
 */
enum { BLOCKED_MAX = 4 };

/* Looks that are run at once. */
enum { BATCH = 64 };

struct look_job {
	struct list member;
	struct job job;
	struct observer *observer;
	struct look *look; /* NULL: stopped */
	enum look_kind kind;
	pid_t pid;
	uid_t uid;
	int pidfd;		     /* a duplicate, or -1 */
	struct look_result result;   /* the job's, while it runs */
	struct visible_view unknown; /* as it was before */
};

/* Links to be checked, by a job of its own. */
struct link_check {
	struct job job;
	struct observed_link *links;
	size_t count;
	uint64_t *gone;
	size_t n_gone;
};

struct observer {
	struct loop *loop;
	const struct root *root;
	const struct observer_ops *ops;
	void *arg;
	struct watch ready; /* eventfd: something was handed over */
	int wanted;	    /* eventfd: something was queued, or it is to end */
	pthread_t thread;

	pthread_mutex_t lock;	 /* guards what follows, and look_job.look */
	struct list queue, done; /* struct look_job */
	bool ending, sample, search, searched;
	int search_error;
	struct observed_link *links;
	size_t n_links;
	struct sighting *sighting;
	struct table_search *tables; /* found */

	/* The observer's own. */
	struct root machine; /* where the peers run, whatever tree the root is */
	struct worker_pool *workers;
	struct sampler *sampler;
	struct list hung;	  /* struct look_job */
	struct link_check *check; /* NULL: none hangs */
	int changes;		  /* inotify */
	int64_t settle_ns; /* CLOCK_MONOTONIC, when changes have settled; 0: there are none */
};

/* In the order they are asked, as in sources[]. */
static const struct source *const asked[] = {
	&source_kmd,	&source_holders,   &source_proc, &source_visible,
	&source_traced, &source_metal_shm, NULL,
};

/* What the server tells its clients of a device and finds it by, and of a process. */
static const struct field_ref *const fields = FIELDS(
	DEVICE_FIELD(NAME), DEVICE_FIELD(ARCHITECTURE), DEVICE_FIELD(BOARD), DEVICE_FIELD(SERIAL),
	DEVICE_FIELD(ASIC_ID), DEVICE_FIELD(BDF), DEVICE_FIELD(TRAY), DEVICE_FIELD(CHIP),
	DEVICE_FIELD(PCI_DEVICE), DEVICE_FIELD(DRAM_TOTAL), DEVICE_FIELD(L1_TOTAL),
	PROCESS_FIELD(NAME), PROCESS_FIELD(UID), PROCESS_FIELD(START_TIME));

static void wake(int fd)
{
	const uint64_t one = 1;

	(void)!write(fd, &one, sizeof(one)); /* full: it is awake already */
}

static void sleep_over(int fd)
{
	uint64_t count;

	(void)!read(fd, &count, sizeof(count));
}

void sighting_free(struct sighting *sighting)
{
	if (!sighting)
		return;
	snapshot_free(sighting->snapshot);
	free(sighting->reports);
	free(sighting->gone);
	free(sighting);
}

/* ---- looks, in the observer's thread ---- */

static void look_run(void *arg)
{
	struct look_job *job = arg;

	if (job->kind == LOOK_VISIBLE)
		visible_view_read(&job->result.view);
	else if (job->pidfd >= 0)
		job->result.error = peer_describe(job->pid, job->pidfd, &job->result.peer);
	else
		job->result.error = peer_of_pid(job->pid, &job->result.peer, &job->result.pidfd);
}

static void look_job_free(struct look_job *job)
{
	if (job->pidfd >= 0)
		close(job->pidfd);
	if (job->result.pidfd >= 0)
		close(job->result.pidfd);
	free(job);
}

/* Hands over what was found. */
static void look_finish(struct observer *observer, struct look_job *job)
{
	pthread_mutex_lock(&observer->lock);
	list_append(&observer->done, &job->member);
	pthread_mutex_unlock(&observer->lock);
}

/* Lets go of those that have come back after all. */
static void hung_sweep(struct observer *observer)
{
	for (LIST_EACH(at, &observer->hung)) {
		struct look_job *job = container_of(at, struct look_job, member);

		if (job_is_busy(observer->workers, &job->job))
			continue;
		list_remove(&job->member);
		look_finish(observer, job);
	}
}

/* Of the same user and kind: a process whose memory does not answer still has a name. */
static bool is_like(const struct look_job *a, const struct look_job *b)
{
	return a->uid == b->uid && a->kind == b->kind;
}

static unsigned hung_count(const struct observer *observer, const struct look_job *like)
{
	unsigned count = 0;

	for (LIST_EACH(at, &observer->hung))
		count += is_like(container_of(at, struct look_job, member), like);
	return count;
}

/* The job goes on; what waits for it is told so, by a record of its own. */
static void look_give_up(struct observer *observer, struct look_job *job)
{
	struct look_job *answer = calloc(1, sizeof(*answer));

	list_append(&observer->hung, &job->member);
	if (!answer)
		return; /* then it waits until the job comes back */
	*answer = (struct look_job){
		.observer = observer,
		.kind = job->kind,
		.uid = job->uid,
		.pidfd = -1,
		.result = { .error = -ETIMEDOUT, .pidfd = -1, .view = job->unknown },
	};
	pthread_mutex_lock(&observer->lock);
	answer->look = TAKE_PTR(job->look);
	if (answer->look)
		answer->look->job = answer;
	pthread_mutex_unlock(&observer->lock);
	look_finish(observer, answer);
}

static unsigned count_like(struct look_job *const *looks, size_t count, const struct look_job *like)
{
	unsigned n = 0;

	for (size_t i = 0; i < count; i++)
		n += is_like(looks[i], like);
	return n;
}

/*
 * The next looks of each user, as many as it may have hanging. One of a user that has that many
 * already is given up unseen. Returns how many; *ret_more: others wait.
 */
static size_t looks_take(struct observer *observer, struct look_job **ret, bool *ret_more)
{
	size_t count = 0;

	*ret_more = false;
	pthread_mutex_lock(&observer->lock);
	for (LIST_EACH(at, &observer->queue)) {
		struct look_job *look = container_of(at, struct look_job, member);
		unsigned hung = hung_count(observer, look);

		if (count == BATCH ||
		    (hung < BLOCKED_MAX && count_like(ret, count, look) + hung >= BLOCKED_MAX)) {
			*ret_more = true;
			continue;
		}
		list_remove(&look->member);
		if (hung < BLOCKED_MAX) {
			ret[count++] = look;
			continue;
		}
		look->result.error = -ETIMEDOUT;
		list_append(&observer->done, &look->member);
	}
	pthread_mutex_unlock(&observer->lock);
	return count;
}

/* All of one kind. Once it is handed over, a look is the loop's. */
static void looks_of_kind(struct observer *observer, struct look_job *const *looks, size_t count,
			  enum look_kind kind)
{
	struct job *jobs[BATCH] = { NULL };

	for (size_t i = 0; i < count; i++) {
		looks[i]->job = (struct job){ .run = look_run, .arg = looks[i] };
		jobs[i] = &looks[i]->job;
	}
	worker_pool_run(observer->workers, jobs, count, look_deadline_ns[kind]);
	for (size_t i = 0; i < count; i++) {
		if (job_is_done(observer->workers, jobs[i]))
			look_finish(observer, looks[i]);
		else
			look_give_up(observer, looks[i]);
	}
	wake(observer->ready.fd);
}

/* Returns whether there are more. */
static bool looks_run(struct observer *observer)
{
	struct look_job *looks[BATCH], *peers[BATCH], *others[BATCH];
	size_t count, n_peers = 0, n_others = 0;
	bool more;

	hung_sweep(observer);
	count = looks_take(observer, looks, &more);
	for (size_t i = 0; i < count; i++) {
		if (looks[i]->kind == LOOK_PEER)
			peers[n_peers++] = looks[i];
		else
			others[n_others++] = looks[i];
	}
	looks_of_kind(observer, peers, n_peers, LOOK_PEER);
	looks_of_kind(observer, others, n_others, LOOK_VISIBLE);
	return more;
}

/* ---- links of adopted tables ---- */

/* What is known of it will do: a file put in its place may be one that never answers. */
static bool link_is_there(const struct observed_link *link)
{
	struct statx st;
	char path[48];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", link->pid, link->number);
	return statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_INO, &st) == 0 &&
	       makedev(st.stx_dev_major, st.stx_dev_minor) == link->dev && st.stx_ino == link->ino;
}

static void check_run(void *arg)
{
	struct link_check *check = arg;

	for (size_t i = 0; i < check->count; i++) {
		if (!link_is_there(&check->links[i]))
			check->gone[check->n_gone++] = check->links[i].name;
	}
}

static struct link_check *check_free(struct link_check *check)
{
	if (check) {
		free(check->links);
		free(check->gone);
		free(check);
	}
	return NULL;
}

/* The links become the check's. While one hangs, none is begun. */
static void links_check(struct observer *observer, struct observed_link *links, size_t count,
			struct sighting *sighting)
{
	struct link_check *check;
	struct job *job;

	if (observer->check && !job_is_busy(observer->workers, &observer->check->job))
		observer->check = check_free(observer->check);
	check = count && !observer->check ? calloc(1, sizeof(*check)) : NULL;
	if (!check) {
		free(links);
		return;
	}
	*check = (struct link_check){
		.job = { .run = check_run, .arg = check },
		.links = links,
		.count = count,
		.gone = calloc(count, sizeof(uint64_t)),
	};
	job = &check->job;
	if (check->gone && !worker_pool_run(observer->workers, &job, 1, links_deadline_ns)) {
		observer->check = check;
		return;
	}
	sighting->gone = check->gone;
	sighting->n_gone = check->n_gone;
	check->gone = NULL;
	check_free(check);
}

/* ---- sources ---- */

/* The directories in which device nodes come and go; /dev itself for the day the driver is loaded.
 */
static void changes_watch(const struct observer *observer)
{
	static const char *const directories[] = { "dev", "dev/tenstorrent",
						   "sys/class/tenstorrent" };
	const uint32_t events = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR;

	for (size_t i = 0; i < ARRAY_SIZE(directories); i++) {
		char path[64];
		CLEANUP_CLOSE int fd =
			root_open(observer->root, directories[i], O_PATH | O_DIRECTORY | O_CLOEXEC);

		if (fd < 0)
			continue;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		inotify_add_watch(observer->changes, path, events); /* else it is asked for */
	}
}

/* Is it about us? Other things come and go in /dev too. */
static bool change_matters(const struct inotify_event *event)
{
	return event->len == 0 || strcmp(event->name, "tenstorrent") == 0 ||
	       strspn(event->name, "0123456789") == strlen(event->name) ||
	       strncmp(event->name, "tenstorrent!", strlen("tenstorrent!")) == 0;
}

static void changes_read(struct observer *observer)
{
	_Alignas(struct inotify_event) char data[4096];
	ssize_t n;

	while ((n = read(observer->changes, data, sizeof(data))) > 0) {
		for (char *at = data; at < data + n;) {
			const struct inotify_event *event = (const void *)at;

			if (change_matters(event))
				observer->settle_ns = clock_now(CLOCK_MONOTONIC) + SETTLE;
			at += sizeof(*event) + event->len;
		}
	}
}

static void sample_take(struct observer *observer, struct observed_link *links, size_t n_links,
			bool changed)
{
	struct sighting *sighting = calloc(1, sizeof(*sighting)), *before;

	if (!sighting) {
		free(links);
		return;
	}
	sighting->taken_ns = clock_now(CLOCK_MONOTONIC);
	sighting->changed = changed;
	if (changed)
		changes_watch(observer); /* the directory itself may be new */
	sighting->error = sampler_collect(observer->sampler, &sighting->snapshot,
					  &sighting->reports, &sighting->n_reports);
	links_check(observer, links, n_links, sighting);
	pthread_mutex_lock(&observer->lock);
	before = observer->sighting;
	if (before)
		sighting->changed |= before->changed;
	observer->sighting = sighting;
	pthread_mutex_unlock(&observer->lock);
	sighting_free(before);
	wake(observer->ready.fd);
}

static void samples_run(struct observer *observer)
{
	struct observed_link *links;
	bool wanted,
		changed = observer->settle_ns && clock_now(CLOCK_MONOTONIC) >= observer->settle_ns;
	size_t n_links;

	pthread_mutex_lock(&observer->lock);
	wanted = observer->sample;
	observer->sample = false;
	links = TAKE_PTR(observer->links);
	n_links = observer->n_links;
	pthread_mutex_unlock(&observer->lock);
	if (changed)
		observer->settle_ns = 0;
	if (wanted || changed)
		sample_take(observer, links, links ? n_links : 0, changed);
	else
		free(links);
}

static void search_run(struct observer *observer)
{
	struct table_search *found = NULL;
	bool wanted;
	int r;

	pthread_mutex_lock(&observer->lock);
	wanted = observer->search;
	observer->search = false;
	pthread_mutex_unlock(&observer->lock);
	if (!wanted)
		return;
	r = table_search(observer->root, observer->workers, search_deadline_ns, &found);
	pthread_mutex_lock(&observer->lock);
	observer->tables = found;
	observer->search_error = r;
	observer->searched = true;
	pthread_mutex_unlock(&observer->lock);
	wake(observer->ready.fd);
}

static bool observer_is_ending(struct observer *observer)
{
	bool ending;

	pthread_mutex_lock(&observer->lock);
	ending = observer->ending;
	pthread_mutex_unlock(&observer->lock);
	return ending;
}

static void observer_wait(struct observer *observer)
{
	struct pollfd fds[] = {
		{ .fd = observer->wanted, .events = POLLIN },
		{ .fd = observer->changes, .events = POLLIN },
	};
	int timeout = -1;

	if (observer->settle_ns) {
		int64_t left = observer->settle_ns - clock_now(CLOCK_MONOTONIC);

		timeout = (int)(MAX(left, 0) / NS_PER_MS) + 1;
	}
	poll(fds, ARRAY_SIZE(fds), timeout);
	if (fds[0].revents)
		sleep_over(observer->wanted);
	if (fds[1].revents)
		changes_read(observer);
}

static void *observer_work(void *arg)
{
	struct observer *observer = arg;

	changes_watch(observer);
	while (!observer_is_ending(observer)) {
		while (looks_run(observer))
			continue;
		search_run(observer);
		samples_run(observer);
		observer_wait(observer);
	}
	return NULL;
}

/* ---- the loop's side ---- */

static struct look_job *done_take(struct observer *observer)
{
	struct look_job *job = NULL;

	pthread_mutex_lock(&observer->lock);
	if (observer->done.next != &observer->done) {
		job = container_of(observer->done.next, struct look_job, member);
		list_remove(&job->member);
	}
	pthread_mutex_unlock(&observer->lock);
	return job;
}

static void hand_over_looks(struct observer *observer)
{
	struct look_job *job;

	while ((job = done_take(observer))) {
		struct look *look = job->look;

		if (look) {
			look->observer = NULL;
			look->job = NULL;
			look->done(look, &job->result);
			job->result.pidfd = -1;
		}
		look_job_free(job);
	}
}

static void hand_over_tables(struct observer *observer)
{
	struct table_search *tables;
	bool searched;

	pthread_mutex_lock(&observer->lock);
	tables = TAKE_PTR(observer->tables);
	searched = observer->searched;
	observer->searched = false;
	pthread_mutex_unlock(&observer->lock);
	for (size_t i = 0; tables && i < tables->count; i++)
		observer->ops->found(observer->arg, &tables->list[i]);
	table_search_free(tables, false);
	if (searched)
		observer->ops->searched(observer->arg, observer->search_error);
}

static void observer_ready(struct watch *watch, uint32_t events)
{
	struct observer *observer = container_of(watch, struct observer, ready);
	struct sighting *sighting;

	(void)events;
	sleep_over(watch->fd);
	hand_over_looks(observer);
	hand_over_tables(observer);
	pthread_mutex_lock(&observer->lock);
	sighting = TAKE_PTR(observer->sighting);
	pthread_mutex_unlock(&observer->lock);
	if (sighting)
		observer->ops->sighted(observer->arg, sighting);
}

int look_start(struct look *look, struct observer *observer, enum look_kind kind, pid_t pid,
	       uid_t uid, int pidfd)
{
	struct look_job *job = calloc(1, sizeof(*job));
	int held = pidfd >= 0 ? fcntl(pidfd, F_DUPFD_CLOEXEC, 0) : -1;

	if (!job || (pidfd >= 0 && held < 0)) {
		if (held >= 0)
			close(held);
		free(job);
		return -ENOMEM;
	}
	*job = (struct look_job){
		.observer = observer,
		.look = look,
		.kind = kind,
		.pid = pid,
		.uid = uid,
		.pidfd = held,
		.result = { .pidfd = -1,
			    .view = { .root = &observer->machine,
				      .pid = pid,
				      .visible.status = VISIBLE_UNREADABLE } },
	};
	job->unknown = job->result.view;
	look->observer = observer;
	look->job = job;
	pthread_mutex_lock(&observer->lock);
	list_append(&observer->queue, &job->member);
	pthread_mutex_unlock(&observer->lock);
	wake(observer->wanted);
	return 0;
}

void look_stop(struct look *look)
{
	if (!look->observer)
		return;
	pthread_mutex_lock(&look->observer->lock);
	look->job->look = NULL;
	pthread_mutex_unlock(&look->observer->lock);
	look->observer = NULL;
	look->job = NULL;
}

void observer_sample(struct observer *observer, const struct observed_link *links, size_t count)
{
	struct observed_link *copy = count ? malloc(count * sizeof(*copy)) : NULL;

	if (copy)
		memcpy(copy, links, count * sizeof(*copy));
	pthread_mutex_lock(&observer->lock);
	observer->sample = true;
	if (copy) {
		free(observer->links);
		observer->links = copy;
		observer->n_links = count;
	}
	pthread_mutex_unlock(&observer->lock);
	wake(observer->wanted);
}

void observer_search(struct observer *observer)
{
	pthread_mutex_lock(&observer->lock);
	observer->search = true;
	pthread_mutex_unlock(&observer->lock);
	wake(observer->wanted);
}

static int observer_open(struct observer *observer)
{
	struct want want = { 0 };
	int fd, r;

	want_add_list(&want, fields);
	r = root_init(&observer->machine, NULL);
	if (r >= 0)
		r = worker_pool_new(&observer->workers);
	if (r >= 0)
		r = sampler_new(observer->root, &want, asked, &observer->sampler);
	if (r < 0)
		return r;
	sampler_set_deadline(observer->sampler, read_deadline_ns);
	observer->wanted = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	observer->changes = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (observer->wanted < 0 || observer->changes < 0 || fd < 0)
		r = -errno;
	if (r >= 0)
		r = watch_start(observer->loop, &observer->ready, fd, EPOLLIN);
	if (r < 0 && fd >= 0)
		close(fd);
	return r;
}

int observer_new(struct loop *loop, const struct root *root, const struct observer_ops *ops,
		 void *arg, struct observer **ret)
{
	struct observer *observer = calloc(1, sizeof(*observer));
	int r;

	if (!observer)
		return -ENOMEM;
	*observer = (struct observer){
		.loop = loop,
		.root = root,
		.ops = ops,
		.arg = arg,
		.ready = { .fd = -1, .ready = observer_ready },
		.wanted = -1,
		.changes = -1,
		.machine.fd = -1,
	};
	pthread_mutex_init(&observer->lock, NULL);
	list_init(&observer->queue);
	list_init(&observer->done);
	list_init(&observer->hung);
	r = observer_open(observer);
	if (r >= 0)
		r = -pthread_create(&observer->thread, NULL, observer_work, observer);
	if (r < 0) {
		observer->ending = true;
		observer_free(observer);
		return r;
	}
	*ret = observer;
	return 0;
}

static void jobs_free(struct list *list)
{
	for (LIST_EACH(at, list)) {
		struct look_job *job = container_of(at, struct look_job, member);

		if (job->look)
			look_stop(job->look);
		list_remove(&job->member);
		look_job_free(job);
	}
}

/* What a job that hangs uses is left to it; the process ends anyway. */
static void observer_destroy(struct observer *observer)
{
	bool hangs = observer->workers && worker_pool_is_blocked(observer->workers);
	int fds[] = { observer->ready.fd, observer->wanted, observer->changes };

	watch_stop(observer->loop, &observer->ready);
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	jobs_free(&observer->queue);
	hung_sweep(observer);
	jobs_free(&observer->done);
	table_search_free(observer->tables, true);
	sighting_free(observer->sighting);
	free(observer->links);
	sampler_free(observer->sampler);
	worker_pool_free(observer->workers);
	if (hangs)
		return;
	check_free(observer->check);
	root_done(&observer->machine);
	pthread_mutex_destroy(&observer->lock);
	free(observer);
}

struct observer *observer_free(struct observer *observer)
{
	if (!observer)
		return NULL;
	if (!observer->ending) {
		pthread_mutex_lock(&observer->lock);
		observer->ending = true;
		pthread_mutex_unlock(&observer->lock);
		wake(observer->wanted);
		pthread_join(observer->thread, NULL);
	}
	observer_destroy(observer);
	return NULL;
}
