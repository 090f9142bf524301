#include "source/metal_id.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The chip's index on its board, in bus order; in a Galaxy: tray and chip. */
static unsigned place_on_board(const struct snapshot *snapshot, const struct device *dev)
{
	unsigned place = dev->remote;

	if (device_knows(dev, DEV_TRAY))
		return (unsigned)(dev->tray << 4 | dev->chip);
	for (size_t i = 0; i < snapshot->n_devices && !dev->remote; i++) {
		const struct device *other = &snapshot->devices[i];

		if (other != dev && device_knows(other, DEV_SERIAL) &&
		    other->serial == dev->serial && !other->remote &&
		    strcmp(other->bdf, dev->bdf) < 0)
			place++;
	}
	return place;
}

/* Ethernet firmware uses 32 bits of the board's number, with the chip's position above them. */
static uint64_t ethernet_id(const struct device *dev)
{
	uint64_t place = dev->remote ? 3 : 2;

	return place << 32 | (dev->serial >> 4 & 0xF0000000) | (dev->serial & 0x0FFFFFFF);
}

/* A board with two linked chips? */
static bool is_linked_wormhole(const struct device *dev)
{
	return dev->arch == ARCH_WORMHOLE && dev->type && dev->type->chips == 2;
}

/* The ids of a chip. */
struct candidates {
	uint64_t id[METAL_ID_RULES];
	bool known[METAL_ID_RULES];
};

static void candidates_add(struct candidates *candidates, enum metal_id_rule rule, uint64_t id)
{
	candidates->id[rule] = id;
	candidates->known[rule] = true;
}

static void candidates_list(struct candidates *ret, const struct snapshot *snapshot, size_t device)
{
	const struct device *dev = &snapshot->devices[device];
	unsigned place;

	*ret = (struct candidates){ 0 };
	if (device_knows(dev, DEV_ASIC_ID))
		candidates_add(ret, METAL_ID_ASIC, dev->asic_id);
	if (!device_knows(dev, DEV_SERIAL))
		return;
	place = place_on_board(snapshot, dev);
	if (is_linked_wormhole(dev))
		candidates_add(ret, METAL_ID_ETHERNET, ethernet_id(dev));
	candidates_add(ret, METAL_ID_BOARD_PLACE, dev->serial << 8 | place);
	candidates_add(ret, METAL_ID_UMD_PLACE, dev->serial * 32 + place);
	if (!dev->remote)
		candidates_add(ret, METAL_ID_BOARD, dev->serial);
}

static void add_device(struct metal_ids *ids, const struct snapshot *snapshot, size_t device)
{
	struct candidates candidates;

	candidates_list(&candidates, snapshot, device);
	for (enum metal_id_rule rule = 0; rule < METAL_ID_RULES; rule++)
		if (candidates.known[rule])
			ids->list[ids->count++] =
				(struct metal_id){ candidates.id[rule], rule, device };
}

static int by_id(const void *a, const void *b)
{
	const struct metal_id *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	if (x->rule != y->rule)
		return x->rule < y->rule ? -1 : 1;
	return (x->device > y->device) - (x->device < y->device);
}

int metal_ids_init(struct metal_ids *ids, const struct snapshot *snapshot)
{
	*ids = (struct metal_ids){ 0 };
	ids->list = calloc(snapshot->n_devices * METAL_ID_RULES + 1, sizeof(*ids->list));
	if (!ids->list)
		return -ENOMEM;
	for (size_t i = 0; i < snapshot->n_devices; i++)
		add_device(ids, snapshot, i);
	qsort(ids->list, ids->count, sizeof(*ids->list), by_id);
	return 0;
}

void metal_ids_done(struct metal_ids *ids)
{
	free(ids->list);
	*ids = (struct metal_ids){ 0 };
}

const struct metal_id *metal_ids_find(const struct metal_ids *ids, uint64_t id)
{
	size_t low = 0, high = ids->count;

	/* Lower bound: among equal ids the preferred rule comes first. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ids->list[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < ids->count && ids->list[low].id == id ? &ids->list[low] : NULL;
}

/* May UMD have used this rule? That depends on trained links. Layout 1 is TT-Metal's own. */
static bool is_umd_rule(const struct device *dev, enum metal_id_rule rule)
{
	switch (rule) {
	case METAL_ID_ASIC:
	case METAL_ID_UMD_PLACE: return dev->arch == ARCH_BLACKHOLE;
	case METAL_ID_ETHERNET: return is_linked_wormhole(dev);
	case METAL_ID_BOARD: return !dev->remote;
	case METAL_ID_BOARD_PLACE:
	case METAL_ID_RULES: break;
	}
	return false;
}

enum comparison { NO_RULE, ASCENDING, TIED, NOT_ASCENDING };

static enum comparison compare(const struct snapshot *snapshot, enum metal_id_rule rule, size_t a,
			       size_t b)
{
	bool applies = is_umd_rule(&snapshot->devices[a], rule);
	struct candidates x, y;

	if (applies != is_umd_rule(&snapshot->devices[b], rule))
		return NOT_ASCENDING;
	if (!applies)
		return NO_RULE;
	candidates_list(&x, snapshot, a);
	candidates_list(&y, snapshot, b);
	if (!x.known[rule] || !y.known[rule])
		return NOT_ASCENDING;
	if (x.id[rule] == y.id[rule])
		return TIED;
	return x.id[rule] < y.id[rule] ? ASCENDING : NOT_ASCENDING;
}

static enum comparison compare_all(const struct snapshot *snapshot, enum metal_id_rule rule,
				   const size_t *devices, size_t count)
{
	enum comparison all = NO_RULE;

	for (size_t i = 1; i < count; i++) {
		enum comparison pair = compare(snapshot, rule, devices[i - 1], devices[i]);

		if (pair == TIED)
			return TIED;
		all = MAX(all, pair);
	}
	return all;
}

bool metal_ids_ascend(const struct snapshot *snapshot, const size_t *devices, size_t count)
{
	bool ascend = count < 2;

	for (enum metal_id_rule rule = 0; rule < METAL_ID_RULES; rule++) {
		enum comparison all = compare_all(snapshot, rule, devices, count);

		if (all == NOT_ASCENDING)
			return false;
		/* UMD's ids are unique: a rule with ties was not used */
		ascend |= all == ASCENDING;
	}
	return ascend;
}
