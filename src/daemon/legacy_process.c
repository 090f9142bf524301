#include "daemon/legacy_process.h"

#include "basic/clock.h"
#include "daemon/cards.h"
#include "daemon/user_log.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static void process_free(struct legacy_process *process)
{
	for (LIST_EACH(at, &process->links)) {
		container_of(at, struct legacy_link, member)->process = NULL;
		list_remove(at);
	}
	user_give_back(process->reporter.user, LIMIT_HELD, ledger_count(&process->ledger));
	reporter_done(&process->reporter);
	ledger_done(&process->ledger);
	device_filter_put(process->filter);
	free(process);
}

static void process_drop(struct reporter *reporter)
{
	process_free(legacy_process_of(reporter));
}

static void process_ended(struct reporter *reporter)
{
	struct legacy_process *process = legacy_process_of(reporter);

	reporter_account(reporter);
	for (LIST_EACH(at, &process->links)) {
		struct legacy_link *link = container_of(at, struct legacy_link, member);

		link->ended(link);
	}
	process_free(process);
}

static int process_new(struct legacy_processes *processes, const struct peer *peer, int pidfd,
		       struct legacy_process **ret)
{
	struct legacy_process *process = calloc(1, sizeof(*process));
	int r;

	if (!process)
		return -ENOMEM;
	process->cards = processes->cards;
	list_init(&process->links);
	r = reporter_init(&process->reporter, &legacy_process_ops, processes->reporters, peer);
	if (r >= 0)
		r = reporter_start(&process->reporter, RANK_LEGACY, pidfd);
	if (r < 0) {
		reporter_done(&process->reporter);
		free(process);
		return r;
	}
	process->filter = device_filter_get(processes->filters, peer);
	log_user(process->reporter.user, LOG_PROGRAMS, "legacy client %s, pid %d, uid %u",
		 peer->name, peer->pid, peer->uid);
	*ret = process;
	return 0;
}

int legacy_process_get(struct legacy_processes *processes, const struct peer *peer, int pidfd,
		       struct legacy_process **ret, bool *ret_taken)
{
	struct reporter *known = reporter_find(processes->reporters, &legacy_process_ops, peer);

	*ret_taken = !known;
	if (!known)
		return process_new(processes, peer, pidfd, ret);
	*ret = legacy_process_of(known);
	return 0;
}

void legacy_process_join(struct legacy_process *process, struct legacy_link *link)
{
	link->process = process;
	list_append(&process->links, &link->member);
}

void legacy_process_leave(struct legacy_link *link)
{
	struct legacy_process *process = link->process;

	if (!process)
		return;
	link->process = NULL;
	list_remove(&link->member);
	if (process->links.next == &process->links) {
		/*
		 * The account includes what it held at the end: a killed program frees nothing
		 * before.
		 */
		reporter_account(&process->reporter);
		process_free(process);
		return;
	}
	user_give_back(process->reporter.user, LIMIT_HELD,
		       ledger_forget(&process->ledger, link->number,
				     (uint64_t)clock_now(CLOCK_MONOTONIC)));
}

static void process_hold(struct legacy_process *process, const struct legacy_record *record,
			 enum pool pool, uint32_t through)
{
	const struct limits *limits = process->reporter.user->users->limits;
	uint32_t room = user_room(process->reporter.user, LIMIT_HELD);
	uint32_t most = MIN(limits->value[LIMIT_SLOTS], ledger_count(&process->ledger) + room);
	int r;

	r = ledger_hold(&process->ledger, (uint32_t)record->device, pool, record->buffer_id,
			record->size, (uint64_t)clock_now(CLOCK_MONOTONIC), through, most);
	log_user(process->reporter.user, LOG_REPORTS,
		 "legacy client pid %d allocated 0x%" PRIx64 ": %" PRIu64 " bytes of %s, device %d",
		 process->reporter.peer.pid, record->buffer_id, record->size, pool_name(pool),
		 record->device);
	if (r > 0)
		user_count(process->reporter.user, LIMIT_HELD, 1);
	if (r < 0 && !process->limit_said) {
		process->limit_said = true;
		log_user(process->reporter.user, LOG_EXCEEDED,
			 "legacy client %s, pid %d exceeds its limit: %s; from now on its totals "
			 "are lower bounds",
			 process->reporter.peer.name, process->reporter.peer.pid, strerror(-r));
	}
}

/* The pool of a free may be wrong: searches for the id in all pools, the given one first. */
static enum pool find_pool(const struct legacy_process *process, const struct legacy_record *record)
{
	uint32_t device = (uint32_t)record->device;

	if (legacy_pool(record) < POOL_COUNT &&
	    ledger_holds(&process->ledger, device, legacy_pool(record), record->buffer_id))
		return legacy_pool(record);
	for (unsigned pool = POOL_DRAM; pool <= POOL_TRACE; pool++) {
		if (ledger_holds(&process->ledger, device, (enum pool)pool, record->buffer_id))
			return (enum pool)pool;
	}
	return POOL_DRAM;
}

static void process_release(struct legacy_process *process, const struct legacy_record *record,
			    enum pool pool)
{
	int r = ledger_release(&process->ledger, (uint32_t)record->device, pool, record->buffer_id,
			       (uint64_t)clock_now(CLOCK_MONOTONIC));

	if (r > 0)
		user_give_back(process->reporter.user, LIMIT_HELD, 1);
	log_user(process->reporter.user, LOG_REPORTS,
		 "legacy client pid %d freed 0x%" PRIx64 " of %s, device %d%s",
		 process->reporter.peer.pid, record->buffer_id, pool_name(pool), record->device,
		 r < 0 ? ", which was not allocated" : "");
}

void legacy_process_report(struct legacy_process *process, const struct legacy_record *record,
			   uint32_t through)
{
	switch (record->type) {
	case LEGACY_ALLOC: process_hold(process, record, legacy_pool(record), through); return;
	case LEGACY_CB_ALLOC: process_hold(process, record, POOL_CB, through); return;
	case LEGACY_KERNEL_LOAD: process_hold(process, record, POOL_KERNEL, through); return;
	case LEGACY_FREE: process_release(process, record, find_pool(process, record)); return;
	case LEGACY_CB_FREE: process_release(process, record, POOL_CB); return;
	case LEGACY_KERNEL_UNLOAD: process_release(process, record, POOL_KERNEL); return;
	case LEGACY_QUERY:
	case LEGACY_RESPONSE:
	case LEGACY_DUMP_REMAINING:
	case LEGACY_DEVICE_INFO_QUERY:
	case LEGACY_DEVICE_INFO_RESPONSE:
	case LEGACY_DUMP_KERNELS: return;
	}
}

void legacy_process_ignore(struct legacy_process *process, const struct legacy_record *record)
{
	if (legacy_takes_memory(record) && legacy_size_is_plausible(record))
		ledger_ignore_held(&process->ledger, record->device);
	else
		ledger_ignore(&process->ledger);
}

static void process_describe(const struct reporter *reporter, struct image_process *record)
{
	const struct legacy_process *process =
		container_of(reporter, struct legacy_process, reporter);

	record->ignored = process->ledger.ignored;
	memcpy(record->misuse, process->ledger.misuse, sizeof(record->misuse));
	if (record->misuse[TABLE_LOST] || record->misuse[TABLE_OVERFLOW])
		record->flags |= IMAGE_TOTALS_LOW;
}

static uint32_t process_usages(struct reporter *reporter, struct image_usage *ret, uint32_t *flags)
{
	const struct legacy_process *process =
		container_of(reporter, struct legacy_process, reporter);
	enum visible_meaning meaning = VISIBLE_BY_EITHER;
	const struct visible_devices *visible = device_filter_visible(process->filter, &meaning);
	uint32_t count = 0;

	(void)flags;
	for (uint32_t device = 0; device < TABLE_DEVICES; device++) {
		const struct known_card *card;

		if (!process->ledger.devices[device])
			continue;
		card = cards_logical(process->cards, visible, meaning, device);
		for (uint32_t pool = 0; pool < POOL_COUNT; pool++) {
			const struct table_pool_total *total =
				&process->ledger.devices[device]->pool[pool];

			/*
			 * DRAM is always listed, so that a device without allocations is shown as
			 * used.
			 */
			if (!total->allocs && pool != POOL_DRAM)
				continue;
			ret[count++] = (struct image_usage){
				.device = device,
				.pool = pool,
				.known = card ? card->identity.known : 0,
				.node = card ? card->identity.node : 0,
				.bdf = card ? card->identity.bdf : 0,
				.asic = card ? card->identity.asic : 0,
				.now_bytes = total->now_bytes,
				.peak_bytes = total->peak_bytes,
				.allocs = total->allocs,
				.frees = total->frees,
				.changed_ns = total->changed_ns,
			};
		}
	}
	return count;
}

static uint32_t process_count_usages(struct reporter *reporter)
{
	return ledger_count_usages(&legacy_process_of(reporter)->ledger);
}

static uint32_t process_count_allocations(struct reporter *reporter)
{
	return ledger_count(&legacy_process_of(reporter)->ledger);
}

static void process_list(struct reporter *reporter, struct image_writer *writer, uint32_t *flags)
{
	(void)flags; /* the writer sets the flag if its room is exhausted */
	ledger_list(&legacy_process_of(reporter)->ledger, writer);
}

const struct reporter_ops legacy_process_ops = {
	.kind = "legacy client",
	.origin = IMAGE_LEGACY,
	.describe = process_describe,
	.usages = process_usages,
	.count_usages = process_count_usages,
	.count_allocations = process_count_allocations,
	.list = process_list,
	.ended = process_ended,
	.free = process_drop,
};
