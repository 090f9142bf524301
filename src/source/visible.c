/*
 * Which devices TT_VISIBLE_DEVICES selects for processes that hold several. TT-Metal's
 * device numbers need translation only for these.
 *
 * The variable is read and parsed once per process, and so is the release of the TT-Metal that the
 * process has mapped: it determines what the value means and how chips are ordered. This is a job
 * per process, since reading a process's memory, or the file of a library, may block.
 */
#include "source/visible.h"

#include "basic/proc_path.h"
#include "metal/library.h"
#include "metal/mapped.h"
#include "source/identity.h"
#include "source/procfs.h"
#include "source/source.h"

#include <errno.h>
#include <stdlib.h>

/* Maximum size of an environment. Linux allows more, but not with the usual stack limit. */
static const size_t environ_limit = 2 << 20;

/* One process. */
struct view {
	struct job job;
	uint64_t start_ticks;
	bool read;   /* the job has ended */
	bool wanted; /* the process is in this sample */
	struct visible_view seen;
};

struct views {
	struct view **list;
	size_t count;
};

static int take_meaning(const struct metal_mapping *mapping, void *arg)
{
	struct visible_view *view = arg;
	struct metal_library library;
	CLEANUP_CLOSE int fd = metal_mapped_open(view->root, view->pid, mapping);

	if (fd < 0 || metal_library_read(&library, fd) < 0)
		return 0;
	view->meaning =
		visible_meaning_of(library.shape.visible_positions, library.shape.order_by_id);
	return 1;
}

static void read_environment(struct visible_view *view)
{
	CLEANUP_BUF struct buf text = { 0 };
	char path[PROC_PATH_SIZE];

	proc_path(path, view->pid, "environ");
	if (root_read_all(view->root, path, environ_limit, &text) < 0)
		view->visible.status = VISIBLE_UNREADABLE;
	else
		visible_parse(text.length ? procfs_find_variable(text.data, text.length,
								 "TT_VISIBLE_DEVICES")
					  : NULL,
			      &view->visible);
}

void visible_view_read(void *arg)
{
	struct visible_view *view = arg;

	read_environment(view);
	if (metal_mapped_each_of(view->root, view->pid, take_meaning, view) <= 0)
		view->meaning = VISIBLE_BY_EITHER;
}

/* A device number needs translation only if there are several devices. */
static bool needs_view(const struct process *process)
{
	return process->n_usages > 1 && process->pid > 0 && process->start_ticks &&
	       process->holding != HOLDING_OPENER_GONE;
}

static struct view *views_find(const struct views *views, const struct process *process)
{
	for (size_t i = 0; i < views->count; i++)
		if (views->list[i]->seen.pid == process->pid &&
		    views->list[i]->start_ticks == process->start_ticks)
			return views->list[i];
	return NULL;
}

static struct view *views_add(struct views *views, const struct root *root,
			      const struct process *process)
{
	struct view **grown = reallocarray(views->list, views->count + 1, sizeof(*grown));
	struct view *view = calloc(1, sizeof(*view));

	if (grown)
		views->list = grown;
	if (!grown || !view) {
		free(view);
		return NULL;
	}
	view->seen.root = root;
	view->seen.pid = process->pid;
	view->start_ticks = process->start_ticks;
	view->job = (struct job){ .run = visible_view_read, .arg = &view->seen };
	return views->list[views->count++] = view;
}

/* Drops processes that are not in this sample, unless their job still runs. */
static void views_drop(struct views *views, struct worker_pool *workers)
{
	size_t kept = 0;

	for (size_t i = 0; i < views->count; i++) {
		struct view *view = views->list[i];

		if (view->wanted || job_is_busy(workers, &view->job))
			views->list[kept++] = view;
		else
			free(view);
	}
	views->count = kept;
}

/* Reads those that were not read before. */
static int views_read(struct views *views, struct sample *sample)
{
	CLEANUP_FREE struct job **jobs = calloc(views->count + 1, sizeof(*jobs));
	size_t count = 0;

	if (!jobs)
		return -ENOMEM;
	for (size_t i = 0; i < views->count; i++)
		if (!views->list[i]->read && !job_is_busy(sample->workers, &views->list[i]->job))
			jobs[count++] = &views->list[i]->job;
	worker_pool_run(sample->workers, jobs, count, sample->deadline_ns);
	for (size_t i = 0; i < views->count; i++)
		views->list[i]->read |= job_is_done(sample->workers, &views->list[i]->job);
	return 0;
}

/* Are all devices that the process holds in this visible set? */
static bool explains(const struct process *process, const struct identity_order *order,
		     uint64_t mask)
{
	for (size_t i = 0; i < order->count; i++)
		if (!(mask >> i & 1) && process_find_usage(process, order->at[i]))
			return false;
	return true;
}

static enum reason judge(const struct process *process, const struct view *view,
			 const struct identity_order *order)
{
	if (view->seen.visible.status != VISIBLE_LIST)
		return DEVICE_LIST_INVALID;
	if (!order->complete || process->n_visible == 2)
		return DEVICE_LIST_AMBIGUOUS;
	if (!explains(process, order, process->visible[0]))
		return DEVICE_LIST_MISMATCH;
	return KNOWN;
}

static void fill_list(struct process *process, const struct view *view,
		      const struct identity_order *order)
{
	if (view->seen.visible.status == VISIBLE_UNSET ||
	    view->seen.visible.status == VISIBLE_UNREADABLE)
		return;
	process->n_visible = (uint8_t)visible_resolve(&view->seen.visible, view->seen.meaning,
						      order->cards, order->count, process->visible);
	process->visible_why = judge(process, view, order);
}

static void view_fill(struct sample *sample, struct process *process, const struct view *view,
		      const struct identity_order *order)
{
	if (!view->read)
		return;
	fill_list(process, view, order);
	if (process->visible_why || !(view->seen.meaning & VISIBLE_ORDER_BY_ID))
		return;
	sample->lacks_ids = true;
	if (!identity_orders_agree(sample->snapshot, process))
		process->visible_why = DEVICE_LIST_AMBIGUOUS;
}

static int visible_sample(void *state, struct sample *sample)
{
	struct snapshot *snapshot = sample->snapshot;
	struct views *views = state;
	struct identity_order order;
	int r;

	for (size_t i = 0; i < views->count; i++)
		views->list[i]->wanted = false;
	for (size_t i = 0; i < snapshot->n_processes; i++) {
		struct process *process = &snapshot->processes[i];
		struct view *view = needs_view(process) ? views_find(views, process) : NULL;

		if (!view && needs_view(process))
			view = views_add(views, sample->root, process);
		if (view)
			view->wanted = true;
	}
	views_drop(views, sample->workers);
	if (views->count == 0)
		return 0;
	r = views_read(views, sample);
	identity_order(snapshot, &order);
	for (size_t i = 0; i < snapshot->n_processes && r >= 0; i++) {
		struct view *view = views_find(views, &snapshot->processes[i]);

		if (view && view->wanted)
			view_fill(sample, &snapshot->processes[i], view, &order);
	}
	return r;
}

static int visible_open(const struct root *root, void **ret_state)
{
	(void)root;
	*ret_state = calloc(1, sizeof(struct views));
	return *ret_state ? 0 : -ENOMEM;
}

static void visible_close(void *state, struct worker_pool *workers)
{
	struct views *views = state;

	for (size_t i = 0; i < views->count; i++)
		views->list[i]->wanted = false;
	views_drop(views, workers);
	free(views->list); /* a view whose job still runs is left to the job */
	free(views);
}

const struct source source_visible = {
	.name = "visible",
	.open = visible_open,
	.sample = visible_sample,
	.close = visible_close,
};
