/*
 * Fuzzes the reader of tables. A table has at least 135,168 bytes, nearly all of them zero, so the
 * input is a list of changes to a valid one: 12 bytes each, an offset (32 bits) and a value (64
 * bits). The first two bytes are the number of slots in the buffer.
 */
#include "proto/table.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS 64u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void header_fill(struct table_header *header)
{
	*header = (struct table_header){ .magic = TABLE_MAGIC, .slots_used = SLOTS };
	table_header_lay_out(header, SLOTS);
}

static void require(bool condition)
{
	if (!condition)
		abort();
}

/* Guarantees of the reader for any input. */
static void pools_check(const struct table_view *view)
{
	for (uint32_t i = 0; i < TABLE_DEVICES * POOL_COUNT; i++) {
		struct table_pool_total total;

		if (table_read_pool(view, i / POOL_COUNT, i % POOL_COUNT, &total) < 0)
			continue;
		require(total.now_bytes <= total.peak_bytes);
		require(total.peak_bytes <= TABLE_BYTES_MAX);
		require(total.frees <= total.allocs);
		require((total.now_bytes == 0) == (total.frees == total.allocs));
	}
}

static void list_check(const struct table_view *view, uint64_t slots)
{
	struct table_allocation allocation;
	struct table_cursor cursor = { 0 };
	uint64_t count = 0;

	while (table_next(view, &cursor, &allocation)) {
		require(allocation.device < TABLE_DEVICES && allocation.pool < POOL_COUNT);
		require(allocation.size > 0 && allocation.size <= TABLE_BYTES_MAX);
		count++;
	}
	require(count + cursor.invalid + cursor.changing <= slots);
	(void)table_list_is_complete(view); /* either result is valid */
}

static void names_check(const struct table_view *view)
{
	char program[TABLE_PROGRAM_MAX];
	struct table_device device;

	if (table_read_program(view, program) == 0)
		require(strlen(program) < TABLE_PROGRAM_MAX);
	for (uint32_t i = 0; i < TABLE_DEVICES; i++) {
		if (table_read_device(view, i, &device) == 0)
			require(device.node <= TABLE_NODE_MAX);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct table_view view;
	size_t slots, length;
	uint8_t *table;

	if (size < 2)
		return 0;
	slots = (data[0] | data[1] << 8) % (SLOTS + 1);
	length = TABLE_SLOT_OFFSET + slots * sizeof(struct table_slot);
	table = calloc(1, length);
	if (!table)
		return 0;
	header_fill((struct table_header *)(void *)table);
	for (size_t at = 2; at + 12 <= size; at += 12) {
		uint32_t offset;

		memcpy(&offset, data + at, sizeof(offset));
		memcpy(table + offset % (length - 7), data + at + 4, 8);
	}
	if (table_view_init(&view, table, length) == 0) {
		pools_check(&view);
		list_check(&view, slots);
		names_check(&view);
	}
	free(table);
	return 0;
}
