#include "daemon/traced.h"

#include "basic/clock.h"
#include "daemon/observer.h"
#include "source/bpf_text.h"

#include <string.h>

#define SAMPLE_AGAIN NS_PER_S

/* A traced process that lives. */
struct traced_life {
	struct reporter reporter;
	struct traced *traced;
	struct look look; /* until its pidfd is had */
	bool low;
	bool doubted; /* the probes missed something once: then no figure of it is kept */
	struct image_usage *usages;
	uint32_t n_usages;
};

uint32_t report_usages(const struct memory_report *report, const struct device *device,
		       struct image_usage *ret)
{
	const bool traced = report->source == TRACKING_TRACED;
	struct table_device card;
	uint32_t count = 0, number;

	card_identify(device, &card);
	/* A number of its own for each chip: readers tell them apart by it. */
	number = MIN(card.node, TABLE_DEVICES - 1);
	if (card.known & TABLE_BEHIND)
		number = TABLE_DEVICES - 1 - number;
	for (uint32_t pool = 0; pool < POOL_COUNT; pool++) {
		bool told = report->bytes[pool] > 0 || (traced && pool == POOL_DRAM);

		if (!told || report->bytes[pool] > TABLE_BYTES_MAX)
			continue;
		ret[count] = (struct image_usage){
			.device = number,
			.pool = pool,
			.known = card.known,
			.node = card.node,
			.bdf = card.bdf,
			.asic = card.asic,
			.now_bytes = report->bytes[pool],
			.peak_bytes = report->bytes[pool],
			.allocs = count == 0 ? report->held : 0,
		};
		count++;
	}
	return count;
}

static void life_free(struct traced_life *life)
{
	look_stop(&life->look);
	life->traced->count--;
	reporter_done(&life->reporter);
	free(life->usages);
	free(life);
}

/* Has it an account already, from a table or a connection of its own? */
static bool is_accounted(const struct reporter *reporter)
{
	const struct peer *peer = &reporter->peer;

	if (reporter->better)
		return true; /* or will have one at once */
	for (LIST_EACH(at, &reporter->all->accounts->list)) {
		const struct accounts_entry *account = accounts_entry_of(at);

		if (account->process.pid == (uint32_t)peer->pid &&
		    account->process.start_ticks == peer->start_ticks)
			return true;
	}
	return false;
}

static void life_describe(const struct reporter *reporter, struct image_process *record)
{
	if (container_of(reporter, struct traced_life, reporter)->low)
		record->flags |= IMAGE_TOTALS_LOW;
}

static uint32_t life_usages(struct reporter *reporter, struct image_usage *ret, uint32_t *flags)
{
	const struct traced_life *life = container_of(reporter, struct traced_life, reporter);

	(void)flags;
	if (life->n_usages)
		memcpy(ret, life->usages, life->n_usages * sizeof(*ret));
	return life->n_usages;
}

static void life_ended(struct reporter *reporter)
{
	struct traced_life *life = container_of(reporter, struct traced_life, reporter);

	cards_expire(life->traced->cards); /* they still have its memory */
	if (life->n_usages && !is_accounted(reporter))
		reporter_account(reporter);
	life_free(life);
}

static void life_drop(struct reporter *reporter)
{
	life_free(container_of(reporter, struct traced_life, reporter));
}

/* Its answers are what the observer has just seen, not what is kept for its account. */
static const struct reporter_ops traced_ops = {
	.kind = "traced program",
	.origin = IMAGE_TRACED,
	.describe = life_describe,
	.usages = life_usages,
	.ended = life_ended,
	.free = life_drop,
};

static struct traced_life *life_of(struct reporter *reporter)
{
	return reporter->ops == &traced_ops ? container_of(reporter, struct traced_life, reporter)
					    : NULL;
}

static struct traced_life *life_find(struct traced *traced, int32_t pid)
{
	for (LIST_EACH(at, &traced->reporters->list)) {
		struct traced_life *life = life_of(reporter_of(at));

		if (life && life->reporter.peer.pid == pid)
			return life;
	}
	return NULL;
}

/* The number must be of the process that was traced. Until then it is listed without a pidfd. */
static void life_met(struct look *look, const struct look_result *result)
{
	struct traced_life *life = container_of(look, struct traced_life, look);
	struct reporter *reporter = &life->reporter;

	if (result->error >= 0 && result->peer.start_ticks == reporter->peer.start_ticks &&
	    reporter_watch(reporter, result->pidfd) >= 0) {
		reporter->peer = result->peer;
		return;
	}
	if (result->pidfd >= 0)
		close(result->pidfd);
	life_free(life);
}

static struct traced_life *life_new(struct traced *traced, const struct memory_report *report,
				    const struct process *process)
{
	const struct peer peer = {
		.pid = report->pid,
		.start_ticks = report->start_ticks,
		.uid = process && process_knows(process, PROC_UID) ? process->uid : (uid_t)-1,
	};
	struct traced_life *life;

	if (traced->count >= TRACED_LIVES_MAX)
		return NULL;
	life = calloc(1, sizeof(*life));
	if (!life)
		return NULL;
	life->look.done = life_met;
	life->traced = traced;
	traced->count++;
	if (reporter_init(&life->reporter, &traced_ops, traced->reporters, &peer) < 0 ||
	    look_start(&life->look, traced->observer, LOOK_PEER, peer.pid, peer.uid, -1) < 0) {
		life_free(life);
		return NULL;
	}
	reporter_list(&life->reporter, RANK_TRACED);
	return life;
}

/* The last figures, and the most that was seen. */
static void life_take(struct traced_life *life, const struct image_usage *from)
{
	struct image_usage *grown;

	for (uint32_t i = 0; i < life->n_usages; i++) {
		struct image_usage *usage = &life->usages[i];
		uint64_t peak = MAX(usage->peak_bytes, from->now_bytes);

		if (usage->device != from->device || usage->pool != from->pool)
			continue;
		*usage = *from;
		usage->peak_bytes = peak;
		return;
	}
	if (life->n_usages >= USAGES_MAX)
		return;
	grown = reallocarray(life->usages, life->n_usages + (size_t)1, sizeof(*grown));
	if (!grown)
		return;
	life->usages = grown;
	life->usages[life->n_usages++] = *from;
}

/* What was believed of it until now may have been wrong already. */
static void life_doubt(struct traced_life *life, const struct snapshot *snapshot)
{
	const struct process *process = snapshot_find_process(snapshot, life->reporter.peer.pid);

	if (!process || !process->n_usages ||
	    reason_trace_fault(process->usages[0].why[USE_DRAM]) == TRACE_FAULT_NONE)
		return;
	life->doubted = true;
	life->n_usages = 0;
}

/* A pool that is not told of any more holds nothing. */
static void life_empty(struct traced_life *life)
{
	for (uint32_t i = 0; i < life->n_usages; i++)
		life->usages[i].now_bytes = life->usages[i].allocs = 0;
}

void traced_take(struct traced *traced)
{
	const struct snapshot *snapshot;
	const struct memory_report *reports;
	size_t count = cards_counts(traced->cards, &reports, &snapshot);
	int32_t before = 0;

	for (size_t i = 0; i < count; i++) {
		struct image_usage usages[POOL_COUNT];
		struct traced_life *life;
		uint32_t n;

		if (reports[i].source != TRACKING_TRACED)
			continue;
		life = life_find(traced, reports[i].pid);
		if (!life)
			life = life_new(traced, &reports[i],
					snapshot_find_process(snapshot, reports[i].pid));
		if (!life || life->doubted ||
		    life->reporter.peer.start_ticks != reports[i].start_ticks)
			continue;
		if (reports[i].pid != before)
			life_empty(life);
		before = reports[i].pid;
		life->low |= reports[i].low;
		n = report_usages(&reports[i], &snapshot->devices[reports[i].device], usages);
		for (uint32_t k = 0; k < n; k++)
			life_take(life, &usages[k]);
	}
	for (LIST_EACH(at, &traced->reporters->list)) {
		struct traced_life *life = life_of(reporter_of(at));

		if (snapshot && life)
			life_doubt(life, snapshot);
	}
}

static void sample_again(struct timer *timer)
{
	struct traced *traced = container_of(timer, struct traced, timer);

	cards_look(traced->cards);
	timer_set(traced->reporters->loop, timer, SAMPLE_AGAIN);
}

void traced_init(struct traced *traced, struct reporters *reporters, struct cards *cards,
		 struct observer *observer, bool samples)
{
	*traced = (struct traced){
		.reporters = reporters,
		.cards = cards,
		.observer = observer,
		.timer.expired = sample_again,
	};
	if (samples)
		timer_set(reporters->loop, &traced->timer, SAMPLE_AGAIN);
}

void traced_done(struct traced *traced)
{
	if (traced->reporters)
		timer_stop(traced->reporters->loop, &traced->timer);
}
