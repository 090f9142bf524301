#include "source/metal_id.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How many chips of the board come before this one in bus order; of a Galaxy: tray and chip. */
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

/* Ethernet firmware keeps 32 bits of the board's number, with the chip's position above them. */
static uint64_t ethernet_id(const struct device *dev)
{
	uint64_t place = dev->remote ? 3 : 2;

	return place << 32 | (dev->serial >> 4 & 0xF0000000) | (dev->serial & 0x0FFFFFFF);
}

static void add(struct metal_ids *ids, uint64_t id, enum metal_id_rule rule, size_t device)
{
	ids->list[ids->count++] = (struct metal_id){ id, rule, device };
}

static void add_device(struct metal_ids *ids, const struct snapshot *snapshot, size_t device)
{
	const struct device *dev = &snapshot->devices[device];
	unsigned place;

	if (device_knows(dev, DEV_ASIC_ID))
		add(ids, dev->asic_id, METAL_ID_ASIC, device);
	if (!device_knows(dev, DEV_SERIAL))
		return;
	place = place_on_board(snapshot, dev);
	if (dev->arch == ARCH_WORMHOLE && dev->type && dev->type->chips == 2)
		add(ids, ethernet_id(dev), METAL_ID_ETHERNET, device);
	add(ids, dev->serial << 8 | place, METAL_ID_BOARD_PLACE, device);
	add(ids, dev->serial * 32 + place, METAL_ID_UMD_PLACE, device);
	if (!dev->remote)
		add(ids, dev->serial, METAL_ID_BOARD, device);
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

	/* The first one that is not smaller: among equal ids the best rule comes first. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ids->list[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < ids->count && ids->list[low].id == id ? &ids->list[low] : NULL;
}
