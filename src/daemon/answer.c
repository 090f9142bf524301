#include "daemon/answer.h"

#include "basic/clock.h"
#include "daemon/client.h"
#include "daemon/dump.h"
#include "daemon/legacy_process.h"
#include "daemon/log.h"
#include "daemon/manager.h"
#include "daemon/traced.h"
#include "proto/wire.h"
#include "source/pinned.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

/* Most allocations in one answer: 128 MiB of them, and a fifth of a second. */
#define ALLOCATIONS_MAX (1u << 22)

/* Programs go on while we count; so much more may have come when we write. */
enum { USAGES_MORE = 256, ALLOCATIONS_MORE = 4096 };

enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL };

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

static void count_clients(struct answer *answer, struct image_counts *counts, uint64_t *allocations)
{
	for (LIST_EACH(at, &answer->manager->clients)) {
		struct client *client = container_of(at, struct client, member);

		counts->processes++;
		counts->usages += client_count_usages(client);
		if (lists(answer, &client->peer))
			*allocations += client_count_allocations(client);
		answer->found |= client->peer.pid == (pid_t)answer->question->pid;
	}
	for (LIST_EACH(at, &answer->manager->legacy_processes)) {
		struct legacy_process *process = container_of(at, struct legacy_process, member);

		counts->processes++;
		counts->usages += ledger_count_usages(&process->ledger);
		if (lists(answer, &process->peer))
			*allocations += process->ledger.count;
		answer->found |= process->peer.pid == (pid_t)answer->question->pid;
	}
}

static void count_all(struct answer *answer, struct image_counts *ret)
{
	const struct accounts *accounts = &answer->manager->accounts;
	struct image_counts counts = { .usages = USAGES_MORE };
	const struct snapshot *snapshot;
	const struct claim *claims;
	uint64_t allocations = 0;
	uint32_t n_claims;

	count_clients(answer, &counts, &allocations);
	n_claims = (uint32_t)cards_counts(&answer->manager->cards, &claims, &snapshot);
	counts.processes += n_claims;
	counts.usages += n_claims * TABLE_POOLS;
	for (uint32_t i = 0; i < n_claims; i++)
		answer->found |= claims[i].pid == (pid_t)answer->question->pid;
	/* Those who are traced in vain have no claim; others, or the same, have a role. */
	counts.processes += snapshot ? 2 * (uint32_t)snapshot->n_processes : 0;
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

static void add_client(struct answer *answer, struct client *client)
{
	struct image_usage *usages = answer->manager->usages;
	struct image_process process, *added;
	uint32_t count;

	client_describe(client, &process);
	count = client_usages(client, usages, &process.flags);
	if (!lists(answer, &client->peer) && holds_anything(usages, count))
		process.flags |= IMAGE_LIST_HIDDEN;
	added = add_process(answer, &process, usages, count);
	if (added && lists(answer, &client->peer))
		client_list(client, &answer->writer, &added->flags);
}

static void add_legacy(struct answer *answer, struct legacy_process *legacy)
{
	struct image_usage *usages = answer->manager->usages;
	struct image_process process;
	uint32_t count;

	legacy_process_describe(legacy, &process);
	count = legacy_process_usages(legacy, usages);
	if (!lists(answer, &legacy->peer) && legacy->ledger.count)
		process.flags |= IMAGE_LIST_HIDDEN;
	if (add_process(answer, &process, usages, count) && lists(answer, &legacy->peer))
		ledger_list(&legacy->ledger, &answer->writer);
}

static void describe_holder(const struct process *holder, struct image_process *ret)
{
	ret->uid = process_knows(holder, PROC_UID) ? holder->uid : (uint32_t)-1;
	ret->start_ticks = holder->start_ticks;
	if (process_knows(holder, PROC_START_TIME) && holder->start_time > 0)
		ret->start_ns = (uint64_t)(holder->start_time * 1e9);
	memcpy(ret->name, holder->name, MIN(sizeof(ret->name), sizeof(holder->name)));
}

/* What is counted of programs that report nothing themselves. */
static void add_counts(struct answer *answer)
{
	const struct snapshot *snapshot;
	const struct claim *claims;
	size_t count = cards_counts(&answer->manager->cards, &claims, &snapshot);

	for (size_t i = 0; i < count; i++) {
		const struct process *holder = snapshot_find_process(snapshot, claims[i].pid);
		struct image_process process = {
			.pid = (uint32_t)claims[i].pid,
			.origin = claims[i].source == TRACKING_TRACED ? IMAGE_TRACED : IMAGE_METAL,
			.flags = claims[i].low ? IMAGE_TOTALS_LOW : 0,
		};
		uint32_t n;

		if (!holder || claims[i].pid <= 0)
			continue;
		describe_holder(holder, &process);
		n = claim_usages(&claims[i], &snapshot->devices[claims[i].device],
				 answer->manager->usages);
		add_process(answer, &process, answer->manager->usages, n);
	}
	for (size_t i = 0; snapshot && i < snapshot->n_processes; i++) {
		const struct process *holder = &snapshot->processes[i];
		struct image_process process = { .pid = (uint32_t)holder->pid,
						 .origin = IMAGE_TRACED };

		if (holder->pid <= 0 || !holder->n_usages)
			continue;
		process.doubt = pinned_reason_doubt(holder->usages[0].why[USE_DRAM]);
		if (!process.doubt)
			continue;
		describe_holder(holder, &process);
		add_process(answer, &process, NULL, 0);
	}
}

/*
 * Roles of holders that were looked at because of their names. A record without figures, of
 * an origin that readers without roles know, means nothing to them.
 */
static void add_roles(struct answer *answer)
{
	const struct snapshot *snapshot;
	const struct claim *claims;

	cards_counts(&answer->manager->cards, &claims, &snapshot);
	for (size_t i = 0; snapshot && i < snapshot->n_processes; i++) {
		const struct process *holder = &snapshot->processes[i];
		struct image_process process = {
			.pid = (uint32_t)holder->pid,
			.origin = IMAGE_METAL,
			.flags = IMAGE_ROLE,
		};

		if (holder->pid <= 0 || !role_is_settled(&holder->evidence))
			continue;
		if (role_judge(&holder->evidence) == ROLE_MONITOR)
			process.flags |= IMAGE_MONITOR;
		describe_holder(holder, &process);
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
	for (LIST_EACH(at, &answer->manager->clients))
		add_client(answer, container_of(at, struct client, member));
	for (LIST_EACH(at, &answer->manager->legacy_processes))
		add_legacy(answer, container_of(at, struct legacy_process, member));
	add_counts(answer);
	add_roles(answer);
	if (answer->question->flags & WIRE_WANT_FINISHED)
		add_finished(answer);
	/* Less may be there than was counted: the rest is cut off. */
	header->length = header->allocation_offset +
			 header->allocation_count * sizeof(struct image_allocation);
}

int answer_snapshot(struct manager *manager, const struct asker *asker,
		    const struct question *question, int *ret_fd, uint64_t *ret_length)
{
	struct answer answer = { .manager = manager, .asker = asker, .question = question };
	CLEANUP_CLOSE int fd = -1;
	struct image_counts counts;
	uint64_t length;
	size_t size;
	void *map;

	clients_refresh(manager);
	traced_refresh(manager);
	count_all(&answer, &counts);
	if (question->pid && !answer.found)
		return -ESRCH;
	fd = memfd_create("tt-snapshot", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -errno;
	size = image_size(&counts);
	if (ftruncate(fd, (off_t)size) < 0)
		return -errno;
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	image_begin(&answer.writer, map, &counts);
	answer_fill(&answer);
	length = answer.writer.header->length;
	munmap(map, size);
	if (ftruncate(fd, (off_t)length) < 0 || fcntl(fd, F_ADD_SEALS, SEALS) < 0)
		return -errno;
	*ret_length = length;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

static int text_seal(const struct buf *text, int *ret_fd)
{
	CLEANUP_CLOSE int fd = memfd_create("tt-dump", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	size_t done = 0;

	if (fd < 0)
		return -errno;
	while (done < text->length) {
		ssize_t n = write(fd, text->data + done, text->length - done);

		if (n < 0)
			return -errno;
		done += (size_t)n;
	}
	if (fcntl(fd, F_ADD_SEALS, SEALS) < 0)
		return -errno;
	*ret_fd = TAKE_FD(fd);
	return 0;
}

int answer_dump(struct manager *manager, const struct asker *asker, bool kernels, int *ret_fd,
		uint64_t *ret_length)
{
	const struct question question = { .flags = WIRE_WANT_ALLOCATIONS };
	CLEANUP_BUF struct buf text = { 0 };
	CLEANUP_CLOSE int fd = -1;
	struct image_view view;
	uint64_t length = 0;
	void *map;
	int r;

	r = answer_snapshot(manager, asker, &question, &fd, &length);
	if (r < 0)
		return r;
	map = mmap(NULL, length, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	r = image_view_init(&view, map, length);
	if (r >= 0)
		dump_write(&view, asker->pid, kernels, &text);
	munmap(map, length);
	if (r < 0)
		return r;
	if (text.failed)
		return -ENOMEM;
	r = text_seal(&text, ret_fd);
	if (r < 0)
		return r;
	*ret_length = text.length;
	return 0;
}
