#include "daemon/legacy_answer.h"

#include "daemon/client.h"
#include "daemon/legacy_process.h"
#include "daemon/manager.h"

#include <string.h>

/* A card as the asker means it, or a bare number where cards are not known. */
struct meant {
	const struct card *card;
	uint32_t device;
};

static bool usage_is_of(const struct image_usage *usage, const struct meant *meant)
{
	if (!meant->card)
		return !(usage->known & TABLE_HAS_NODE) && usage->device == meant->device;
	return usage->known & TABLE_HAS_NODE && usage->node == meant->card->identity.node;
}

/* Pools are bounded by 2^50 and processes by less than 2^14: no sum wraps. */
static bool sums_add(uint64_t sums[TABLE_POOLS], const struct image_usage *usages, uint32_t count,
		     const struct meant *meant)
{
	bool found = false;

	for (uint32_t i = 0; i < count; i++) {
		if (!usage_is_of(&usages[i], meant))
			continue;
		sums[usages[i].pool] += usages[i].now_bytes;
		found = true;
	}
	return found;
}

/* A process that has a table says everything there; what it says here would count twice. */
static void sums_take(struct manager *manager, const struct meant *meant,
		      uint64_t sums[TABLE_POOLS])
{
	uint32_t flags = 0;

	list_each(at, &manager->clients)
	{
		struct client *client = container_of(at, struct client, member);
		uint32_t n = client_usages(client, manager->usages, &flags);

		sums_add(sums, manager->usages, n, meant);
	}
	list_each(at, &manager->legacy_processes)
	{
		struct legacy_process *process = container_of(at, struct legacy_process, member);
		uint32_t n;

		if (client_find(manager, process->peer.pid, process->peer.start_ticks))
			continue;
		n = legacy_process_usages(process, manager->usages);
		sums_add(sums, manager->usages, n, meant);
	}
}

static void answer_totals(struct manager *manager, const struct meant *meant, size_t size,
			  uint8_t *out)
{
	uint64_t sums[TABLE_POOLS] = { 0 };
	struct legacy_totals totals;

	sums_take(manager, meant, sums);
	totals = (struct legacy_totals){
		.dram = sums[TABLE_DRAM],
		.l1 = sums[TABLE_L1],
		.l1_small = sums[TABLE_L1_SMALL],
		.trace = sums[TABLE_TRACE],
		.cb = sums[TABLE_CB],
		.kernel = sums[TABLE_KERNEL],
	};
	legacy_encode_totals((int32_t)meant->device, &totals, size, out);
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

static void info_fill(const struct card *card, struct legacy_device_info *ret)
{
	ret->total_dram = card->dram;
	ret->total_l1 = card->l1;
	ret->arch = arch_number(card->arch);
	ret->dram_channels = card->channels;
	ret->dram_per_channel = card->channels ? card->dram / card->channels : 0;
	ret->l1_per_core = card->cores ? (uint32_t)(card->l1 / card->cores) : 0;
	ret->available = 1;
}

void legacy_answer(struct manager *manager, const struct peer *peer,
		   const struct legacy_record *record, size_t size, uint8_t out[LEGACY_SIZE_MAX])
{
	CLEANUP_FREE char *visible = visible_devices_of(peer->pid);
	struct legacy_device_info info = { 0 };
	struct meant meant = { .device = (uint32_t)record->device };

	if (record->device >= 0)
		meant.card = cards_logical(&manager->cards, visible, meant.device);
	if (record->type == LEGACY_QUERY) {
		answer_totals(manager, &meant, size, out);
		return;
	}
	info.devices = (uint32_t)cards_count_visible(&manager->cards, visible);
	if (meant.card)
		info_fill(meant.card, &info);
	else if (record->device < 0)
		info.available = info.devices > 0;
	legacy_encode_device_info(record->device, &info, size, out);
}
