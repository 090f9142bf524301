#include "trace/device_holder.h"

#include "trace/file_attach.h"
#include "trace/libraries.h"
#include "trace/process_stat.h"

#include "basic/clock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A process whose size has not changed is searched again after this many scans. */
#define SEARCH_EVERY 16

int device_holder_prepare(struct device_holder *holder, struct scan_state *scan)
{
	uint64_t pages = 0;
	int r;

	if (holder->search)
		return 0; /* the previous search still runs */
	r = process_stat_pages(holder->pid, &pages);
	if (r == 0 && holder->pages == pages && !holder->blocked_since &&
	    ++holder->age < SEARCH_EVERY)
		return 0;
	holder->pages = pages;
	holder->age = 0;
	holder->search = library_search_new(&scan->searches, holder->pid, NULL);
	return holder->search ? job_round_add(&scan->round, &holder->search->job) : -ENOMEM;
}

/* Adds or updates its entry in the kernel's table of processes. */
static int enter(const struct device_holder *holder, const struct scan_state *scan, uint32_t flags)
{
	uint64_t arguments[6] = { (uint64_t)holder->pid, holder->start, flags };
	int r;

	memcpy(&arguments[3], holder->comm, TRACE_COMM);
	arguments[5] = holder->is_partial ? UINT32_MAX : holder->n_files;
	r = tracer_run(scan->tracer, TRACER_ENTER, arguments, ARRAY_SIZE(arguments));
	/*
	 * If it exited before the entry was added, the exit tracepoint does not remove the entry.
	 */
	if (r == 0 && !process_is_alive(holder->pid, holder->start))
		r = tracer_run(scan->tracer, TRACER_LEAVE, arguments, 2);
	return r;
}

static void add_library(struct device_holder *holder, uint32_t id)
{
	for (size_t i = 0; i < TRACE_COPIES; i++) {
		if (holder->libraries[i] && holder->libraries[i] != id)
			continue;
		holder->libraries[i] = id;
		return;
	}
}

bool device_holder_maps(const struct device_holder *holder, uint32_t library)
{
	for (size_t i = 0; i < TRACE_COPIES; i++)
		if (holder->libraries[i] == library)
			return true;
	return false;
}

/* Takes the state of a file without probes. Returns the flags for processes that map it. */
static uint32_t take_unattached(struct device_holder *holder, const struct file_state *state,
				const char *name)
{
	holder->problem = state->problem;
	snprintf(holder->file, sizeof(holder->file), "%s", name);
	if (!state->fault) {
		/* Allocations by this copy of TT-Metal are not counted. */
		holder->is_partial = true;
		return TRACE_SINCE_ATTACH;
	}
	holder->is_followed = true;
	return TRACE_SINCE_ATTACH | TRACE_FAULT_BIT(state->fault);
}

/* The same for a file with or without probes. */
static uint32_t take_file(struct device_holder *holder, struct scan_state *scan,
			  const struct file_state *state, const char *name)
{
	struct trace_library *library = &scan->libraries[state->library % TRACE_LIBRARIES];

	if (!state->library)
		return take_unattached(holder, state, name);
	if (library->id != state->library) {
		holder->age = SEARCH_EVERY; /* detached meanwhile: search again in the next scan */
		return 0;
	}
	holder->is_followed = true;
	add_library(holder, state->library);
	libraries_set_path(scan->tracer, library, name);
	/*
	 * Start times are in clock ticks: a process that started in the tick of the attach counts
	 * as started before it.
	 */
	return holder->start * TRACE_NS_PER_TICK <= library->attached ? TRACE_SINCE_ATTACH : 0;
}

static int take_files(struct device_holder *holder, struct scan_state *scan, uint32_t *flags)
{
	const struct library_search *search = holder->search;

	holder->n_files = search->n_found;
	holder->is_followed = holder->is_partial = false;
	holder->problem = search->has_unread ? "its files are not read yet"
					     : "no TT-Metal with symbols in it";
	holder->file[0] = '\0';
	memset(holder->libraries, 0, sizeof(holder->libraries));
	for (size_t i = 0; i < search->n_found; i++) {
		struct file_state state;
		int r = file_attach(scan, &search->found[i], false, &state);

		if (r == -EAGAIN) {
			holder->age = SEARCH_EVERY;
			continue;
		}
		if (r < 0)
			return r;
		*flags |= take_file(holder, scan, &state, search->found[i].name);
	}
	if (search->result == -EPERM || search->result == -EACCES)
		holder->problem = "its memory map may not be read";
	if (*flags & ~TRACE_SINCE_ATTACH)
		holder->is_partial = false; /* a fault takes precedence */
	else if (holder->is_followed && !holder->is_partial)
		holder->problem = NULL;
	return 0;
}

/* Have its files been blocked for so long that it gets a fault? */
static bool is_overdue(struct device_holder *holder, const struct scan_state *scan, int64_t since)
{
	if (!holder->blocked_since)
		holder->blocked_since = since;
	return clock_now(CLOCK_MONOTONIC) - holder->blocked_since >= scan->blocked_limit;
}

/*
 * It may use a TT-Metal without probes, so the figures may be too low. What it held before the
 * attach is unknown in any case.
 */
static void enter_blocked(struct device_holder *holder, const struct scan_state *scan,
			  uint32_t flags)
{
	if (!holder->is_followed) {
		flags |= TRACE_SINCE_ATTACH;
		holder->n_files = 1;
	}
	holder->is_followed = true;
	holder->problem = "reads of its files do not return";
	holder->file[0] = '\0';
	(void)!enter(holder, scan, flags | TRACE_FAULT_BIT(TRACE_FAULT_NO_ANSWER));
}

static int take_search(struct device_holder *holder, struct scan_state *scan)
{
	const struct library_search *search = holder->search;
	uint32_t flags = 0;
	int r;

	r = search->result == -ENOMEM ? -ENOMEM : take_files(holder, scan, &flags);
	if (r < 0)
		return r;
	if (search->has_unread && is_overdue(holder, scan, search->began)) {
		enter_blocked(holder, scan, flags);
		return 0;
	}
	if (holder->is_followed && enter(holder, scan, flags) == -E2BIG)
		holder->problem = "too many processes are followed";
	if (search->has_unread)
		return 0;
	/* enter_blocked() added it, but its files, readable by now, contain no TT-Metal. */
	if (holder->blocked_since && !holder->is_followed)
		(void)!tracer_run(scan->tracer, TRACER_LEAVE,
				  (const uint64_t[]){ (uint64_t)holder->pid, holder->start, 1 }, 3);
	holder->blocked_since = 0;
	return 0;
}

int device_holder_collect(struct device_holder *holder, struct scan_state *scan)
{
	int r = 0;

	if (!holder->search)
		return 0;
	if (job_is_done(scan->round.workers, &holder->search->job)) {
		r = take_search(holder, scan);
	} else if (job_is_busy(scan->round.workers, &holder->search->job)) {
		if (is_overdue(holder, scan, holder->search->began))
			enter_blocked(holder, scan, 0);
		return 0;
	} else {
		holder->age = SEARCH_EVERY; /* the job did not start in this round */
	}
	holder->search = library_search_free(holder->search);
	return r;
}
