/* TT-Metal's counters: layouts 1 to 4, built byte by byte. */
#include "proto/metal_shm.h"
#include "unit.h"

#include <errno.h>

/* The layouts as documented. Not shared with the decoder, so that both do not share mistakes. */
static const struct shape {
	uint32_t version;
	size_t size, slots, slot, stamp, name;
} shapes[] = {
	{ 1, 9280, 992, 128, 56, 64 },
	{ 2, 8576, 856, 120, 48, 56 },
	{ 3, 8576, 856, 120, 48, 56 },
	{ 4, 8576, 856, 120, 48, 56 },
};

static unsigned char file[METAL_MAX_SIZE + 16];
static struct metal_counters counters;
static uint32_t version;

static void put32(size_t at, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		file[at + i] = (unsigned char)(value >> 8 * i);
}

static void put64(size_t at, uint64_t value)
{
	put32(at, (uint32_t)value);
	put32(at + 4, (uint32_t)(value >> 32));
}

static void make(const struct shape *shape)
{
	memset(file, 0, sizeof(file));
	put32(0, shape->version);
	put32(4, 2); /* number of processes: not the number of slots */
	put64(8, 1763244000000000000);
	put32(16, 2);
	put64(32, 0x2F9C2B4A51D01A2B);
	put32(40, 5);
	for (unsigned i = 0; i < 5; i++)
		put64(48 + 8 * i, 1000 + i);
	if (shape->version == 4)
		put32(8536, 0x52454459);
}

static void put_slot(const struct shape *shape, size_t index, int32_t pid, uint64_t bytes,
		     const char *name)
{
	size_t at = shape->slots + index * shape->slot;

	put32(at, (uint32_t)pid);
	for (unsigned i = 0; i < 5; i++)
		put64(at + 8 + 8 * i, bytes + i);
	if (shape->version == 1)
		put64(at + 48, 0xBAD); /* kernels: not among ours */
	put64(at + shape->stamp, 17 + bytes);
	memcpy(file + at + shape->name, name, MIN(strlen(name) + 1, 64));
}

static int decode(size_t size)
{
	return metal_decode(file, size, &counters, &version);
}

TEST(every_layout_is_read_at_its_own_offsets)
{
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		make(&shapes[i]);
		put_slot(&shapes[i], 0, 4711, 100, "worker");
		put_slot(&shapes[i], 63, 42, 200, "python3");
		assert_int_equal(decode(shapes[i].size), 0);
		assert_int_equal(counters.version, shapes[i].version);
		assert_true(counters.updated_ns == 1763244000000000000);
		assert_true(counters.asic_id == 0x2F9C2B4A51D01A2B);
		assert_int_equal(counters.device_id, 5);
		assert_int_equal(counters.total[POOL_DRAM], 1000);
		assert_int_equal(counters.total[POOL_CB], 1004);
		assert_int_equal(counters.n_slots, 2);
		assert_int_equal(counters.slots[0].pid, 4711);
		assert_int_equal(counters.slots[0].bytes[POOL_DRAM], 100);
		assert_int_equal(counters.slots[0].bytes[POOL_L1], 101);
		assert_int_equal(counters.slots[0].bytes[POOL_L1_SMALL], 102);
		assert_int_equal(counters.slots[0].bytes[POOL_TRACE], 103);
		assert_int_equal(counters.slots[0].bytes[POOL_CB], 104);
		assert_int_equal(counters.slots[0].updated_ns, 117);
		assert_string_equal(counters.slots[0].name, "worker");
		assert_int_equal(counters.slots[1].pid, 42);
		assert_string_equal(counters.slots[1].name, "python3");
	}
}

TEST(all_slots_are_read_and_free_ones_are_skipped)
{
	make(&shapes[2]);
	for (size_t i = 0; i < METAL_SLOTS; i++)
		put_slot(&shapes[2], i, i % 3 ? (int32_t)(i % 3 == 1 ? 0 : -1) : (int32_t)i + 1, i,
			 "x");
	assert_int_equal(decode(8576), 0);
	assert_int_equal(counters.n_slots, 22);
	for (size_t i = 0; i < counters.n_slots; i++)
		assert_int_equal(counters.slots[i].pid, i * 3 + 1);
	for (size_t i = 0; i < METAL_SLOTS; i++)
		put_slot(&shapes[2], i, INT32_MAX, UINT64_MAX - 4, "x");
	assert_int_equal(decode(8576), 0);
	assert_int_equal(counters.n_slots, METAL_SLOTS);
}

TEST(a_name_without_a_terminator_is_terminated)
{
	char longest[65];

	memset(longest, 'n', 64);
	longest[64] = '\0';
	make(&shapes[2]);
	put_slot(&shapes[2], 0, 1, 0, longest);
	assert_int_equal(decode(8576), 0);
	assert_int_equal(strlen(counters.slots[0].name), 63);
}

TEST(a_size_that_does_not_match_the_version_is_rejected)
{
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		make(&shapes[i]);
		assert_int_equal(decode(shapes[i].size - 1), -EBADMSG);
		assert_int_equal(decode(shapes[i].size + 1), -EBADMSG);
		assert_int_equal(decode(4), -EBADMSG);
		assert_int_equal(decode(shapes[i].size == 9280 ? 8576 : 9280), -EBADMSG);
	}
}

TEST(a_file_under_construction_is_not_ready)
{
	memset(file, 0, sizeof(file));
	assert_int_equal(decode(0), -EAGAIN);
	for (size_t size = 1; size < 4; size++)
		assert_int_equal(decode(size), -EBADMSG);
	assert_int_equal(decode(8576), -EAGAIN);
}

TEST(a_newer_version_is_rejected_with_its_number)
{
	make(&shapes[3]);
	put32(0, 5);
	assert_int_equal(decode(8576), -EPROTONOSUPPORT);
	assert_int_equal(version, 5);
	put32(0, UINT32_MAX);
	assert_int_equal(decode(8576), -EPROTONOSUPPORT);
}

TEST(layout_4_waits_until_it_is_ready)
{
	make(&shapes[3]);
	put32(8536, 0);
	assert_int_equal(decode(8576), -EAGAIN);
	put32(8536, 1);
	assert_int_equal(decode(8576), -EAGAIN);
	put32(8536, 0x52454459);
	assert_int_equal(decode(8576), 0);
	/* The older ones have padding there. */
	make(&shapes[2]);
	put32(8536, 1);
	assert_int_equal(decode(8576), 0);
}

TEST(a_rejected_file_leaves_the_output_unchanged)
{
	memset(&counters, 0x5A, sizeof(counters));
	make(&shapes[3]);
	put32(8536, 0);
	assert_int_equal(decode(8576), -EAGAIN);
	assert_int_equal(counters.version, 0x5A5A5A5A);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_layout_is_read_at_its_own_offsets),
		cmocka_unit_test(all_slots_are_read_and_free_ones_are_skipped),
		cmocka_unit_test(a_name_without_a_terminator_is_terminated),
		cmocka_unit_test(a_size_that_does_not_match_the_version_is_rejected),
		cmocka_unit_test(a_file_under_construction_is_not_ready),
		cmocka_unit_test(a_newer_version_is_rejected_with_its_number),
		cmocka_unit_test(layout_4_waits_until_it_is_ready),
		cmocka_unit_test(a_rejected_file_leaves_the_output_unchanged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
