#include "daemon/observed_process.h"

#include "basic/clock.h"
#include "daemon/card_identity.h"
#include "daemon/observed_usage.h"
#include "daemon/process_probe.h"
#include "model/reason.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Period of samples while the server traces, and else while it knows such processes. */
#define SAMPLE_AGAIN  NS_PER_S
#define SAMPLE_SELDOM (10 * NS_PER_S)

struct observed_process {
	struct reporter reporter;
	struct observed_processes *all;
	struct probe probe; /* to get its pidfd */
	bool watched;	    /* counted in all->watched */
	bool seen;	    /* present in the latest sample */
	bool low;	    /* its figures are, or were, lower bounds */
	bool ended;	    /* all its usages, not just current ones, go into its account */
	enum trace_fault
		fault;	/* if set, the tracer's figures cannot be trusted and are not used */
	bool had_fault; /* at any time: then it gets no account */
	struct observed_usages usages;
};

static const struct reporter_ops traced_ops, metal_ops;

static struct observed_process *process_of(struct reporter *reporter)
{
	return reporter->ops == &traced_ops || reporter->ops == &metal_ops
		       ? container_of(reporter, struct observed_process, reporter)
		       : NULL;
}

static void process_free(struct observed_process *process)
{
	probe_stop(&process->probe);
	process->all->watched -= process->watched;
	reporter_done(&process->reporter);
	free(process->usages.list);
	free(process);
}

/* ---- as a reporter ---- */

static void process_describe(const struct reporter *reporter, struct image_process *record)
{
	const struct observed_process *process =
		container_of(reporter, struct observed_process, reporter);

	/* Peaks between samples that are ten seconds apart are missed. */
	if (process->low || (process->ended && reporter->ops == &metal_ops))
		record->flags |= IMAGE_TOTALS_LOW;
	record->trace_fault = process->fault;
}

static uint32_t process_usages(struct reporter *reporter, struct image_usage *ret, uint32_t *flags)
{
	const struct observed_process *process = process_of(reporter);
	uint32_t count = 0;

	(void)flags;
	for (uint32_t i = 0; i < process->usages.count; i++) {
		if (process->usages.list[i].current || process->ended)
			ret[count++] = process->usages.list[i].usage;
	}
	return count;
}

static uint32_t process_count_usages(struct reporter *reporter)
{
	return process_of(reporter)->usages.count;
}

/* Single allocations are unknown. */
static uint32_t process_count_allocations(struct reporter *reporter)
{
	(void)reporter;
	return 0;
}

static void process_list(struct reporter *reporter, struct image_writer *writer, uint32_t *flags)
{
	(void)reporter;
	(void)writer;
	(void)flags;
}

/* Does it have an account already, from a table or a connection of its own? */
static bool is_accounted(const struct reporter *reporter)
{
	const struct peer *peer = &reporter->peer;

	if (reporter->better)
		return true; /* it will get one */
	for (LIST_EACH(at, &reporter->all->accounts->list)) {
		const struct accounts_entry *account = accounts_entry_of(at);

		if (account->process.pid == (uint32_t)peer->pid &&
		    account->process.start_ticks == peer->start_ticks)
			return true;
	}
	return false;
}

static void process_ended(struct reporter *reporter)
{
	struct observed_process *process = process_of(reporter);

	cards_expire(process->all->cards); /* their sample still includes its memory */
	process->ended = true;
	if (process->usages.count && !process->had_fault && !is_accounted(reporter))
		reporter_account(reporter);
	process_free(process);
}

static void process_drop(struct reporter *reporter)
{
	process_free(process_of(reporter));
}

#define OBSERVED_OPS(kind_, origin_)                                                  \
	{                                                                             \
		.kind = kind_, .origin = origin_, .describe = process_describe,       \
		.usages = process_usages, .count_usages = process_count_usages,       \
		.count_allocations = process_count_allocations, .list = process_list, \
		.ended = process_ended, .free = process_drop,                         \
	}

static const struct reporter_ops traced_ops = OBSERVED_OPS("traced program", IMAGE_TRACED);
static const struct reporter_ops metal_ops = OBSERVED_OPS("TT-Metal counters", IMAGE_METAL);

/* ---- from samples ---- */

static struct observed_process *process_find(const struct observed_processes *all,
					     const struct reporter_ops *ops,
					     const struct peer *peer)
{
	for (LIST_EACH(at, &all->reporters->list)) {
		struct reporter *reporter = reporter_of(at);

		if (reporter->ops == ops && peer_is(&reporter->peer, peer))
			return process_of(reporter);
	}
	return NULL;
}

/* If it has ended, or its pid was reused, it stays without a pidfd and gets no account. */
static void process_probed(struct probe *probe, const struct probe_result *result)
{
	struct observed_process *process = container_of(probe, struct observed_process, probe);
	struct reporter *reporter = &process->reporter;

	if (result->error >= 0 && result->peer.start_ticks == reporter->peer.start_ticks &&
	    reporter_watch(reporter, result->pidfd) >= 0) {
		reporter->peer.uid = result->peer.uid;
		return;
	}
	if (result->pidfd >= 0)
		close(result->pidfd);
	process->all->watched -= process->watched;
	process->watched = false;
}

static void process_watch(struct observed_process *process)
{
	const struct peer *peer = &process->reporter.peer;

	process->probe.done = process_probed;
	process->watched = process->all->watched < OBSERVED_WATCHED_MAX &&
			   probe_start(&process->probe, process->all->probes, PROBE_PEER, peer->pid,
				       peer->uid, -1) >= 0;
	process->all->watched += process->watched;
}

/*
 * Finds or creates the entry of this holder; start_ticks is used if procfs does not have them.
 * NULL: out of memory.
 */
static struct observed_process *process_get(struct observed_processes *all,
					    const struct reporter_ops *ops,
					    const struct process *holder, uint64_t start_ticks)
{
	struct observed_process *process;
	struct peer peer;

	peer_of_holder(holder, &peer);
	if (!peer.start_ticks)
		peer.start_ticks = start_ticks;
	process = process_find(all, ops, &peer);
	if (process)
		return process;
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	process->all = all;
	if (reporter_init(&process->reporter, ops, all->reporters, &peer) < 0) {
		free(process);
		return NULL;
	}
	reporter_list(&process->reporter, ops == &traced_ops ? RANK_TRACED : RANK_METAL);
	process_watch(process);
	return process;
}

/* A unique number for each chip, by which readers distinguish them. */
static uint32_t chip_number(const struct table_device *card)
{
	uint32_t number = MIN(card->node, TABLE_DEVICES - 1);

	return card->known & TABLE_BEHIND ? TABLE_DEVICES - 1 - number : number;
}

/* TT-Metal's counters have no number of allocations; the tracer counts those currently held. */
static void process_take(struct observed_process *process, const struct memory_report *report,
			 const struct device *device)
{
	const bool traced = report->source == TRACKING_TRACED;
	struct table_device card;
	bool first = true;

	card_identify(device, &card);
	process->low |= report->low;
	for (uint32_t pool = 0; pool < POOL_COUNT; pool++) {
		bool known = report->bytes[pool] > 0 || (traced && pool == POOL_DRAM);
		const struct image_usage usage = {
			.device = chip_number(&card),
			.pool = pool,
			.known = card.known,
			.node = card.node,
			.bdf = card.bdf,
			.asic = card.asic,
			.now_bytes = report->bytes[pool],
			.allocs = first ? report->held : 0,
		};

		if (!known || report->bytes[pool] > TABLE_BYTES_MAX)
			continue;
		observed_usages_update(&process->usages, &usage);
		first = false;
	}
}

static void take_reports(struct observed_processes *all, const struct snapshot *snapshot,
			 const struct memory_report *reports, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct process *holder = snapshot_find_process(snapshot, reports[i].pid);
		bool traced = reports[i].source == TRACKING_TRACED;
		struct observed_process *process;

		if (!holder || holder->pid <= 0)
			continue;
		process = process_get(all, traced ? &traced_ops : &metal_ops, holder,
				      reports[i].start_ticks);
		if (!process)
			continue;
		process->seen = true;
		process_take(process, &reports[i], &snapshot->devices[reports[i].device]);
	}
}

/* Marks processes whose tracing has a fault. Their earlier figures may already have been wrong. */
static void take_faults(struct observed_processes *all, const struct snapshot *snapshot)
{
	for (size_t i = 0; snapshot && i < snapshot->n_processes; i++) {
		const struct process *holder = &snapshot->processes[i];
		enum trace_fault fault = TRACE_FAULT_NONE;
		struct observed_process *process;

		if (holder->pid > 0 && holder->n_usages)
			fault = reason_trace_fault(holder->usages[0].why[USE_DRAM]);
		if (fault == TRACE_FAULT_NONE)
			continue;
		process = process_get(all, &traced_ops, holder, 0);
		if (!process)
			continue;
		process->seen = process->had_fault = true;
		process->fault = fault;
		process->usages.count = 0;
	}
}

static void process_forget_sample(struct observed_process *process)
{
	process->seen = false;
	process->fault = TRACE_FAULT_NONE;
	observed_usages_forget(&process->usages);
}

void observed_processes_update(struct observed_processes *all)
{
	const struct memory_report *reports;
	const struct snapshot *snapshot;
	size_t count = cards_counts(all->cards, &reports, &snapshot);
	bool any = false;

	for (LIST_EACH(at, &all->reporters->list)) {
		struct observed_process *process = process_of(reporter_of(at));

		if (process)
			process_forget_sample(process);
	}
	take_reports(all, snapshot, reports, count);
	take_faults(all, snapshot);
	for (LIST_EACH(at, &all->reporters->list)) {
		struct observed_process *process = process_of(reporter_of(at));

		if (!process)
			continue;
		any |= process->seen;
		process->reporter.dormant = !process->seen;
		if (!process->seen && !process->watched)
			process_free(process);
	}
	if (any && !all->timer.armed)
		timer_set(all->reporters->loop, &all->timer, SAMPLE_SELDOM);
}

/* ---- sampling ---- */

static void sample_again(struct timer *timer)
{
	struct observed_processes *all = container_of(timer, struct observed_processes, timer);

	cards_refresh(all->cards);
	if (all->samples)
		timer_set(all->reporters->loop, timer, SAMPLE_AGAIN);
}

void observed_processes_init(struct observed_processes *all, struct reporters *reporters,
			     struct cards *cards, struct probes *probes, bool samples)
{
	*all = (struct observed_processes){
		.reporters = reporters,
		.cards = cards,
		.probes = probes,
		.timer.expired = sample_again,
		.samples = samples,
	};
	if (samples)
		timer_set(reporters->loop, &all->timer, SAMPLE_AGAIN);
}

void observed_processes_done(struct observed_processes *all)
{
	if (all->reporters)
		timer_stop(all->reporters->loop, &all->timer);
}
