#include "daemon/answer.h"

#include "basic/clock.h"
#include "daemon/dump.h"
#include "daemon/log.h"
#include "daemon/manager.h"
#include "daemon/reply.h"
#include "daemon/reporter.h"
#include "proto/wire.h"

#include <errno.h>
#include <string.h>

/* Most allocations in one answer: 128 MiB of them, and a fifth of a second. */
#define ALLOCATIONS_MAX (1u << 22)

/* Left of a share for what lies in the socket. */
enum { BUFFERED = 1 << 20 };

/* Programs go on while we count; so much more may have come when we write. */
enum { USAGES_MORE = 256, ALLOCATIONS_MORE = 4096 };

struct answer {
	struct manager *manager;
	const struct asker *asker;
	const struct question *question;
	struct image_writer writer;
	bool found; /* the process asked for */
};

static bool asks_for(const struct answer *answer, pid_t pid)
{
	return answer->question->flags & WIRE_WANT_ALLOCATIONS &&
	       (answer->question->pid == 0 || answer->question->pid == (uint32_t)pid);
}

static bool may_see(const struct answer *answer, uid_t uid)
{
	return answer->asker->uid == 0 || answer->asker->uid == uid;
}

static bool lists(const struct answer *answer, const struct peer *peer)
{
	return asks_for(answer, peer->pid) && may_see(answer, peer->uid);
}

static void count_reporters(struct answer *answer, struct image_counts *counts,
			    uint64_t *allocations)
{
	for (LIST_EACH(at, &answer->manager->reporters.list)) {
		struct reporter *reporter = reporter_of(at);

		if (reporter->dormant)
			continue;
		counts->processes++;
		counts->usages += reporter->ops->count_usages(reporter);
		if (lists(answer, &reporter->peer))
			*allocations += reporter->ops->count_allocations(reporter);
		answer->found |= reporter->peer.pid == (pid_t)answer->question->pid;
	}
}

static void count_all(struct answer *answer, struct image_counts *ret)
{
	const struct accounts *accounts = &answer->manager->accounts;
	struct image_counts counts = { .usages = USAGES_MORE };
	const struct snapshot *snapshot = cards_snapshot(&answer->manager->cards);
	uint64_t allocations = 0;

	count_reporters(answer, &counts, &allocations);
	counts.processes += snapshot ? (uint32_t)snapshot->n_processes : 0; /* with a role */
	if (answer->question->flags & WIRE_WANT_FINISHED) {
		counts.processes += accounts->count;
		counts.usages += accounts->usages;
	}
	if (answer->question->flags & WIRE_WANT_ALLOCATIONS)
		allocations += ALLOCATIONS_MORE;
	counts.allocations = (uint32_t)MIN(allocations, ALLOCATIONS_MAX);
	*ret = counts;
}

/* Adds a process and what it uses; its allocations may follow. */
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
	struct image_usage *usages = answer->manager->reporters.usages;
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
 * Roles of holders that were inspected because of their names. A record without figures, of
 * an origin that readers without roles know, means nothing to them.
 */
static void add_roles(struct answer *answer)
{
	const struct snapshot *snapshot = cards_snapshot(&answer->manager->cards);

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

static void add_finished(struct answer *answer)
{
	struct accounts *accounts = &answer->manager->accounts;

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
	header->server_start_ns = (uint64_t)answer->manager->start_ns;
	header->server_pid = (uint32_t)getpid();
	header->finished_total = (uint32_t)MIN(answer->manager->accounts.total, UINT32_MAX);
	for (LIST_EACH(at, &answer->manager->reporters.list)) {
		if (!reporter_of(at)->dormant)
			add_reporter(answer, reporter_of(at));
	}
	add_roles(answer);
	if (answer->question->flags & WIRE_WANT_FINISHED)
		add_finished(answer);
	/* Less may be there than was counted: the rest is cut off. */
	header->length = header->allocation_offset +
			 header->allocation_count * sizeof(struct image_allocation);
}

/* As many allocations as the user's share has room for; others are left out, and that is marked. */
static void counts_fit(const struct answer *answer, struct image_counts *counts)
{
	const struct user *user = answer->asker->user;
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

/* The bytes of an image. */
static int answer_make(struct answer *answer, char **ret, size_t *ret_length)
{
	struct image_counts counts;
	char *data, *fitting;
	size_t size;

	count_all(answer, &counts);
	if (answer->question->pid && !answer->found)
		return -ESRCH;
	counts_fit(answer, &counts);
	size = image_size(&counts);
	if (user_room(answer->asker->user, LIMIT_PENDING) < reply_units(size))
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

int answer_snapshot(struct manager *manager, const struct asker *asker,
		    const struct question *question, struct reply **ret)
{
	struct answer answer = { .manager = manager, .asker = asker, .question = question };
	const struct reply_key key = {
		.flags = question->flags,
		.pid = question->pid,
		.uid = question->flags & WIRE_WANT_ALLOCATIONS ? asker->uid : 0,
	};
	int64_t now = clock_now(CLOCK_MONOTONIC);
	struct reply *reply = replies_find(&manager->replies, &key, question->since_ns);
	size_t length;
	char *data;
	int r;

	if (!reply) {
		r = answer_make(&answer, &data, &length);
		if (r < 0)
			return r;
		reply = reply_new(&manager->replies, &key, now, data, length);
	}
	if (!reply)
		return -ENOMEM;
	*ret = reply;
	return 0;
}

int answer_dump(struct manager *manager, const struct asker *asker, bool kernels,
		struct reply **ret)
{
	const struct question question = { .flags = WIRE_WANT_ALLOCATIONS };
	struct answer answer = { .manager = manager, .asker = asker, .question = &question };
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
	dump_write(&view, asker->pid, kernels, &text);
	if (text.failed) {
		buf_done(&text);
		return -ENOMEM;
	}
	*ret = reply_new(&manager->replies, NULL, 0, text.data, text.length);
	return *ret ? 0 : -ENOMEM;
}
