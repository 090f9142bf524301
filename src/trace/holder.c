#include "trace/holder.h"

#include "trace/libraries.h"
#include "trace/scan.h"
#include "trace/task.h"

#include "basic/clock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A process whose size did not change is looked at again all the same, after so many scans. */
#define LOOK_EVERY 16

int holder_prepare(struct holder *holder, struct scan *scan)
{
	uint64_t pages = 0;
	int r;

	if (holder->look)
		return 0; /* the last one is not done */
	r = task_pages(holder->pid, &pages);
	if (r == 0 && holder->pages == pages && !holder->late && ++holder->age < LOOK_EVERY)
		return 0;
	holder->pages = pages;
	holder->age = 0;
	holder->look = look_new(&scan->files, holder->pid, NULL);
	return holder->look ? scan_add(scan, &holder->look->job) : -ENOMEM;
}

static int enter(const struct holder *holder, const struct scan *scan, uint32_t flags)
{
	uint64_t arguments[6] = { (uint64_t)holder->pid, holder->start, flags };
	int r;

	memcpy(&arguments[3], holder->comm, TRACE_COMM);
	arguments[5] = holder->partly ? UINT32_MAX : holder->n_files;
	r = tracer_run(scan->tracer, PROGRAM_ENTER, arguments, ARRAY_SIZE(arguments));
	/* If it ended before it was entered, the kernel does not tell us again. */
	if (r == 0 && !task_lives(holder->pid, holder->start))
		r = tracer_run(scan->tracer, PROGRAM_LEAVE, arguments, 2);
	return r;
}

static void add_library(struct holder *holder, uint32_t id)
{
	for (size_t i = 0; i < TRACE_COPIES; i++) {
		if (holder->libraries[i] && holder->libraries[i] != id)
			continue;
		holder->libraries[i] = id;
		return;
	}
}

bool holder_maps(const struct holder *holder, uint32_t library)
{
	for (size_t i = 0; i < TRACE_COPIES; i++)
		if (holder->libraries[i] == library)
			return true;
	return false;
}

/* Flags that a file gives to whoever maps it. */
static uint32_t take_verdict(struct holder *holder, struct scan *scan,
			     const struct verdict *verdict, const char *name)
{
	struct trace_library *library = &scan->libraries[verdict->library % TRACE_LIBRARIES];
	uint32_t flags = 0;

	if (!verdict->library) {
		holder->why_not = verdict->problem;
		if (verdict->fault) {
			holder->followed = true;
			flags = TRACE_FAULT_BIT(verdict->fault);
		} else {
			/* Allocations by this copy of TT-Metal are not counted. */
			holder->partly = true;
		}
		flags |= TRACE_SINCE_ATTACH;
		snprintf(holder->file, sizeof(holder->file), "%s", name);
	} else if (library->id != verdict->library) {
		holder->age = LOOK_EVERY; /* let go meanwhile */
	} else {
		holder->followed = true;
		add_library(holder, verdict->library);
		libraries_set_path(scan->tracer, library, name);
		/* Its start is known to the tick: in doubt it was there before. */
		if (holder->start * TRACE_NS_PER_TICK <= library->attached)
			flags |= TRACE_SINCE_ATTACH;
	}
	return flags;
}

static int take_files(struct holder *holder, struct scan *scan, uint32_t *flags)
{
	const struct look *look = holder->look;

	holder->n_files = look->n_found;
	holder->followed = holder->partly = false;
	holder->why_not =
		look->unread ? "its files are not read yet" : "no TT-Metal with symbols in it";
	holder->file[0] = '\0';
	memset(holder->libraries, 0, sizeof(holder->libraries));
	for (size_t i = 0; i < look->n_found; i++) {
		struct verdict verdict;
		int r = files_take(&scan->files, &look->found[i], false, &verdict);

		if (r == -EAGAIN) {
			holder->age = LOOK_EVERY;
			continue;
		}
		if (r < 0)
			return r;
		*flags |= take_verdict(holder, scan, &verdict, look->found[i].name);
	}
	if (look->result == -EPERM || look->result == -EACCES)
		holder->why_not = "its memory map may not be read";
	if (*flags & ~TRACE_SINCE_ATTACH)
		holder->partly = false; /* worse than that */
	else if (holder->followed && !holder->partly)
		holder->why_not = NULL;
	return 0;
}

/* For so long that it is to be said? */
static bool is_late(struct holder *holder, const struct scan *scan, int64_t since)
{
	if (!holder->late)
		holder->late = since;
	return clock_now(CLOCK_MONOTONIC) - holder->late >= scan->patience;
}

/*
 * It may use a TT-Metal that nobody knows of: whatever is counted may be too little.
 * What it held before is unknown in any case.
 */
static void doubt(struct holder *holder, const struct scan *scan, uint32_t flags)
{
	if (!holder->followed) {
		flags |= TRACE_SINCE_ATTACH;
		holder->n_files = 1;
	}
	holder->followed = true;
	holder->why_not = "its files do not answer";
	holder->file[0] = '\0';
	(void)!enter(holder, scan, flags | TRACE_FAULT_BIT(TRACE_FAULT_NO_ANSWER));
}

static int take(struct holder *holder, struct scan *scan)
{
	const struct look *look = holder->look;
	uint32_t flags = 0;
	int r;

	r = look->result == -ENOMEM ? -ENOMEM : take_files(holder, scan, &flags);
	if (r < 0)
		return r;
	if (look->unread && is_late(holder, scan, look->began)) {
		doubt(holder, scan, flags);
		return 0;
	}
	if (holder->followed && enter(holder, scan, flags) == -E2BIG)
		holder->why_not = "too many processes are followed";
	if (look->unread)
		return 0;
	/* It was doubted, and is none of ours. */
	if (holder->late && !holder->followed)
		(void)!tracer_run(scan->tracer, PROGRAM_LEAVE,
				  (const uint64_t[]){ (uint64_t)holder->pid, holder->start, 1 }, 3);
	holder->late = 0;
	return 0;
}

int holder_collect(struct holder *holder, struct scan *scan)
{
	int r = 0;

	if (!holder->look)
		return 0;
	if (job_is_done(scan->workers, &holder->look->job)) {
		r = take(holder, scan);
	} else if (job_is_busy(scan->workers, &holder->look->job)) {
		if (is_late(holder, scan, holder->look->began))
			doubt(holder, scan, 0);
		return 0;
	} else {
		holder->age = LOOK_EVERY; /* not its turn in this round */
	}
	holder->look = look_free(holder->look);
	return r;
}
