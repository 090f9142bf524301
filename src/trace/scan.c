#include "trace/scan.h"

#include "trace/devices.h"
#include "trace/file_attach.h"
#include "trace/libraries.h"
#include "trace/mesh_views.h"
#include "trace/pins.h"
#include "trace/process_stat.h"
#include "trace/program_sampler.h"
#include "trace/role.h"

#include "basic/clock.h"
#include "basic/file.h"
#include "proto/traced.h"
#include "source/role_watch.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

/* Upper limit for the text of the file of holders. */
#define HOLDERS_MAX (64UL << 20)

/* Deadlines of a job: of one scan among many, and of a scan that is not repeated. */
#define WAIT_SHORT (100 * NS_PER_MS)
#define WAIT_LONG  (2 * NS_PER_S)

int scan_init(struct trace_scan *scan, struct tracer *tracer, bool is_repeated)
{
	struct scan_state *state = &scan->state;
	int r;

	*scan = (struct trace_scan){
		.state = {
			.tracer = tracer,
			.round.deadline = is_repeated ? WAIT_SHORT : WAIT_LONG,
			.blocked_limit = is_repeated ? WAIT_LONG : 0,
		},
	};
	file_cache_init(&state->cache);
	library_searches_init(&state->searches, &state->cache);
	r = worker_pool_new(&state->round.workers);
	if (r < 0)
		return r;
	r = role_watch_new(&scan->roles);
	if (r < 0)
		state->round.workers = worker_pool_free(state->round.workers);
	return r;
}

bool scan_done(struct trace_scan *scan)
{
	struct scan_state *state = &scan->state;
	bool is_blocked = worker_pool_is_blocked(state->round.workers);

	if (!is_blocked)
		scan->roles = role_watch_free(scan->roles, state->round.workers);
	state->round.workers = worker_pool_free(state->round.workers);
	if (is_blocked)
		return false;
	library_searches_done(&state->searches);
	file_cache_done(&state->cache);
	job_round_done(&state->round);
	readback_done(&scan->readback);
	free(scan->holders);
	return true;
}

int scan_begin(struct trace_scan *scan)
{
	int r = devices_update(scan->state.tracer);

	if (r == 0)
		r = libraries_read(scan->state.tracer, scan->state.libraries);
	if (r == 0)
		file_attach_refresh(&scan->state);
	return r;
}

int scan_file(struct trace_scan *scan, const char *path, struct file_state *ret)
{
	struct scan_state *state = &scan->state;
	struct library_search *search = library_search_new(&state->searches, 0, path);
	int r;

	*ret = (struct file_state){ 0 };
	r = search ? job_round_add(&state->round, &search->job) : -ENOMEM;
	if (r < 0)
		return r;
	job_round_run(&state->round);
	if (!job_is_done(state->round.workers, &search->job)) {
		library_search_abandon(search);
		return -ETIMEDOUT;
	}
	r = search->result;
	if (r == 0 && search->n_found)
		r = file_attach(state, &search->found[0], true, ret);
	library_search_free(search);
	return r;
}

/* ---- holders ---- */

static int by_pid(const void *a, const void *b)
{
	const struct device_holder *left = a, *right = b;

	return (left->pid > right->pid) - (left->pid < right->pid);
}

/* Reads the kernel's list, each process once. */
static int read_holders(struct device_holder **ret, size_t *ret_count)
{
	CLEANUP_FREE struct traced_holder *lines = NULL;
	CLEANUP_FREE struct device_holder *list = NULL;
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
		if (count && list[count - 1].pid == lines[i].pid) {
			list[count - 1].n_devices++;
			continue;
		}
		list[count].pid = lines[i].pid;
		list[count].start = lines[i].start_ticks;
		list[count].n_devices = 1;
		memcpy(list[count++].comm, lines[i].comm, sizeof(list->comm));
	}
	qsort(list, count, sizeof(*list), by_pid);
	*ret = TAKE_PTR(list);
	*ret_count = count;
	return 0;
}

static struct device_holder *find_holder(const struct trace_scan *scan, pid_t pid)
{
	struct device_holder key = { .pid = pid };

	return scan->n_holders ? bsearch(&key, scan->holders, scan->n_holders, sizeof(key), by_pid)
			       : NULL;
}

static int update_holders(struct trace_scan *scan)
{
	struct device_holder *list;
	size_t count;
	int r = read_holders(&list, &count);

	if (r < 0)
		return r;
	for (size_t i = 0; i < count; i++) {
		struct device_holder *old = find_holder(scan, list[i].pid);

		if (!old || old->start != list[i].start)
			continue;
		memcpy(old->comm, list[i].comm, sizeof(old->comm)); /* it may have changed */
		old->n_devices = list[i].n_devices;
		list[i] = *old;
		old->search = NULL;
	}
	for (size_t i = 0; i < scan->n_holders; i++)
		library_search_abandon(scan->holders[i].search);
	free(scan->holders);
	scan->holders = list;
	scan->n_holders = count;
	for (size_t i = 0; i < count && r == 0; i++)
		r = device_holder_prepare(&list[i], &scan->state);
	return r;
}

/* Removes entries of processes that exited while they were added. */
static void remove_exited(const struct trace_scan *scan)
{
	const struct tracer *tracer = scan->state.tracer;
	CLEANUP_FREE struct trace_process *process = malloc(sizeof(*process));
	int map = tracer->maps[MAP_PROCESSES];
	uint32_t tgid = 0;

	while (process && tracer_next_process(tracer, &tgid)) {
		if (find_holder(scan, (pid_t)tgid) ||
		    bpf_map_lookup_elem(map, &tgid, process) < 0 || !process->start ||
		    process_is_alive((pid_t)tgid, process->start))
			continue;
		(void)!tracer_run(tracer, TRACER_LEAVE, (const uint64_t[]){ tgid, process->start },
				  2);
	}
}

/* ---- libraries ---- */

/* Searches the paths of attached libraries: an upgrade may have replaced the file. */
static int prepare_replaced(struct trace_scan *scan)
{
	struct scan_state *state = &scan->state;
	int r = 0;

	for (size_t i = 0; i < TRACE_LIBRARIES && r == 0; i++) {
		struct library_search *search;

		if (!state->libraries[i].id || scan->replaced[i])
			continue;
		search = library_search_new(&state->searches, 0, state->libraries[i].path);
		scan->replaced[i] = search;
		r = search ? job_round_add(&state->round, &search->job) : -ENOMEM;
	}
	return r;
}

static bool is_mapped(const struct trace_scan *scan, const struct trace_library *library)
{
	for (size_t i = 0; i < scan->n_holders; i++)
		if (device_holder_maps(&scan->holders[i], library->id))
			return true;
	return false;
}

static int attach_found(struct scan_state *state, const struct library_file *file)
{
	struct file_state file_state;
	int r = file_attach(state, file, false, &file_state);

	return r == -EAGAIN ? 0 : r;
}

/*
 * Runs before the holders take their results, since a file that several searches found was read by
 * only one of them.
 */
static int attach_all(struct scan_state *state)
{
	int r = 0;

	for (struct library_search *search = state->searches.all; search && r == 0;
	     search = search->next) {
		if (!job_is_done(state->round.workers, &search->job))
			continue;
		for (size_t i = 0; i < search->n_found && r == 0; i++)
			r = attach_found(state, &search->found[i]);
	}
	return r;
}

/*
 * After an upgrade there is a new file at the path of an attached one: probes are put on it before
 * a process runs it. The old file keeps its probes while a holder maps it. They also keep its file
 * system mounted.
 */
static int take_replaced(struct trace_scan *scan, struct trace_library *library,
			 const struct library_search *search)
{
	if (!library->id || strcmp(search->path, library->path) != 0)
		return 0; /* the entry belongs to another library by now */
	if (search->result == -ETIMEDOUT ||
	    (search->result == 0 && libraries_is(library, &search->st)))
		return 0;
	if (!is_mapped(scan, library))
		libraries_drop(scan->state.tracer, library);
	return search->n_found ? attach_found(&scan->state, &search->found[0]) : 0;
}

/* A path that blocks counts as unchanged. */
static int collect_replaced(struct trace_scan *scan)
{
	struct worker_pool *workers = scan->state.round.workers;
	int r = 0;

	for (size_t i = 0; i < TRACE_LIBRARIES && r == 0; i++) {
		struct library_search *search = scan->replaced[i];

		if (!search || job_is_busy(workers, &search->job))
			continue;
		if (job_is_done(workers, &search->job))
			r = take_replaced(scan, &scan->state.libraries[i], search);
		scan->replaced[i] = library_search_free(search);
	}
	return r;
}

/* ---- a complete scan ---- */

static int scan_files(struct trace_scan *scan)
{
	struct scan_state *state = &scan->state;
	int r;

	library_searches_clean(&state->searches, state->round.workers);
	job_round_clear(&state->round);
	r = prepare_replaced(scan);
	if (r == 0)
		r = update_holders(scan);
	if (r < 0)
		return r;
	job_round_run(&state->round);
	r = attach_all(state);
	for (size_t i = 0; i < scan->n_holders && r == 0; i++)
		r = device_holder_collect(&scan->holders[i], state);
	return r;
}

int scan_run(struct trace_scan *scan, struct buf *problem)
{
	int r;

	r = scan_files(scan);
	if (r < 0) {
		buf_printf(problem, "%s: %s", PINS_HOLDERS, strerror(-r));
		return r;
	}
	remove_exited(scan);
	r = collect_replaced(scan);
	if (r == 0)
		r = role_update(&scan->state, scan->roles, scan->holders, scan->n_holders);
	if (r == 0)
		r = readback_run(&scan->readback, &scan->state);
	if (r == 0)
		mesh_views_use(&scan->state);
	if (r == 0 && scan->programs)
		r = program_sampler_update(scan->programs, scan->state.libraries, scan->holders,
					   scan->n_holders);
	if (r < 0)
		buf_puts(problem, strerror(-r));
	return r;
}
