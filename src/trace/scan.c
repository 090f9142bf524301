#include "trace/scan.h"

#include "trace/devices.h"
#include "trace/libraries.h"
#include "trace/pins.h"
#include "trace/role.h"
#include "trace/task.h"

#include "basic/clock.h"
#include "basic/file.h"
#include "proto/traced.h"
#include "source/role_watch.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

/* No machine has a list that long. */
#define HOLDERS_MAX (64UL << 20)

/* Who scans again soon waits a moment; who scans once waits for whoever answers at all. */
#define WAIT_SHORT (100 * NS_PER_MS)
#define WAIT_LONG  (2 * NS_PER_S)

int scan_init(struct scan *scan, struct tracer *tracer, bool stays)
{
	int r;

	*scan = (struct scan){
		.tracer = tracer,
		.wait = stays ? WAIT_SHORT : WAIT_LONG,
		.patience = stays ? WAIT_LONG : 0,
	};
	files_init(&scan->files, tracer, scan->libraries);
	r = worker_pool_new(&scan->workers);
	if (r < 0)
		return r;
	r = role_watch_new(&scan->roles);
	if (r < 0)
		scan->workers = worker_pool_free(scan->workers);
	return r;
}

bool scan_done(struct scan *scan)
{
	bool blocked = worker_pool_is_blocked(scan->workers);

	if (!blocked)
		scan->roles = role_watch_free(scan->roles, scan->workers);
	scan->workers = worker_pool_free(scan->workers);
	if (blocked)
		return false;
	while (scan->files.looks)
		look_free(scan->files.looks);
	readback_done(&scan->readback);
	files_done(&scan->files);
	free(scan->holders);
	free(scan->jobs);
	return true;
}

int scan_begin(struct scan *scan)
{
	int r = devices_update(scan->tracer);

	if (r == 0)
		r = libraries_read(scan->tracer, scan->libraries);
	if (r == 0)
		files_refresh(&scan->files);
	return r;
}

/* ---- rounds ---- */

int scan_add(struct scan *scan, struct job *job)
{
	size_t room = scan->room ? 2 * scan->room : 64;

	if (scan->n_jobs == scan->room) {
		struct job **jobs = realloc(scan->jobs, room * sizeof(struct job *));

		if (!jobs)
			return -ENOMEM;
		scan->jobs = jobs;
		scan->room = room;
	}
	scan->jobs[scan->n_jobs++] = job;
	return 0;
}

void scan_round(struct scan *scan)
{
	(void)worker_pool_run(scan->workers, scan->jobs, scan->n_jobs, scan->wait);
	scan->n_jobs = 0;
}

int scan_file(struct scan *scan, const char *path, const char **problem)
{
	struct look *look = look_new(&scan->files, 0, path);
	struct verdict verdict = { 0 };
	int r;

	r = look ? scan_add(scan, &look->job) : -ENOMEM;
	if (r < 0)
		return r;
	scan_round(scan);
	if (!job_is_done(scan->workers, &look->job)) {
		look_leave(look);
		return -ETIMEDOUT;
	}
	r = look->result;
	if (r == 0 && look->n_found)
		r = files_take(&scan->files, &look->found[0], true, &verdict);
	*problem = verdict.metal ? verdict.problem : "not TT-Metal, or without symbols";
	look_free(look);
	return r;
}

/* ---- all of them ---- */

static int by_pid(const void *a, const void *b)
{
	const struct holder *left = a, *right = b;

	return (left->pid > right->pid) - (left->pid < right->pid);
}

/* The kernel's list, each process once. */
static int read_holders(struct holder **ret, size_t *ret_count)
{
	CLEANUP_FREE struct traced_holder *lines = NULL;
	CLEANUP_FREE struct holder *list = NULL;
	CLEANUP_BUF struct buf text = { 0 };
	size_t n_lines = 0, count = 0;
	int r;

	r = file_read_all(AT_FDCWD, PINS_HOLDERS, HOLDERS_MAX, &text);
	if (r == 0)
		r = traced_parse_holders(buf_text(&text), &lines, &n_lines);
	if (r < 0)
		return r;
	list = calloc(n_lines + 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < n_lines; i++) {
		if (count && list[count - 1].pid == lines[i].pid)
			continue;
		list[count].pid = lines[i].pid;
		list[count].start = lines[i].start_ticks;
		memcpy(list[count++].comm, lines[i].comm, sizeof(list->comm));
	}
	qsort(list, count, sizeof(*list), by_pid);
	*ret = TAKE_PTR(list);
	*ret_count = count;
	return 0;
}

static struct holder *find_holder(const struct scan *scan, pid_t pid)
{
	struct holder key = { .pid = pid };

	return scan->n_holders ? bsearch(&key, scan->holders, scan->n_holders, sizeof(key), by_pid)
			       : NULL;
}

static int update_holders(struct scan *scan)
{
	struct holder *list;
	size_t count;
	int r = read_holders(&list, &count);

	if (r < 0)
		return r;
	for (size_t i = 0; i < count; i++) {
		struct holder *old = find_holder(scan, list[i].pid);

		if (!old || old->start != list[i].start)
			continue;
		memcpy(old->comm, list[i].comm, sizeof(old->comm)); /* it may have changed */
		list[i] = *old;
		old->look = NULL;
	}
	for (size_t i = 0; i < scan->n_holders; i++)
		look_leave(scan->holders[i].look);
	free(scan->holders);
	scan->holders = list;
	scan->n_holders = count;
	for (size_t i = 0; i < count && r == 0; i++)
		r = holder_prepare(&list[i], scan);
	return r;
}

/* Looks that nobody waits for any more, when they have ended. */
static void free_left(struct scan *scan)
{
	struct look *next;

	for (struct look *look = scan->files.looks; look; look = next) {
		next = look->next;
		if (look->is_left && !job_is_busy(scan->workers, &look->job))
			look_free(look);
	}
}

/* Entries of processes that ended unseen: they were entered while they did. */
static void forget_dead(const struct scan *scan)
{
	int map = scan->tracer->maps[MAP_PROCESSES];
	CLEANUP_FREE struct trace_process *process = malloc(sizeof(*process));
	uint32_t key, *before = NULL, tgid;

	while (process && bpf_map_get_next_key(map, before, &key) == 0) {
		tgid = key;
		before = &tgid;
		if (find_holder(scan, (pid_t)key) || bpf_map_lookup_elem(map, &key, process) < 0 ||
		    !process->start || task_lives((pid_t)key, process->start))
			continue;
		(void)!tracer_run(scan->tracer, PROGRAM_LEAVE,
				  (const uint64_t[]){ key, process->start }, 2);
	}
}

/* ---- libraries ---- */

/* Each is looked for where it was: other contents may be there. */
static int prepare_places(struct scan *scan)
{
	int r = 0;

	for (size_t i = 0; i < TRACE_LIBRARIES && r == 0; i++) {
		if (!scan->libraries[i].id || scan->places[i])
			continue;
		scan->places[i] = look_new(&scan->files, 0, scan->libraries[i].path);
		r = scan->places[i] ? scan_add(scan, &scan->places[i]->job) : -ENOMEM;
	}
	return r;
}

static bool is_mapped(const struct scan *scan, const struct trace_library *library)
{
	for (size_t i = 0; i < scan->n_holders; i++)
		if (holder_maps(&scan->holders[i], library->id))
			return true;
	return false;
}

static int take_found(struct scan *scan, const struct found *found)
{
	struct verdict verdict;
	int r = files_take(&scan->files, found, false, &verdict);

	return r == -EAGAIN ? 0 : r;
}

/* Before anybody asks what came of a file that another look has read. */
static int judge_all(struct scan *scan)
{
	int r = 0;

	for (struct look *look = scan->files.looks; look && r == 0; look = look->next) {
		if (!job_is_done(scan->workers, &look->job))
			continue;
		for (size_t i = 0; i < look->n_found && r == 0; i++)
			r = take_found(scan, &look->found[i]);
	}
	return r;
}

/*
 * Where a file stood that is attached to there may be a new one, after an upgrade: it
 * is attached to before anybody runs it. The old one stays for as long as somebody
 * does. A link also holds the file system that the file is on.
 */
static int follow(struct scan *scan, struct trace_library *library, const struct look *look)
{
	if (!library->id || strcmp(look->path, library->path) != 0)
		return 0; /* another one by now */
	if (look->result == -ETIMEDOUT || (look->result == 0 && libraries_is(library, &look->st)))
		return 0;
	if (!is_mapped(scan, library))
		libraries_drop(scan->tracer, library);
	return look->n_found ? take_found(scan, &look->found[0]) : 0;
}

/* Who does not answer is where it was. */
static int follow_places(struct scan *scan)
{
	int r = 0;

	for (size_t i = 0; i < TRACE_LIBRARIES && r == 0; i++) {
		struct look *look = scan->places[i];

		if (!look || job_is_busy(scan->workers, &look->job))
			continue;
		if (job_is_done(scan->workers, &look->job))
			r = follow(scan, &scan->libraries[i], look);
		scan->places[i] = look_free(look);
	}
	return r;
}

static int look_at_all(struct scan *scan)
{
	int r;

	free_left(scan);
	scan->n_jobs = 0;
	r = prepare_places(scan);
	if (r == 0)
		r = update_holders(scan);
	if (r < 0)
		return r;
	scan_round(scan);
	r = judge_all(scan);
	for (size_t i = 0; i < scan->n_holders && r == 0; i++)
		r = holder_collect(&scan->holders[i], scan);
	return r;
}

int scan_run(struct scan *scan, struct buf *problem)
{
	int r;

	r = look_at_all(scan);
	if (r < 0) {
		buf_printf(problem, "%s: %s", PINS_HOLDERS, strerror(-r));
		return r;
	}
	forget_dead(scan);
	r = follow_places(scan);
	if (r == 0)
		r = role_update(scan);
	if (r == 0)
		r = readback_run(&scan->readback, scan);
	if (r < 0)
		buf_puts(problem, strerror(-r));
	return r;
}
