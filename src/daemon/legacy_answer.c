#include "daemon/legacy_answer.h"

#include "basic/clock.h"
#include "daemon/client.h"
#include "daemon/legacy_process.h"
#include "daemon/manager.h"

/* Programs with tables are many and change without telling: their sum is this old at most. */
#define SUMS_KEPT (10 * NS_PER_MS)

/* Where the sums of a card are: by its place, or by a bare number where it is not known. */
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

/* Pools are bounded by 2^50 and processes by less than 2^14: no sum wraps. */
static void sums_add(const struct cards *cards, const struct image_usage *usages, uint32_t count,
		     struct sums *sums)
{
	for (uint32_t i = 0; i < count; i++) {
		size_t place = sums_place(cards, &usages[i]);

		if (place < SUMS_PLACES)
			sums->bytes[place][usages[i].pool] += usages[i].now_bytes;
	}
}

static void sums_add_all(struct manager *manager, const struct reporter_ops *ops, struct sums *sums)
{
	uint32_t flags = 0;

	for (LIST_EACH(at, &manager->reporters.list)) {
		struct reporter *reporter = reporter_of(at);
		uint32_t n;

		if (reporter->ops != ops || reporter->better)
			continue;
		n = ops->usages(reporter, manager->reporters.usages, &flags);
		sums_add(&manager->cards, manager->reporters.usages, n, sums);
	}
}

static void sums_take(struct manager *manager, struct sums *ret)
{
	int64_t now = clock_now(CLOCK_MONOTONIC);

	if (!manager->sums.taken_ns || now - manager->sums.taken_ns >= SUMS_KEPT) {
		manager->sums = (struct sums){ .taken_ns = now };
		cards_refresh(&manager->cards);
		sums_add_all(manager, &client_ops, &manager->sums);
	}
	*ret = manager->sums;
	sums_add_all(manager, &legacy_process_ops, ret);
}

/* The card as the asker means it, or the bare number if it means none; no such number: zeros. */
static void answer_totals(struct manager *manager, const struct known_card *card, int32_t device,
			  size_t size, uint8_t *out)
{
	size_t place = card ? (size_t)(card - manager->cards.list)
			    : TABLE_DEVICES + (size_t)(uint32_t)device;
	static const uint64_t nothing[POOL_COUNT];
	struct sums sums;

	if (place >= SUMS_PLACES) {
		legacy_encode_totals(device, nothing, size, out);
		return;
	}
	sums_take(manager, &sums);
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

void legacy_answer(struct manager *manager, struct device_filter *filter,
		   const struct legacy_record *record, size_t size, uint8_t out[LEGACY_SIZE_MAX])
{
	enum visible_meaning meaning = VISIBLE_BY_EITHER;
	const struct visible_devices *visible = device_filter_visible(filter, &meaning);
	struct legacy_device_info info = { 0 };
	const struct known_card *card = NULL;

	if (record->device >= 0)
		card = cards_logical(&manager->cards, visible, meaning, (uint32_t)record->device);
	if (record->type == LEGACY_QUERY) {
		answer_totals(manager, card, record->device, size, out);
		return;
	}
	info.devices = (uint32_t)cards_count_visible(&manager->cards, visible, meaning);
	if (card)
		info_fill(card, &info);
	else if (record->device == -1)
		info.available = info.devices > 0;
	legacy_encode_device_info(record->device, &info, size, out);
}
