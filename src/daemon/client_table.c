/* What a client's table says. */
#include "daemon/client_table.h"

#include "daemon/client.h"

#include "daemon/manager.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* Linux 5.14 */
#endif

void client_describe(const struct reporter *reporter, struct image_process *record)
{
	const struct client *client = container_of(reporter, struct client, reporter);
	char name[sizeof(record->name)];

	if (client_is_preload(client))
		record->flags |= IMAGE_PRELOAD;
	if (table_read_program(&client->view, name) >= 0 && name[0])
		memcpy(record->name, name, sizeof(name));
	for (unsigned kind = 0; kind < TABLE_MISUSES; kind++)
		record->misuse[kind] = table_misuse_count(&client->view, (enum table_misuse)kind);
	record->unlisted = __atomic_load_n(&client->view.header->unlisted, __ATOMIC_ACQUIRE);
	if (record->misuse[TABLE_LOST])
		record->flags |= IMAGE_TOTALS_LOW;
}

/*
 * Has the table pages where the cells of this device are? Asked once per device: who says that it
 * used a device must have written there.
 */
static bool client_has_cells(struct client *client, uint32_t device)
{
	off_t at = (off_t)(TABLE_DEVICE_OFFSET + device * sizeof(struct table_device_cell));

	if (!(client->there >> device & 1) && lseek(client->table, at, SEEK_DATA) == at)
		client->there |= UINT64_C(1) << device;
	return client->there >> device & 1;
}

static bool usage_fill(const struct client *client, uint32_t device, enum pool pool,
		       const struct table_device *card, struct image_usage *ret, uint32_t *flags)
{
	struct table_pool_total total;
	int r = table_read_pool(&client->view, device, pool, &total);

	if (r < 0) {
		*flags |= r == -EAGAIN ? IMAGE_TOTALS_LOW : IMAGE_TOTALS_LOW | IMAGE_INCONSISTENT;
		return false;
	}
	if (total.allocs == 0 && total.failures == 0)
		return false;
	*ret = (struct image_usage){
		.device = device,
		.pool = pool,
		.known = card->known,
		.node = card->node,
		.bdf = card->bdf,
		.asic = card->asic,
		.now_bytes = total.now_bytes,
		.peak_bytes = total.peak_bytes,
		.allocs = total.allocs,
		.frees = total.frees,
		.failures = total.failures,
		.changed_ns = total.changed_ns,
	};
	return true;
}

uint32_t client_usages(struct reporter *reporter, struct image_usage *ret, uint32_t *flags)
{
	struct client *client = container_of(reporter, struct client, reporter);
	uint64_t devices = table_devices(&client->view);
	uint32_t count = 0;

	for (uint32_t device = 0; device < TABLE_DEVICES; device++) {
		struct table_device card = { 0 };

		if (!(devices >> device & 1))
			continue;
		if (!client_has_cells(client, device)) {
			*flags |= IMAGE_INCONSISTENT;
			continue;
		}
		if (table_read_device(&client->view, device, &card) < 0)
			card = (struct table_device){ 0 };
		for (unsigned pool = 0; pool < POOL_COUNT; pool++)
			count += usage_fill(client, device, (enum pool)pool, &card, &ret[count],
					    flags);
	}
	return count;
}

/* Bytes of the list that exist, without a hole, up to what we are willing to list. */
static size_t list_length(const struct client *client)
{
	uint64_t used = __atomic_load_n(&client->view.header->slots_used, __ATOMIC_ACQUIRE);
	uint64_t most = MIN(client->view.slot_capacity,
			    client->reporter.manager->limits.value[LIMIT_SLOTS]);
	off_t wanted = (off_t)(MIN(used, most) * sizeof(struct table_slot)), end;

	end = lseek(client->table, (off_t)TABLE_SLOT_OFFSET, SEEK_HOLE);
	return end < (off_t)TABLE_SLOT_OFFSET ? 0
					      : (size_t)MIN(end - (off_t)TABLE_SLOT_OFFSET, wanted);
}

uint32_t client_count_usages(struct reporter *reporter)
{
	const struct client *client = container_of(reporter, struct client, reporter);

	return (uint32_t)__builtin_popcountll(table_devices(&client->view)) * POOL_COUNT;
}

uint32_t client_count_allocations(struct reporter *reporter)
{
	const struct client *client = container_of(reporter, struct client, reporter);

	return (uint32_t)(list_length(client) / sizeof(struct table_slot));
}

void client_list(struct reporter *reporter, struct image_writer *writer, uint32_t *flags)
{
	const struct client *client = container_of(reporter, struct client, reporter);
	size_t length = TABLE_SLOT_OFFSET + list_length(client);
	struct table_cursor cursor = { 0 };
	struct table_allocation got;
	struct table_view view;
	void *map;

	map = mmap(NULL, length, PROT_READ, MAP_SHARED, client->table, 0);
	if (map == MAP_FAILED || table_view_init(&view, map, length) < 0) {
		*flags |= IMAGE_LIST_CUT;
		if (map != MAP_FAILED)
			munmap(map, length);
		return;
	}
	/* The list exists and will be read: at once it takes half the time of a fault per page. */
	madvise((char *)map + TABLE_SLOT_OFFSET, length - TABLE_SLOT_OFFSET, MADV_POPULATE_READ);
	while (table_next(&view, &cursor, &got)) {
		struct image_allocation allocation = {
			.id = got.id,
			.size = got.size,
			.time_ns = got.time_ns,
			.device = got.device,
			.pool = got.pool,
		};

		if (image_add_allocation(writer, &allocation) < 0)
			break;
	}
	if (cursor.changing || cursor.invalid || !table_list_is_complete(&view))
		*flags |= IMAGE_LIST_CUT;
	munmap(map, length);
}
