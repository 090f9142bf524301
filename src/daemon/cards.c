#include "daemon/cards.h"

#include "basic/clock.h"
#include "daemon/card_identity.h"
#include "daemon/log.h"
#include "daemon/observer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Retry period for a card that cannot be read, for instance during a reset. */
#define RETRY_LATER (2 * NS_PER_S)
enum { RETRIES_MAX = 30 };

/* A sample scans all processes; one per this period is enough for any display. */
#define SAMPLE_KEPT (100 * NS_PER_MS)

/* Maximum time that an answer waits for the observer's sample. */
#define WAIT_MOST (200 * NS_PER_MS)

static void card_of_device(const struct device *device, struct known_card *ret)
{
	*ret = (struct known_card){ .arch = device->arch };
	card_identify(device, &ret->identity);
	snprintf(ret->name, sizeof(ret->name), "%s",
		 device_knows(device, DEV_NAME) ? arch_names[device->arch] : "card");
	if (device_knows(device, DEV_DRAM_TOTAL))
		ret->memory[POOL_DRAM] = device->memory_total[POOL_DRAM];
	if (device_knows(device, DEV_L1_TOTAL))
		ret->memory[POOL_L1] = device->memory_total[POOL_L1];
	if (device->type)
		ret->channels = device->type->dram_banks;
}

static void cards_insert(struct cards *cards, const struct known_card *card)
{
	size_t at = cards->count++;

	for (; at > 0 && cards->list[at - 1].identity.bdf > card->identity.bdf; at--)
		cards->list[at] = cards->list[at - 1];
	cards->list[at] = *card;
}

/* Lists the cards that the driver serves. Returns whether all their properties are known. */
static bool cards_list(struct cards *cards, const struct snapshot *snapshot)
{
	bool complete = true;

	cards->count = 0;
	for (size_t i = 0; i < snapshot->n_devices && cards->count < TABLE_DEVICES; i++) {
		struct known_card card;

		if (!device_is_served(&snapshot->devices[i]))
			continue;
		card_of_device(&snapshot->devices[i], &card);
		cards_insert(cards, &card);
		complete =
			complete && card.identity.known & TABLE_HAS_BDF && card.memory[POOL_DRAM];
	}
	return complete;
}

static void cards_update(struct cards *cards)
{
	const struct observation *observation = cards->observation;
	size_t before = cards->count;
	bool complete = true;

	if (observation->error < 0)
		cards->count = 0;
	else
		complete = cards_list(cards, observation->snapshot);
	if (observation->error == -ENOENT && before)
		log_line(LOG_NOTE, "no cards present");
	else if (observation->error < 0 && observation->error != -ENOENT && observation->changed)
		log_line(LOG_FAULT, "cannot list the cards: %s", strerror(-observation->error));
	else if (cards->count != before)
		log_line(LOG_NOTE, "%zu card%s", cards->count, cards->count == 1 ? "" : "s");
	if (observation->changed)
		cards->retries = RETRIES_MAX;
	if (!complete && !cards->settle.armed && cards->retries > 0) {
		cards->retries--;
		timer_set(cards->loop, &cards->settle, RETRY_LATER);
	}
}

void cards_take(struct cards *cards, struct observation *observation)
{
	observation_free(cards->observation);
	cards->observation = observation;
	cards->asked = false;
	cards_update(cards);
}

void cards_take_activity(struct cards *cards, const struct image_device *list, size_t count)
{
	memcpy(cards->activity, list, count * sizeof(*list));
	cards->n_activity = count;
}

bool cards_are_fresh(const struct cards *cards)
{
	int64_t now = clock_now(CLOCK_MONOTONIC);

	return cards->observation && cards->observation->taken_ns >= cards->stale_ns &&
	       now - cards->observation->taken_ns <= SAMPLE_KEPT;
}

static void cards_ask(struct cards *cards)
{
	struct observed_link *links;
	size_t count;

	if (cards->asked)
		return;
	cards->asked = true;
	links = cards->links(cards->arg, &count);
	observer_sample(cards->observer, links, count);
	free(links);
}

void cards_refresh(struct cards *cards)
{
	if (!cards_are_fresh(cards))
		cards_ask(cards);
}

void cards_wait_start(struct cards *cards, struct cards_wait *wait)
{
	list_append(&cards->waiting, &wait->member);
	if (!cards->overdue.armed)
		timer_set(cards->loop, &cards->overdue, WAIT_MOST);
	cards_refresh(cards);
}

void cards_wait_stop(struct cards_wait *wait)
{
	list_remove(&wait->member);
}

void cards_wake_all(struct cards *cards)
{
	timer_stop(cards->loop, &cards->overdue);
	for (LIST_EACH(at, &cards->waiting)) {
		struct cards_wait *wait = container_of(at, struct cards_wait, member);

		cards_wait_stop(wait);
		wait->done(wait);
	}
}

void cards_wake(struct cards *cards)
{
	if (cards->observation->taken_ns >= cards->stale_ns)
		cards_wake_all(cards);
	else
		cards_refresh(cards); /* cards_expire() was called meanwhile */
}

static void cards_overdue(struct timer *timer)
{
	cards_wake_all(container_of(timer, struct cards, overdue));
}

void cards_expire(struct cards *cards)
{
	cards->stale_ns = clock_now(CLOCK_MONOTONIC);
}

static void cards_settled(struct timer *timer)
{
	cards_ask(container_of(timer, struct cards, settle));
}

void cards_init(struct cards *cards, struct loop *loop, struct observer *observer,
		cards_links *links, void *arg)
{
	*cards = (struct cards){
		.loop = loop,
		.observer = observer,
		.links = links,
		.arg = arg,
		.overdue.expired = cards_overdue,
		.settle.expired = cards_settled,
		.retries = RETRIES_MAX,
	};
	list_init(&cards->waiting);
}

void cards_done(struct cards *cards)
{
	if (cards->loop) {
		timer_stop(cards->loop, &cards->settle);
		timer_stop(cards->loop, &cards->overdue);
	}
	observation_free(cards->observation);
	cards->observation = NULL;
}

/* Converts the list for visible_devices. False: the order of the cards is unknown. */
static bool cards_in_order(const struct cards *cards, struct visible_card ret[VISIBLE_CARDS])
{
	for (size_t i = 0; i < cards->count; i++) {
		const struct table_device *identity = &cards->list[i].identity;

		if (!(identity->known & TABLE_HAS_BDF))
			return false;
		ret[i] = (struct visible_card){ .bdf = identity->bdf, .node = identity->node };
	}
	return true;
}

const struct known_card *cards_logical(const struct cards *cards,
				       const struct visible_devices *visible,
				       enum visible_meaning meaning, uint32_t id)
{
	struct visible_card ordered[VISIBLE_CARDS];
	int at;

	if (!cards_in_order(cards, ordered))
		return NULL;
	at = visible_find(visible, meaning, ordered, cards->count, id);
	return at < 0 ? NULL : &cards->list[at];
}

size_t cards_count_visible(const struct cards *cards, const struct visible_devices *visible,
			   enum visible_meaning meaning)
{
	struct visible_card ordered[VISIBLE_CARDS];
	uint64_t masks[2];
	unsigned answers;

	if (!cards_in_order(cards, ordered))
		return 0;
	answers = visible_resolve(visible, meaning, ordered, cards->count, masks);
	if (answers == 2 && __builtin_popcountll(masks[0]) != __builtin_popcountll(masks[1]))
		return 0;
	return (size_t)__builtin_popcountll(masks[0]);
}

size_t cards_counts(const struct cards *cards, const struct memory_report **ret_reports,
		    const struct snapshot **ret_snapshot)
{
	const struct observation *observation = cards->observation;

	*ret_reports = observation ? observation->reports : NULL;
	*ret_snapshot = observation ? observation->snapshot : NULL;
	return observation ? observation->n_reports : 0;
}

const struct snapshot *cards_snapshot(const struct cards *cards)
{
	return cards->observation ? cards->observation->snapshot : NULL;
}
