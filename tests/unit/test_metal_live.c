/*
 * Buffers that a process held before the attach, read from handmade memory with possible defects.
 */
#include "metal/live.h"
#include "unit.h"

#include <errno.h>

#define BASE	  UINT64_C(0x7f0000000000)
#define ALLOCATOR (BASE + 0x1000)
#define NODES	  (BASE + 0x4000)
#define BUFFERS	  (BASE + 0x20000)
#define DEVICE	  (BASE + 0x800)

static uint8_t memory[0x60000];
static unsigned reads, fail_read;

static const struct metal_shape shape = {
	.device = 16,
	.size = 24,
	.type = 32,
	.owns_data = 43,
	.allocator = 64,
	.status = 72,
	.dry_run = 73,
	.address = 80,
	.allocated_mask = 2,
};

static uint64_t set_at; /* offset in the allocator */

static int read_memory(void *arg, uint64_t address, void *to, size_t length)
{
	(void)arg;
	if (++reads == fail_read)
		return -ESRCH;
	if (address < BASE || address - BASE > sizeof(memory) ||
	    length > sizeof(memory) - (address - BASE))
		return -EFAULT;
	memcpy(to, memory + (address - BASE), length);
	return 0;
}

static const struct metal_memory from = { read_memory, NULL };

static void put(uint64_t address, uint64_t value, size_t width)
{
	memcpy(memory + (address - BASE), &value, width);
}

static uint64_t node_at(size_t i)
{
	return NODES + i * 32;
}

static uint64_t buffer_at(size_t i)
{
	return BUFFERS + i * 256;
}

static void put_buffer(size_t i, uint64_t size, unsigned type)
{
	uint64_t at = buffer_at(i);

	put(at + shape.device, DEVICE, 8);
	put(at + shape.size, size, 8);
	put(at + shape.type, type, 4);
	put(at + shape.owns_data, 1, 1);
	put(at + shape.allocator, ALLOCATOR, 8);
	put(at + shape.status, 1, 1);
	put(at + shape.address, 0x100 * i, 8);
	put(node_at(i) + 8, at, 8);
}

/* A set with the given number of buffers, as in libstdc++. */
static void make(size_t offset, size_t count)
{
	uint64_t set = ALLOCATOR + offset;

	memset(memory, 0, sizeof(memory));
	set_at = set;
	reads = fail_read = 0;
	put(set, count ? BASE + 0x3000 : set + 48, 8);
	put(set + 8, count ? 251 : 1, 8);
	put(set + 16, count ? node_at(0) : 0, 8);
	put(set + 24, count, 8);
	put(set + 32, 0x3f800000, 4);
	put(set + 40, count ? 251 : 0, 8);
	for (size_t i = 0; i < count; i++) {
		put_buffer(i, 1000 + i, (unsigned)i % METAL_TYPES);
		put(node_at(i), i + 1 < count ? node_at(i + 1) : 0, 8);
	}
}

static struct metal_buffer *buffers;
static size_t count;

static int look_as(const struct metal_shape *as)
{
	free(buffers);
	buffers = NULL;
	count = 99;
	return metal_live_buffers(as, &from, ALLOCATOR, &buffers, &count);
}

static int look(void)
{
	return look_as(&shape);
}

static int forget(void **state)
{
	(void)state;
	free(buffers);
	buffers = NULL;
	return 0;
}

TEST(the_set_is_found_in_each_version)
{
	static const size_t offsets[] = { 264, 304, 312 };

	for (size_t i = 0; i < ARRAY_SIZE(offsets); i++) {
		make(offsets[i], 7);
		assert_int_equal(look(), 0);
		assert_int_equal(count, 7);
		for (size_t k = 0; k < count; k++) {
			assert_int_equal(buffers[k].self, buffer_at(k));
			assert_int_equal(buffers[k].size, 1000 + k);
			assert_int_equal(buffers[k].type, k % METAL_TYPES);
			assert_int_equal(buffers[k].device, DEVICE);
			assert_int_equal(buffers[k].address, 0x100 * k);
		}
	}
}

TEST(an_empty_set_is_known_to_be_empty)
{
	make(312, 0);
	assert_int_equal(look(), 0);
	assert_int_equal(count, 0);
}

TEST(an_unrecognised_set_is_not_an_empty_set)
{
	make(312, 0);
	memset(memory, 0, sizeof(memory));
	assert_int_equal(look(), -EBADMSG);
	make(312, 0);
	put(set_at + 32, 0, 4); /* the load factor */
	assert_int_equal(look(), -EBADMSG);
	make(320, 3); /* a version that keeps it elsewhere */
	assert_int_equal(look(), -EBADMSG);
	assert_null(buffers);
}

TEST(buffers_without_memory_are_ignored)
{
	make(304, 5);
	put(buffer_at(0) + shape.status, 0, 1);
	put(buffer_at(1) + shape.status, 2, 1);
	put(buffer_at(2) + shape.owns_data, 0, 1);
	put(buffer_at(3) + shape.dry_run, 1, 1);
	assert_int_equal(look(), 0);
	assert_int_equal(count, 1);
	assert_int_equal(buffers[0].self, buffer_at(4));
}

TEST(both_numberings_of_old_releases_mean_memory)
{
	struct metal_shape old = shape;

	old.allocated_mask = 6;
	make(264, 2);
	put(buffer_at(1) + shape.status, 2, 1);
	assert_int_equal(look_as(&old), 0);
	assert_int_equal(count, 2);
}

TEST(a_cycle_of_nodes_is_detected)
{
	make(312, 6);
	put(node_at(5), node_at(0), 8);
	assert_int_equal(look(), -EBADMSG);
	make(312, 6);
	put(node_at(2), node_at(2), 8);
	assert_int_equal(look(), -EBADMSG);
	assert_true(reads < 100);
}

TEST(a_duplicate_buffer_is_an_error)
{
	make(312, 6);
	put(node_at(4) + 8, buffer_at(1), 8);
	assert_int_equal(look(), -EBADMSG);
}

TEST(a_wrong_number_of_elements_is_a_concurrent_change)
{
	make(312, 6);
	put(set_at + 24, 5, 8);
	assert_int_equal(look(), -EBADMSG);
	make(312, 6);
	put(set_at + 24, 7, 8);
	assert_int_equal(look(), -EBADMSG);
	make(312, 6);
	put(set_at + 24, UINT64_MAX, 8);
	assert_int_equal(look(), -EBADMSG);
}

TEST(an_invalid_buffer_invalidates_the_set)
{
	static const struct {
		size_t offset, width;
		uint64_t value;
	} wrong[] = {
		{ 16, 8, 7 },
		{ 16, 8, UINT64_C(0xffff888000000000) },
		{ 32, 4, 5 },
		{ 43, 1, 2 },
		{ 64, 8, ALLOCATOR + 8 },
		{ 72, 1, 4 },
		{ 73, 1, 9 },
		{ 24, 8, METAL_SIZE_MAX + 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		make(312, 4);
		put(buffer_at(2) + wrong[i].offset, wrong[i].value, wrong[i].width);
		assert_int_equal(look(), -EBADMSG);
	}
}

TEST(invalid_pointers_are_errors)
{
	make(312, 4);
	put(node_at(1), BASE + sizeof(memory) + 0x1000, 8);
	assert_int_equal(look(), -EFAULT);
	make(312, 4);
	put(node_at(1) + 8, 0x10, 8);
	assert_int_equal(look(), -EBADMSG);
	assert_int_equal(metal_live_buffers(&shape, &from, 12, &buffers, &count), -EBADMSG);
}

/* Whichever read fails: nothing leaks, and no partial result is returned. */
TEST(a_process_may_die_at_any_read)
{
	unsigned total;

	make(312, 4);
	assert_int_equal(look(), 0);
	total = reads;
	for (unsigned i = 4; i <= total; i++) {
		make(312, 4);
		fail_read = i;
		assert_int_equal(look(), -ESRCH);
		assert_null(buffers);
		assert_int_equal(count, 99);
	}
}

static int changing_read(void *arg, uint64_t address, void *to, size_t length)
{
	if (address == node_at(3))
		put(set_at + 24, 5, 8);
	return read_memory(arg, address, to, length);
}

TEST(a_set_that_changed_meanwhile_is_not_returned)
{
	const struct metal_memory changing = { changing_read, NULL };

	make(312, 4);
	assert_int_equal(metal_live_buffers(&shape, &changing, ALLOCATOR, &buffers, &count),
			 -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_set_is_found_in_each_version),
		cmocka_unit_test(an_empty_set_is_known_to_be_empty),
		cmocka_unit_test(an_unrecognised_set_is_not_an_empty_set),
		cmocka_unit_test(buffers_without_memory_are_ignored),
		cmocka_unit_test(both_numberings_of_old_releases_mean_memory),
		cmocka_unit_test(a_cycle_of_nodes_is_detected),
		cmocka_unit_test(a_duplicate_buffer_is_an_error),
		cmocka_unit_test(a_wrong_number_of_elements_is_a_concurrent_change),
		cmocka_unit_test(an_invalid_buffer_invalidates_the_set),
		cmocka_unit_test(invalid_pointers_are_errors),
		cmocka_unit_test(a_process_may_die_at_any_read),
		cmocka_unit_test(a_set_that_changed_meanwhile_is_not_returned),
	};

	return cmocka_run_group_tests(tests, NULL, forget);
}
