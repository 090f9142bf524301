#include "source/monitors.h"

#include "basic/clock.h"
#include "basic/file.h"
#include "source/protected.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

/* Enough for thousands of names. */
static const size_t file_limit = 1 << 20;

static const int64_t pause_ns = 5 * NS_PER_S;

void monitors_init(struct monitors *monitors, const struct root *root)
{
	*monitors = (struct monitors){ .root = root };
}

/* A tree belongs to the user who unpacked it, so its owner is not checked. */
static const char *find_fault(const struct monitors *monitors, const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return "not a regular file";
	if (!monitors->root->live)
		return NULL;
	if (st->st_uid != 0)
		return "it does not belong to root";
	return protected_by_mode(st) ? NULL : "users other than root may write it";
}

static void read_file(struct monitors *monitors, int fd, const struct stat *st)
{
	const char *fault = find_fault(monitors, st);
	CLEANUP_BUF struct buf text = { 0 };
	unsigned bad = 0;
	int r = 0;

	if (!fault)
		r = file_read_all_open(fd, file_limit, &text);
	if (!fault && r >= 0)
		r = monitor_names_parse(&monitors->read_names, buf_text(&text), &bad);
	if (fault || r < 0)
		buf_printf(&monitors->read_problem, "/" MONITORS_PATH ": not used: %s",
			   fault ? fault : strerror(-r));
	else if (bad)
		buf_printf(&monitors->read_problem,
			   "/" MONITORS_PATH ":%u: not the name of a program", bad);
}

static bool is_unchanged(const struct stat *a, const struct stat *b)
{
	return protected_same(a, b) && a->st_size == b->st_size &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static void run(void *arg)
{
	struct monitors *monitors = arg;
	CLEANUP_CLOSE int fd = root_open(monitors->root, MONITORS_PATH,
					 O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st = { 0 };

	if (fd >= 0 && fstat(fd, &st) < 0)
		return;
	if (is_unchanged(&st, &monitors->seen))
		return;
	monitors->seen = st;
	monitors->changed = true;
	monitor_names_done(&monitors->read_names);
	buf_reset(&monitors->read_problem);
	if (fd >= 0)
		read_file(monitors, fd, &st);
}

struct job *monitors_job(struct monitors *monitors, struct worker_pool *workers)
{
	int64_t now = clock_now(CLOCK_MONOTONIC);

	if (job_is_busy(workers, &monitors->job) ||
	    (monitors->asked_ns && now - monitors->asked_ns < pause_ns))
		return NULL;
	monitors->asked_ns = now;
	monitors->job = (struct job){ .run = run, .arg = monitors };
	return &monitors->job;
}

bool monitors_take(struct monitors *monitors, struct worker_pool *workers)
{
	if (!monitors->asked_ns || !job_is_done(workers, &monitors->job) || !monitors->changed)
		return false;
	monitors->changed = false;
	monitor_names_done(&monitors->names);
	monitors->names = monitors->read_names;
	monitors->read_names = (struct monitor_names){ 0 };
	buf_done(&monitors->problem);
	monitors->problem = monitors->read_problem;
	monitors->read_problem = (struct buf){ 0 };
	return true;
}

bool monitors_done(struct monitors *monitors, struct worker_pool *workers)
{
	if (job_is_busy(workers, &monitors->job))
		return false;
	monitor_names_done(&monitors->names);
	monitor_names_done(&monitors->read_names);
	buf_done(&monitors->problem);
	buf_done(&monitors->read_problem);
	return true;
}
