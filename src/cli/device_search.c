#include "cli/device_search.h"

#include "basic/clock.h"
#include "basic/file.h"
#include "cli/error_line.h"
#include "model/device_health.h"
#include "model/occupancy.h"
#include "source/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#define VARIABLE "TT_VISIBLE_DEVICES"

int64_t claim_now(void)
{
	return clock_now(CLOCK_BOOTTIME) / 1000;
}

/* ---- opening ---- */

int device_search_resume(struct device_search *search)
{
	static const struct selection everything;
	struct want want = { 0 };
	int code;

	occupancy_wants(&want);
	want_add_list(&want, FIELDS(PROCESS_FIELD(NAME), PROCESS_FIELD(USER)));
	device_request_wants(search->request, &want);
	code = session_open(&search->session, search->request->root, &everything, &want);
	search->files.root = &search->session.root;
	return code;
}

void device_search_suspend(struct device_search *search)
{
	session_close(&search->session);
	search->session = (struct session){ .root.fd = -1 };
}

static int check_variable(struct device_search *search)
{
	const char *value = getenv(VARIABLE);

	visible_parse(value, &search->visible);
	if (search->visible.status == VISIBLE_UNSET || search->visible.status == VISIBLE_LIST)
		return 0;
	return error_line(EXIT_USAGE, VARIABLE "=%s is not a list of devices", value);
}

static int report(const struct device_search *search, int code)
{
	return code ? error_line(code, "%s", buf_text(&search->session.problem)) : 0;
}

static void find_ancestors(struct device_search *search)
{
	int32_t pid = search->files.self;

	while (search->n_ancestors < ARRAY_SIZE(search->ancestors)) {
		struct procfs_stat stat;
		char path[32], text[1024];

		snprintf(path, sizeof(path), "/proc/%d/stat", pid);
		if (file_read(AT_FDCWD, path, text, sizeof(text)) < 0 ||
		    procfs_parse_stat(text, &stat) < 0 || stat.parent <= 0)
			return;
		pid = stat.parent;
		search->ancestors[search->n_ancestors++] = pid;
	}
}

int device_search_open(struct device_search *search, const struct device_request *request)
{
	int code;

	*search = (struct device_search){ .request = request, .session.root.fd = -1 };
	code = check_variable(search);
	if (code)
		return code;
	if (claim_files_init(&search->files, &search->session.root) < 0)
		return error_line(
			EXIT_UNAVAILABLE,
			"/proc belongs to another pid namespace: other runs are not visible");
	search->asker = (struct claim_asker){ .pid = search->files.self, .uid = geteuid() };
	find_ancestors(search);
	return report(search, device_search_resume(search));
}

void device_search_close(struct device_search *search)
{
	claim_files_done(&search->files);
	claims_done(&search->claims);
	claim_watch_done(&search->watch);
	free(search->candidates);
	session_close(&search->session);
}

/* ---- devices that fit the request ---- */

static int find_candidates(struct device_search *search)
{
	struct session *session = &search->session;
	const struct snapshot *snapshot = session->snapshot;
	CLEANUP_FREE bool *keep = calloc(snapshot->n_devices + 1, sizeof(*keep));
	struct candidate *grown =
		reallocarray(search->candidates, snapshot->n_devices + 1, sizeof(*grown));
	int code;

	if (grown)
		search->candidates = grown;
	if (!keep || !grown)
		return EXIT_INTERNAL;
	code = device_request_select(search->request, &search->visible, session, keep);
	if (code)
		return code;
	search->count = 0;
	for (size_t i = 0; i < snapshot->n_devices; i++)
		if (keep[i])
			search->candidates[search->count++] =
				(struct candidate){ i, snapshot->devices[i].index, 0, NULL };
	return 0;
}

/* ---- claims ---- */

static int fail(struct device_search *search, int code, const char *text)
{
	buf_reset(&search->session.problem);
	buf_puts(&search->session.problem, text);
	return code;
}

static void drop_ancestors(struct device_search *search)
{
	struct claims *claims = &search->claims;
	size_t kept = 0;

	for (size_t i = 0; i < claims->count; i++) {
		bool ours = false;

		for (unsigned a = 0; a < search->n_ancestors && !ours; a++)
			ours = claims->list[i].pid == search->ancestors[a];
		if (!ours)
			claims->list[kept++] = claims->list[i];
	}
	claims->count = kept;
}

static int read_claims(struct device_search *search)
{
	int r;

	search->claims.count = 0;
	r = claim_files_read(&search->files, &search->claims);
	if (r >= 0)
		drop_ancestors(search);
	return r < 0 ? fail(search, EXIT_UNAVAILABLE,
			    "cannot read /proc/locks, which shows other runs")
		     : 0;
}

/* Devices that are new to us have files that were not read yet. */
static int read_new_claims(struct device_search *search)
{
	CLEANUP_FREE uint32_t *devices = calloc(search->count + 1, sizeof(*devices));
	int r;

	if (!devices)
		return fail(search, EXIT_INTERNAL, "out of memory");
	for (size_t i = 0; i < search->count; i++)
		devices[i] = search->candidates[i].index;
	r = claim_files_open(&search->files, devices, search->count);
	if (r == -ENOTSUP)
		return fail(search, EXIT_UNAVAILABLE,
			    "/proc/locks does not show the locks of this process: other runs are "
			    "not visible");
	if (r < 0)
		return fail(search, EXIT_INTERNAL, strerror(-r));
	return r ? read_claims(search) : 0;
}

static bool is_unused(uint32_t index, void *arg)
{
	const struct device_search *search = arg;

	for (size_t i = 0; i < search->count; i++)
		if (search->candidates[i].index == index)
			return search->candidates[i].state == CANDIDATE_FREE;
	return false;
}

static int judge(struct device_search *search)
{
	const struct snapshot *snapshot = search->session.snapshot;
	int64_t now_us = claim_now();

	for (size_t i = 0; i < search->count; i++) {
		struct candidate *candidate = &search->candidates[i];
		const struct device *dev = &snapshot->devices[candidate->device];

		if (!device_is_served(dev) || device_is_failing(dev))
			candidate->state = CANDIDATE_FAILING;
		else if (occupancy_of(snapshot, candidate->device, NULL) != OCCUPANCY_FREE)
			candidate->state = CANDIDATE_OCCUPIED;
	}
	if (claim_watch_update(&search->watch, &search->claims, &search->asker, is_unused, search,
			       now_us) < 0)
		return fail(search, EXIT_INTERNAL, "out of memory");
	for (size_t i = 0; i < search->count; i++) {
		struct candidate *candidate = &search->candidates[i];

		candidate->claim = claim_find_obstacle(&search->claims, &search->watch,
						       &search->asker, candidate->index, now_us);
		if (candidate->claim && candidate->state == CANDIDATE_FREE)
			candidate->state = CANDIDATE_CLAIMED;
	}
	return 0;
}

/*
 * Claims are read before processes: a run that has ended its claim meanwhile and left a process
 * with the device open is seen by that process.
 */
int device_search_look(struct device_search *search)
{
	int code = read_claims(search);

	search->count = 0;
	if (!code)
		code = session_take(&search->session);
	if (!code)
		code = find_candidates(search);
	if (!code)
		code = read_new_claims(search);
	return code ? code : judge(search);
}

int device_search_first(struct device_search *search)
{
	return report(search, device_search_look(search));
}

unsigned device_search_free(const struct device_search *search)
{
	unsigned free_ones = 0;

	for (size_t i = 0; i < search->count; i++)
		free_ones += search->candidates[i].state == CANDIDATE_FREE;
	return free_ones;
}

bool device_search_is_undecided(const struct device_search *search)
{
	for (size_t i = 0; i < search->count; i++)
		if (search->candidates[i].state == CANDIDATE_CLAIMED &&
		    search->candidates[i].claim->stage == CLAIM_ASKING)
			return true;
	return false;
}

/* ---- texts ---- */

static void put_occupant(const struct snapshot *snapshot, size_t device, struct buf *out)
{
	const struct process *job;
	char name[64];

	switch (occupancy_of(snapshot, device, &job)) {
	case OCCUPANCY_JOB:
		process_label(job, name, sizeof(name));
		buf_printf(out, "%s (pid %d", process_knows(job, PROC_NAME) ? name : "a process",
			   job->pid);
		if (process_knows(job, PROC_USER))
			buf_printf(out, ", %s", job->user);
		buf_putc(out, ')');
		return;
	case OCCUPANCY_UNSEEN: buf_puts(out, "open in a process that is not visible"); return;
	case OCCUPANCY_UNKNOWN:
	case OCCUPANCY_FREE:
		buf_printf(out, "the processes that have it open are unknown: %s",
			   reason_text(snapshot->devices[device].holders_why));
		return;
	}
}

static void put_claim(const struct claim *claim, struct buf *out)
{
	buf_puts(out, claim->stage == CLAIM_TAKEN ? "taken by " : "requested by ");
	if (claim->pid)
		buf_printf(out, "pid %d", claim->pid);
	else
		buf_puts(out, "a run outside this container");
	if (claim->uid != CLAIM_NO_USER)
		buf_printf(out, " (uid %u)", claim->uid);
}

void device_search_explain(const struct device_search *search, struct buf *out)
{
	const struct snapshot *snapshot = search->session.snapshot;
	const char *separator = "";

	for (size_t i = 0; i < search->count; i++) {
		const struct candidate *candidate = &search->candidates[i];
		const struct device *dev = &snapshot->devices[candidate->device];

		if (candidate->state == CANDIDATE_FREE)
			continue;
		buf_printf(out, "%s%s: ", separator, dev->id);
		separator = "; ";
		if (candidate->state == CANDIDATE_FAILING)
			buf_puts(out, device_condition_text(dev));
		else if (candidate->state == CANDIDATE_OCCUPIED)
			put_occupant(snapshot, candidate->device, out);
		else
			put_claim(candidate->claim, out);
	}
}

static bool is_restricted(const struct device_search *search)
{
	return search->request->selection.count || search->request->board ||
	       search->request->memory || search->visible.status == VISIBLE_LIST;
}

/* If no card of the machine is of the requested board: the boards that there are. */
static void put_other_boards(const struct device_search *search, struct buf *out)
{
	const struct snapshot *snapshot = search->session.snapshot;
	const char *wanted = search->request->board, *separator = "; its boards: ";

	for (size_t i = 0; wanted && i < snapshot->n_devices; i++)
		if (device_is_board(&snapshot->devices[i], wanted))
			return;
	for (size_t i = 0; wanted && i < snapshot->n_devices; i++) {
		const struct device *dev = &snapshot->devices[i];
		bool named = !device_knows(dev, DEV_BOARD);

		for (size_t d = 0; d < i && !named; d++)
			named = device_is_board(&snapshot->devices[d], dev->board);
		if (named)
			continue;
		buf_printf(out, "%s%s", separator, dev->board);
		separator = ", ";
	}
}

int device_search_too_few(const struct device_search *search, unsigned wanted)
{
	unsigned free_ones = device_search_free(search);
	CLEANUP_BUF struct buf text = { 0 };

	if (search->count < wanted) {
		put_other_boards(search, &text);
		return error_line(
			EXIT_TOO_FEW, "%u device%s requested, but the machine has %zu%s%s%s",
			wanted, wanted == 1 ? " is" : "s are", search->count,
			is_restricted(search) ? " that fit" : "",
			search->visible.status == VISIBLE_LIST ? "; " VARIABLE " leaves out others"
							       : "",
			buf_text(&text));
	}
	device_search_explain(search, &text);
	return error_line(EXIT_TOO_FEW, "%u device%s requested, %u %s free (%s)", wanted,
			  wanted == 1 ? " is" : "s are", free_ones, free_ones == 1 ? "is" : "are",
			  buf_text(&text));
}

void device_search_put_value(const struct device_search *search, const uint32_t *devices,
			     size_t count, struct buf *out)
{
	const struct snapshot *snapshot = search->session.snapshot;
	const char *separator = "";

	for (size_t i = 0; i < snapshot->n_devices; i++) {
		bool chosen = false;

		for (size_t d = 0; d < count && !chosen; d++)
			chosen = device_has_node(&snapshot->devices[i]) &&
				 snapshot->devices[i].index == devices[d];
		if (!chosen)
			continue;
		buf_printf(out, "%s%s", separator, snapshot->devices[i].bdf);
		separator = ",";
	}
}
