#include "proto/metal_shm.h"

#include "proto/le.h"

#include <errno.h>
#include <string.h>

/* Offsets of the members. Layout 1 has a kernel counter in each group of bytes. */
struct shm_layout {
	size_t size;
	size_t slots, slot_size;
	size_t slot_updated, slot_name;
	size_t init_state; /* 0: there is none */
};

static const struct shm_layout layout1 = {
	.size = 9280,
	.slots = 992,
	.slot_size = 128,
	.slot_updated = 56,
	.slot_name = 64,
};

static const struct shm_layout layout2 = {
	.size = 8576,
	.slots = 856,
	.slot_size = 120,
	.slot_updated = 48,
	.slot_name = 56,
};

static const struct shm_layout layout4 = {
	.size = 8576,
	.slots = 856,
	.slot_size = 120,
	.slot_updated = 48,
	.slot_name = 56,
	.init_state = 8536,
};

enum {
	AT_UPDATED = 8,
	AT_ASIC_ID = 32,
	AT_DEVICE_ID = 40,
	AT_TOTALS = 48,
	SLOT_BYTES = 8,
	INIT_READY = 0x52454459,
};

static const struct shm_layout *find_layout(uint32_t version)
{
	switch (version) {
	case 1: return &layout1;
	case 2:
	case 3: return &layout2;
	case 4: return &layout4;
	default: return NULL;
	}
}

/* Five pools, in the order of the file. */
static void read_bytes(const unsigned char *at, uint64_t ret[POOL_COUNT])
{
	static const enum pool order[] = { POOL_DRAM, POOL_L1, POOL_L1_SMALL, POOL_TRACE, POOL_CB };

	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		ret[order[i]] = le64_at(at + 8 * i);
}

/* Reads all slots: processes come and go, so free slots are anywhere. */
static void read_slots(const struct shm_layout *layout, const unsigned char *data,
		       struct metal_counters *ret)
{
	for (size_t i = 0; i < METAL_SLOTS; i++) {
		const unsigned char *at = data + layout->slots + i * layout->slot_size;
		struct metal_slot *slot = &ret->slots[ret->n_slots];
		int32_t pid = (int32_t)le32_at(at);

		if (pid <= 0)
			continue; /* free, or (layout 4) being released */
		*slot = (struct metal_slot){
			.pid = pid,
			.updated_ns = le64_at(at + layout->slot_updated),
		};
		read_bytes(at + SLOT_BYTES, slot->bytes);
		memcpy(slot->name, at + layout->slot_name, sizeof(slot->name));
		slot->name[sizeof(slot->name) - 1] = '\0';
		ret->n_slots++;
	}
}

int metal_decode(const void *data, size_t size, struct metal_counters *ret, uint32_t *ret_version)
{
	const unsigned char *at = data;
	const struct shm_layout *layout;

	if (size == 0)
		return -EAGAIN; /* created, but its size is not set yet */
	if (size < 4)
		return -EBADMSG;
	*ret_version = le32_at(at);
	if (*ret_version == 0)
		return -EAGAIN; /* its size is set, but it is not written yet */
	layout = find_layout(*ret_version);
	if (!layout)
		return -EPROTONOSUPPORT;
	if (size != layout->size)
		return -EBADMSG;
	if (layout->init_state && le32_at(at + layout->init_state) != INIT_READY)
		return -EAGAIN;

	/* Slots that are not in use are not cleared: there are many. */
	ret->version = *ret_version;
	ret->updated_ns = le64_at(at + AT_UPDATED);
	ret->asic_id = le64_at(at + AT_ASIC_ID);
	ret->device_id = le32_at(at + AT_DEVICE_ID);
	ret->n_slots = 0;
	memset(ret->total, 0, sizeof(ret->total));
	read_bytes(at + AT_TOTALS, ret->total);
	read_slots(layout, at, ret);
	return 0;
}
