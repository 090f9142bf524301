#include "daemon/legacy_answer.h"

#include "basic/clock.h"
#include "daemon/cards.h"
#include "daemon/client.h"
#include "daemon/legacy_process.h"

/* Maximum age of the sum over all tables: they are many and change without notice. */
#define SUMS_KEPT (10 * NS_PER_MS)

/* The index of a card in the sums: its own, or by its logical number if the card is unknown. */
static size_t sums_place(const struct cards *cards, const struct image_usage *usage)
{
	if (!(usage->known & TABLE_HAS_NODE))
		return TABLE_DEVICES + usage->device;
	for (size_t i = 0; i < cards->count; i++) {
		if (cards->list[i].identity.node == usage->node)
			return i;
	}
	return SUMS_PLACES;
}

/* Pools are limited to 2^50 bytes and processes to less than 2^14: sums cannot overflow. */
static void sums_add(const struct cards *cards, const struct image_usage *usages, uint32_t count,
		     struct sums *sums)
{
	for (uint32_t i = 0; i < count; i++) {
		size_t place = sums_place(cards, &usages[i]);

		if (place < SUMS_PLACES)
			sums->bytes[place][usages[i].pool] += usages[i].now_bytes;
	}
}

static void sums_add_all(struct legacy_answers *answers, const struct reporter_ops *ops,
			 struct sums *sums)
{
	uint32_t flags = 0;

	for (LIST_EACH(at, &answers->reporters->list)) {
		struct reporter *reporter = reporter_of(at);
		uint32_t n;

		if (reporter->ops != ops || reporter->better)
			continue;
		n = ops->usages(reporter, answers->reporters->usages, &flags);
		sums_add(answers->cards, answers->reporters->usages, n, sums);
	}
}

static void sums_take(struct legacy_answers *answers, struct sums *ret)
{
	int64_t now = clock_now(CLOCK_MONOTONIC);

	if (!answers->sums.taken_ns || now - answers->sums.taken_ns >= SUMS_KEPT) {
		answers->sums = (struct sums){ .taken_ns = now };
		cards_refresh(answers->cards);
		sums_add_all(answers, &client_ops, &answers->sums);
	}
	*ret = answers->sums;
	sums_add_all(answers, &legacy_process_ops, ret);
}

/*
 * Totals of the card that the client addresses, or of the logical number if the card is unknown;
 * zeros if there is no such number.
 */
static void answer_totals(struct legacy_answers *answers, const struct known_card *card,
			  int32_t device, size_t size, uint8_t *out)
{
	size_t place = card ? (size_t)(card - answers->cards->list)
			    : TABLE_DEVICES + (size_t)(uint32_t)device;
	static const uint64_t nothing[POOL_COUNT];
	struct sums sums;

	if (place >= SUMS_PLACES) {
		legacy_encode_totals(device, nothing, size, out);
		return;
	}
	sums_take(answers, &sums);
	legacy_encode_totals(device, sums.bytes[place], size, out);
}

static uint32_t arch_number(enum arch arch)
{
	switch (arch) {
	case ARCH_GRAYSKULL: return 1;
	case ARCH_WORMHOLE: return 2;
	case ARCH_BLACKHOLE: return 3;
	case ARCH_UNKNOWN:
	case ARCH_N: break;
	}
	return 0;
}

static void info_fill(const struct known_card *card, struct legacy_device_info *ret)
{
	ret->total_dram = card->memory[POOL_DRAM];
	ret->total_l1 = card->memory[POOL_L1];
	ret->arch = arch_number(card->arch);
	ret->dram_channels = card->channels;
	ret->dram_per_channel = card->channels ? card->memory[POOL_DRAM] / card->channels : 0;
	ret->l1_per_core = (uint32_t)arch_l1_per_core(card->arch);
	ret->available = 1;
}

void legacy_answer(struct legacy_answers *answers, struct device_filter *filter,
		   const struct legacy_record *record, size_t size, uint8_t out[LEGACY_SIZE_MAX])
{
	enum visible_meaning meaning = VISIBLE_BY_EITHER;
	const struct visible_devices *visible = device_filter_visible(filter, &meaning);
	struct legacy_device_info info = { 0 };
	const struct known_card *card = NULL;

	if (record->device >= 0)
		card = cards_logical(answers->cards, visible, meaning, (uint32_t)record->device);
	if (record->type == LEGACY_QUERY) {
		answer_totals(answers, card, record->device, size, out);
		return;
	}
	info.devices = (uint32_t)cards_count_visible(answers->cards, visible, meaning);
	if (card)
		info_fill(card, &info);
	else if (record->device == -1)
		info.available = info.devices > 0;
	legacy_encode_device_info(record->device, &info, size, out);
}
