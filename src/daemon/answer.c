#include "daemon/answer.h"

#include "basic/clock.h"
#include "basic/text.h"
#include "daemon/account.h"
#include "daemon/cards.h"
#include "daemon/dump.h"
#include "daemon/log.h"
#include "daemon/reply.h"
#include "daemon/reporter.h"
#include "proto/wire.h"

#include <errno.h>
#include <string.h>

/* Maximum allocations in one answer: 128 MiB, which take about 200 ms. */
#define ALLOCATIONS_MAX (1u << 22)

/* Part of a user's share that is reserved for data in the socket buffer. */
enum { BUFFERED = 1 << 20 };

/* Programs continue while the server counts: room for what they add before it writes. */
enum { USAGES_MORE = 256, ALLOCATIONS_MORE = 4096 };

struct answer {
	struct answers *all;
	const struct requester *requester;
	const struct snapshot_request *request;
	struct image_writer writer;
	bool found; /* the requested process exists */
};

static bool asks_for(const struct answer *answer, pid_t pid)
{
	return answer->request->flags & WIRE_WANT_ALLOCATIONS &&
	       (answer->request->pid == 0 || answer->request->pid == (uint32_t)pid);
}

static bool may_see(const struct answer *answer, uid_t uid)
{
	return answer->requester->uid == 0 || answer->requester->uid == uid;
}

static bool lists(const struct answer *answer, const struct peer *peer)
{
	return asks_for(answer, peer->pid) && may_see(answer, peer->uid);
}

static void count_reporters(struct answer *answer, struct image_counts *counts,
			    uint64_t *allocations)
{
	for (LIST_EACH(at, &answer->all->reporters->list)) {
		struct reporter *reporter = reporter_of(at);

		if (reporter->dormant)
			continue;
		counts->processes++;
		counts->usages += reporter->ops->count_usages(reporter);
		if (lists(answer, &reporter->peer))
			*allocations += reporter->ops->count_allocations(reporter);
		answer->found |= reporter->peer.pid == (pid_t)answer->request->pid;
	}
}

static void count_all(struct answer *answer, struct image_counts *ret)
{
	const struct accounts *accounts = answer->all->accounts;
	struct image_counts counts = { .usages = USAGES_MORE, .devices = TABLE_DEVICES };
	const struct snapshot *snapshot = cards_snapshot(answer->all->cards);
	uint64_t allocations = 0;

	count_reporters(answer, &counts, &allocations);
	if (snapshot) /* those with a role, those with a job, and devices with a claim */
		counts.processes += (uint32_t)(snapshot->n_processes * 2 + snapshot->n_devices);
	if (answer->request->flags & WIRE_WANT_FINISHED) {
		counts.processes += accounts->count;
		counts.usages += accounts->usages;
	}
	if (answer->request->flags & WIRE_WANT_ALLOCATIONS)
		allocations += ALLOCATIONS_MORE;
	counts.allocations = (uint32_t)MIN(allocations, ALLOCATIONS_MAX);
	*ret = counts;
}

/* Adds a process and its usages; its allocations may follow. */
static struct image_process *add_process(struct answer *answer, struct image_process *process,
					 const struct image_usage *usages, uint32_t count)
{
	struct image_writer *writer = &answer->writer;
	struct image_process *added = &writer->processes[writer->header->process_count];

	if (image_add_process(writer, process) < 0)
		return NULL;
	for (uint32_t i = 0; i < count; i++)
		image_add_usage(writer, &usages[i]);
	return added;
}

static bool holds_anything(const struct image_usage *usages, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (usages[i].allocs > usages[i].frees)
			return true;
	}
	return false;
}

static void add_reporter(struct answer *answer, struct reporter *reporter)
{
	struct image_usage *usages = answer->all->reporters->usages;
	struct image_process process, *added;
	uint32_t count;

	reporter_describe(reporter, &process);
	count = reporter->ops->usages(reporter, usages, &process.flags);
	if (!lists(answer, &reporter->peer) && holds_anything(usages, count))
		process.flags |= IMAGE_LIST_HIDDEN;
	added = add_process(answer, &process, usages, count);
	if (added && lists(answer, &reporter->peer))
		reporter->ops->list(reporter, &answer->writer, &added->flags);
}

/*
 * Adds the roles of holders that were inspected because of their names. The records have no figures
 * and an origin that readers without roles know, so such readers ignore them.
 */
static void add_roles(struct answer *answer)
{
	const struct snapshot *snapshot = cards_snapshot(answer->all->cards);

	for (size_t i = 0; snapshot && i < snapshot->n_processes; i++) {
		const struct process *holder = &snapshot->processes[i];
		struct image_process process;
		struct peer peer;

		if (holder->pid <= 0 || !role_is_settled(&holder->evidence.role))
			continue;
		peer_of_holder(holder, &peer);
		peer_record(&peer, IMAGE_METAL, &process);
		process.flags |= IMAGE_ROLE;
		if (role_judge(&holder->evidence.role) == ROLE_MONITOR)
			process.flags |= IMAGE_MONITOR;
		add_process(answer, &process, NULL, 0);
	}
}

/* The name of a job is truncated to the size of a record's. */
static void add_job(struct answer *answer, const struct process *holder)
{
	struct image_process process;
	struct peer peer;

	peer_of_holder(holder, &peer);
	peer_record(&peer, IMAGE_METAL, &process);
	process.flags |= IMAGE_JOB;
	text_copy(process.job.id, sizeof(process.job.id), holder->owner.slurm_job);
	text_copy(process.name, sizeof(process.name),
		  process_knows(holder, PROC_SLURM_NAME) ? holder->owner.slurm_name : "");
	if (process_knows(holder, PROC_SLURM_USER))
		text_copy(process.job.user, sizeof(process.job.user), holder->owner.slurm_user);
	add_process(answer, &process, NULL, 0);
}

/* Adds the Slurm jobs of holders: other users may not read their environment. */
static void add_jobs(struct answer *answer)
{
	const struct snapshot *snapshot = cards_snapshot(answer->all->cards);

	for (size_t i = 0; snapshot && i < snapshot->n_processes; i++)
		if (snapshot->processes[i].pid > 0 &&
		    process_knows(&snapshot->processes[i], PROC_SLURM_JOB))
			add_job(answer, &snapshot->processes[i]);
}

/* Adds the devices that are prepared for claims: only root may read kubelet's directory. */
static void add_claims(struct answer *answer)
{
	const struct snapshot *snapshot = cards_snapshot(answer->all->cards);
	bool known = snapshot != NULL;

	for (size_t i = 0; snapshot && i < snapshot->n_devices; i++) {
		const struct device *dev = &snapshot->devices[i];
		struct image_process process = {
			.pid = (uint32_t)getpid(),
			.origin = IMAGE_METAL,
			.flags = IMAGE_CLAIM,
			.claim.node = dev->index,
		};

		known &= device_knows(dev, DEV_CLAIM) || dev->why[DEV_CLAIM] == NOT_APPLICABLE;
		if (!device_knows(dev, DEV_CLAIM))
			continue;
		text_copy(process.name, sizeof(process.name), dev->claim);
		add_process(answer, &process, NULL, 0);
	}
	if (known)
		answer->writer.header->flags |= IMAGE_HAS_CLAIMS;
}

static void add_finished(struct answer *answer)
{
	struct accounts *accounts = answer->all->accounts;

	for (LIST_EACH(at, &accounts->list)) {
		struct accounts_entry *account = accounts_entry_of(at);

		add_process(answer, &account->process, account->usages, account->n_usages);
	}
}

static void answer_fill(struct answer *answer)
{
	struct image_header *header = answer->writer.header;

	header->monotonic_ns = (uint64_t)clock_now(CLOCK_MONOTONIC);
	header->realtime_ns = (uint64_t)clock_now(CLOCK_REALTIME);
	header->server_start_ns = (uint64_t)answer->all->server_start_ns;
	header->server_pid = (uint32_t)getpid();
	header->finished_total = (uint32_t)MIN(answer->all->accounts->total, UINT32_MAX);
	for (LIST_EACH(at, &answer->all->reporters->list)) {
		if (!reporter_of(at)->dormant)
			add_reporter(answer, reporter_of(at));
	}
	add_roles(answer);
	add_jobs(answer);
	add_claims(answer);
	if (answer->request->flags & WIRE_WANT_FINISHED)
		add_finished(answer);
	/* Some processes may have shrunk since they were counted: this truncates. */
	image_end(&answer->writer, answer->all->cards->activity,
		  (uint32_t)answer->all->cards->n_activity);
}

/*
 * Reduces the number of allocations to what the user's share has room for; the image is then marked
 * as incomplete.
 */
static void counts_fit(const struct answer *answer, struct image_counts *counts)
{
	const struct user *user = answer->requester->user;
	const struct limits *limits = user->users->limits;
	uint32_t units = (user_is_privileged(user) ? limits->value : limits->share)[LIMIT_PENDING];
	struct image_counts rest = *counts;
	uint64_t most = (uint64_t)units * 1024 - BUFFERED, taken;

	rest.allocations = 0;
	taken = image_size(&rest);
	if (image_size(counts) > most)
		counts->allocations =
			(uint32_t)((most - MIN(most, taken)) / sizeof(struct image_allocation));
}

/* Builds the image. */
static int answer_make(struct answer *answer, char **ret, size_t *ret_length)
{
	struct image_counts counts;
	char *data, *fitting;
	size_t size;

	count_all(answer, &counts);
	if (answer->request->pid && !answer->found)
		return -ESRCH;
	counts_fit(answer, &counts);
	size = image_size(&counts);
	if (user_room(answer->requester->user, LIMIT_PENDING) < reply_units(size))
		return -EAGAIN;
	data = calloc(1, size);
	if (!data)
		return -ENOMEM;
	image_begin(&answer->writer, data, &counts);
	answer_fill(answer);
	*ret_length = answer->writer.header->length;
	fitting = realloc(data, *ret_length);
	*ret = fitting ? fitting : data;
	return 0;
}

int answer_snapshot(struct answers *answers, const struct requester *requester,
		    const struct snapshot_request *request, struct reply **ret)
{
	struct answer answer = { .all = answers, .requester = requester, .request = request };
	const struct reply_key key = {
		.flags = request->flags,
		.pid = request->pid,
		.uid = request->flags & WIRE_WANT_ALLOCATIONS ? requester->uid : 0,
	};
	int64_t now = clock_now(CLOCK_MONOTONIC);
	struct reply *reply = replies_find(answers->replies, &key, request->since_ns);
	size_t length;
	char *data;
	int r;

	if (!reply) {
		r = answer_make(&answer, &data, &length);
		if (r < 0)
			return r;
		reply = reply_new(answers->replies, &key, now, data, length);
	}
	if (!reply)
		return -ENOMEM;
	*ret = reply;
	return 0;
}

int answer_dump(struct answers *answers, const struct requester *requester, bool kernels,
		struct reply **ret)
{
	const struct snapshot_request request = { .flags = WIRE_WANT_ALLOCATIONS };
	struct answer answer = { .all = answers, .requester = requester, .request = &request };
	CLEANUP_FREE char *data = NULL;
	struct buf text = { 0 };
	struct image_view view;
	size_t length;
	int r;

	r = answer_make(&answer, &data, &length);
	if (r >= 0)
		r = image_view_init(&view, data, length);
	if (r < 0)
		return r;
	dump_write(&view, requester->pid, kernels, &text);
	if (text.failed) {
		buf_done(&text);
		return -ENOMEM;
	}
	*ret = reply_new(answers->replies, NULL, 0, text.data, text.length);
	return *ret ? 0 : -ENOMEM;
}
