#include "trace/scan.h"

#include "trace/devices.h"
#include "trace/libraries.h"
#include "trace/pins.h"
#include "trace/readback.h"
#include "trace/task.h"

#include "basic/file.h"
#include "metal/mapped.h"
#include "proto/traced.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A process whose size did not change is looked at again all the same, after so many scans. */
#define LOOK_EVERY 16

/* Texts of processes with more mappings than any has. */
#define MAPS_MAX    (64UL << 20)
#define HOLDERS_MAX (64UL << 20)

void scan_init(struct scan *scan, struct tracer *tracer)
{
	*scan = (struct scan){ .tracer = tracer };
	scan->files.tracer = tracer;
	scan->files.libraries = scan->libraries;
}

void scan_done(struct scan *scan)
{
	files_done(&scan->files);
	free(scan->holders);
	scan->holders = NULL;
}

int scan_begin(struct scan *scan)
{
	int r = devices_update(scan->tracer);

	return r < 0 ? r : libraries_read(scan->tracer, scan->libraries);
}

/* ---- one process ---- */

static int enter(const struct scan *scan, const struct holder *holder, uint32_t flags)
{
	uint64_t arguments[5] = { (uint64_t)holder->pid, holder->start, flags };
	int r;

	memcpy(&arguments[3], holder->comm, TRACE_COMM);
	r = tracer_run(scan->tracer, PROGRAM_ENTER, arguments, ARRAY_SIZE(arguments));
	/* If it ended before it was entered, the kernel does not tell us again. */
	if (r == 0 && !task_lives(holder->pid, holder->start))
		r = tracer_run(scan->tracer, PROGRAM_LEAVE, arguments, 2);
	return r;
}

/* What the mapped files of a process come to. */
struct mapped {
	struct scan *scan;
	struct holder *holder;
	uint32_t flags;
};

static void add_library(struct holder *holder, uint32_t id)
{
	for (size_t i = 0; i < TRACE_COPIES; i++) {
		if (holder->libraries[i] && holder->libraries[i] != id)
			continue;
		holder->libraries[i] = id;
		return;
	}
}

static void take_verdict(struct mapped *mapped, const struct verdict *verdict, const char *name)
{
	struct trace_library *library =
		&mapped->scan->libraries[verdict->library % TRACE_LIBRARIES];
	struct holder *holder = mapped->holder;

	if (!verdict->metal)
		return;
	if (!verdict->library) {
		holder->why_not = verdict->problem;
		holder->followed |= verdict->flags != 0;
		snprintf(holder->file, sizeof(holder->file), "%s", name);
	} else {
		holder->followed = true;
		add_library(holder, verdict->library);
		libraries_set_path(mapped->scan->tracer, library, name);
		/* Its start is known to the tick: in doubt it was there before. */
		if (holder->start * TRACE_NS_PER_TICK <= library->attached)
			mapped->flags |= TRACE_SINCE_ATTACH;
	}
	mapped->flags |= verdict->flags;
}

static int look_at_file(const struct metal_mapping *mapping, void *arg)
{
	struct mapped *mapped = arg;
	struct verdict verdict;
	char path[96];
	int r;

	/* The mapped file itself: its name may mean another one by now, or here. */
	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, mapped->holder->pid,
		 mapping->start, mapping->end);
	r = files_look(&mapped->scan->files, path, mapping->path, &verdict);
	if (r == 0)
		take_verdict(mapped, &verdict, mapping->path);
	return r == -ENOMEM ? r : 0; /* it may be gone */
}

static int look_at_maps(struct mapped *mapped)
{
	CLEANUP_BUF struct buf text = { 0 };
	char path[64];
	int r;

	snprintf(path, sizeof(path), "/proc/%d/maps", mapped->holder->pid);
	r = file_read_all(AT_FDCWD, path, MAPS_MAX, &text);
	if (r < 0 || !text.length)
		return r;
	return metal_mapped_each(text.data, look_at_file, mapped);
}

static int look_at(struct scan *scan, struct holder *holder)
{
	struct mapped mapped = { .scan = scan, .holder = holder };
	uint64_t pages = 0;
	int r;

	r = task_pages(holder->pid, &pages);
	if (r == 0 && holder->pages == pages && ++holder->age < LOOK_EVERY)
		return 0;
	holder->pages = pages;
	holder->age = 0;
	holder->followed = false;
	holder->why_not = "no TT-Metal with symbols in it";
	holder->file[0] = '\0';
	memset(holder->libraries, 0, sizeof(holder->libraries));
	r = look_at_maps(&mapped);
	if (r == -EPERM || r == -EACCES)
		holder->why_not = "its memory map may not be read";
	if (r == -ENOMEM || !holder->followed)
		return r == -ENOMEM ? r : 0;
	if (!mapped.flags || mapped.flags == TRACE_SINCE_ATTACH)
		holder->why_not = NULL;
	r = enter(scan, holder, mapped.flags);
	if (r == -E2BIG)
		holder->why_not = "too many processes are followed";
	return 0;
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
		const struct holder *old = find_holder(scan, list[i].pid);

		if (old && old->start == list[i].start)
			list[i] = *old;
	}
	free(scan->holders);
	scan->holders = list;
	scan->n_holders = count;
	for (size_t i = 0; i < count && r == 0; i++)
		r = look_at(scan, &list[i]);
	return r;
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

static int is_at(const struct trace_library *library, struct stat *st)
{
	if (stat(library->path, st) < 0)
		return -errno;
	return library->st_dev == st->st_dev && library->st_ino == st->st_ino &&
	       library->changed == libraries_changed(st);
}

static bool holder_maps(const struct holder *holder, uint32_t id)
{
	for (size_t i = 0; i < TRACE_COPIES; i++)
		if (holder->libraries[i] == id)
			return true;
	return false;
}

static bool is_mapped(const struct scan *scan, const struct trace_library *library)
{
	for (size_t i = 0; i < scan->n_holders; i++)
		if (holder_maps(&scan->holders[i], library->id))
			return true;
	return false;
}

/*
 * Where a file stood that is attached to there may be a new one, after an upgrade: it
 * is attached to before anybody runs it. The old one stays for as long as somebody
 * does. A link also holds the file system that the file is on.
 */
static int follow_files(struct scan *scan)
{
	for (size_t i = 0; i < TRACE_LIBRARIES; i++) {
		struct trace_library *library = &scan->libraries[i];
		char path[sizeof(library->path)];
		struct verdict verdict;
		struct stat st;
		int r;

		if (!library->id)
			continue;
		r = is_at(library, &st);
		if (r == 1)
			continue;
		memcpy(path, library->path, sizeof(path));
		if (!is_mapped(scan, library))
			libraries_drop(scan->tracer, library);
		if (r == 0 && files_look(&scan->files, path, path, &verdict) == -ENOMEM)
			return -ENOMEM;
	}
	return 0;
}

int scan_run(struct scan *scan, struct buf *problem)
{
	int r;

	r = update_holders(scan);
	if (r < 0) {
		buf_printf(problem, "%s: %s", PINS_HOLDERS, strerror(-r));
		return r;
	}
	forget_dead(scan);
	r = follow_files(scan);
	if (r == 0)
		r = readback_run(scan->tracer, scan->libraries);
	if (r < 0)
		buf_puts(problem, strerror(-r));
	return r;
}
