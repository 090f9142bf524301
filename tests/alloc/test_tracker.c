/*
 * Every valid and invalid report: result, counter, and what the reader sees.
 */
#include "reader.h"
#include "tracked.h"

#define LISTED	 2048u
#define UNLISTED 2048u

static struct tracker *tracker;
static struct reader reader;

static int tracker_setup(void **state)
{
	int fd;

	(void)state;
	tracker = tracker_memory();
	if (tracker_init(tracker, LISTED, UNLISTED, 0, 1, &fd) < 0 || reader_map(&reader, fd) < 0)
		return -1;
	close(fd);
	return tracker_identify(tracker, 0, &(struct table_device){ 0 });
}

static int tracker_teardown(void **state)
{
	(void)state;
	reader_done(&reader);
	tracker_done(tracker);
	free(tracker);
	return 0;
}

static struct table_pool_total total(uint32_t device, enum pool pool)
{
	struct table_pool_total result;

	assert_int_equal(table_read_pool(&reader.view, device, pool, &result), 0);
	return result;
}

static uint64_t misuse(enum table_misuse kind)
{
	return table_misuse_count(&reader.view, kind);
}

static uint64_t misuse_all(void)
{
	uint64_t sum = 0;

	for (int i = 0; i < TABLE_MISUSES; i++)
		sum += misuse((enum table_misuse)i);
	return sum;
}

static int alloc(uint64_t id, uint64_t size)
{
	return tracker_alloc(tracker, 0, POOL_DRAM, id, size, 100 + id);
}

static int release(uint64_t id)
{
	return tracker_free(tracker, 0, POOL_DRAM, id, 200 + id);
}

static unsigned list_count(uint64_t *ret_bytes)
{
	struct table_allocation allocation;
	struct table_cursor cursor = { 0 };
	unsigned count = 0;

	*ret_bytes = 0;
	while (table_next(&reader.view, &cursor, &allocation)) {
		count++;
		*ret_bytes += allocation.size;
	}
	assert_int_equal(cursor.invalid + cursor.changing, 0);
	return count;
}

static void allocation_is_listed_with_all_it_has(void **state)
{
	struct table_allocation allocation;
	struct table_cursor cursor = { 0 };

	(void)state;
	assert_int_equal(tracker_alloc(tracker, 0, POOL_TRACE, 0xabc, 77, 123), 0);
	assert_true(table_next(&reader.view, &cursor, &allocation));
	assert_int_equal(allocation.id, 0xabc);
	assert_int_equal(allocation.size, 77);
	assert_int_equal(allocation.time_ns, 123);
	assert_int_equal(allocation.device, 0);
	assert_int_equal(allocation.pool, POOL_TRACE);
	assert_false(table_next(&reader.view, &cursor, &allocation));
	assert_int_equal(total(0, POOL_TRACE).now_bytes, 77);
	assert_int_equal(total(0, POOL_TRACE).changed_ns, 123);
	assert_int_equal(total(0, POOL_DRAM).allocs, 0);
}

static void peak_stays_when_bytes_go(void **state)
{
	(void)state;
	assert_int_equal(alloc(1, 100), 0);
	assert_int_equal(alloc(2, 50), 0);
	assert_int_equal(release(1), 0);
	assert_int_equal(alloc(3, 20), 0);
	assert_int_equal(total(0, POOL_DRAM).now_bytes, 70);
	assert_int_equal(total(0, POOL_DRAM).peak_bytes, 150);
	assert_int_equal(total(0, POOL_DRAM).allocs, 3);
	assert_int_equal(total(0, POOL_DRAM).frees, 1);
	assert_int_equal(misuse_all(), 0);
}

/* The same address on another device or in another pool is another allocation. */
static void key_is_device_pool_and_id(void **state)
{
	(void)state;
	assert_int_equal(tracker_identify(tracker, 1, &(struct table_device){ 0 }), 0);
	assert_int_equal(tracker_alloc(tracker, 0, POOL_DRAM, 7, 1, 1), 0);
	assert_int_equal(tracker_alloc(tracker, 0, POOL_L1, 7, 2, 1), 0);
	assert_int_equal(tracker_alloc(tracker, 1, POOL_DRAM, 7, 4, 1), 0);
	assert_int_equal(tracker_free(tracker, 0, POOL_L1, 7, 2), 0);
	assert_int_equal(total(0, POOL_DRAM).now_bytes, 1);
	assert_int_equal(total(0, POOL_L1).now_bytes, 0);
	assert_int_equal(total(1, POOL_DRAM).now_bytes, 4);
	assert_int_equal(misuse_all(), 0);
}

static void double_free_is_counted_as_such(void **state)
{
	(void)state;
	assert_int_equal(alloc(1, 100), 0);
	assert_int_equal(release(1), 0);
	assert_int_equal(release(1), -ENOENT);
	assert_int_equal(misuse(TABLE_DOUBLE_FREE), 1);
	assert_int_equal(misuse_all(), 1);
	assert_int_equal(total(0, POOL_DRAM).frees, 1);
	/* A valid second free: it was allocated again. */
	assert_int_equal(alloc(1, 100), 0);
	assert_int_equal(release(1), 0);
	assert_int_equal(misuse_all(), 1);
}

/* Fault of the original server: frees of buffers never seen, and totals that wrapped below zero. */
static void unknown_free_is_counted_and_changes_nothing(void **state)
{
	(void)state;
	assert_int_equal(alloc(1, 100), 0);
	assert_int_equal(release(2), -ENOENT);
	assert_int_equal(misuse(TABLE_UNKNOWN_FREE), 1);
	assert_int_equal(misuse_all(), 1);
	assert_int_equal(total(0, POOL_DRAM).now_bytes, 100);
	assert_int_equal(total(0, POOL_DRAM).frees, 0);
}

/* Fault of the original server: a changed size at a reused address was ignored. */
static void same_id_twice_takes_the_new_size(void **state)
{
	struct table_allocation allocation;
	struct table_cursor cursor = { 0 };

	(void)state;
	assert_int_equal(alloc(1, 100), 0);
	assert_int_equal(alloc(1, 30), -EEXIST);
	assert_int_equal(misuse(TABLE_DUPLICATE), 1);
	assert_int_equal(misuse_all(), 1);
	assert_int_equal(total(0, POOL_DRAM).now_bytes, 30);
	assert_int_equal(total(0, POOL_DRAM).peak_bytes, 100);
	assert_int_equal(total(0, POOL_DRAM).allocs, 2);
	assert_int_equal(total(0, POOL_DRAM).frees, 1);
	assert_true(table_next(&reader.view, &cursor, &allocation));
	assert_int_equal(allocation.size, 30);
	assert_false(table_next(&reader.view, &cursor, &allocation));
	assert_int_equal(release(1), 0);
	assert_int_equal(total(0, POOL_DRAM).now_bytes, 0);
}

static void size_zero_is_ignored(void **state)
{
	(void)state;
	assert_int_equal(alloc(1, 0), -EINVAL);
	assert_int_equal(misuse(TABLE_ZERO_SIZE), 1);
	assert_int_equal(misuse_all(), 1);
	assert_int_equal(total(0, POOL_DRAM).allocs, 0);
}

static void overflow_is_ignored(void **state)
{
	(void)state;
	assert_int_equal(alloc(1, UINT64_MAX), -EOVERFLOW);
	assert_int_equal(alloc(1, TABLE_BYTES_MAX + 1), -EOVERFLOW);
	assert_int_equal(alloc(1, TABLE_BYTES_MAX), 0);
	assert_int_equal(alloc(2, 1), -EOVERFLOW);
	assert_int_equal(alloc(1, TABLE_BYTES_MAX + 1), -EOVERFLOW); /* as a replacement */
	assert_int_equal(misuse(TABLE_OVERFLOW), 4);
	assert_int_equal(misuse_all(), 4);
	assert_int_equal(total(0, POOL_DRAM).now_bytes, TABLE_BYTES_MAX);
	assert_int_equal(alloc(1, 5),
			 -EEXIST); /* the old size is subtracted before the limit is checked */
	assert_int_equal(total(0, POOL_DRAM).now_bytes, 5);
}

static void unknown_device_and_pool_are_ignored(void **state)
{
	(void)state;
	assert_int_equal(tracker_alloc(tracker, 64, 0, 1, 1, 1), -ENODEV);
	assert_int_equal(tracker_alloc(tracker, UINT32_MAX, 0, 1, 1, 1), -ENODEV);
	assert_int_equal(tracker_free(tracker, 64, 0, 1, 1), -ENODEV);
	assert_int_equal(tracker_failure(tracker, 64, 0), -ENODEV);
	assert_int_equal(misuse(TABLE_UNKNOWN_DEVICE), 4);
	assert_int_equal(tracker_alloc(tracker, 0, POOL_COUNT, 1, 1, 1), -EINVAL);
	assert_int_equal(tracker_free(tracker, 0, UINT32_MAX, 1, 1), -EINVAL);
	assert_int_equal(tracker_failure(tracker, 0, POOL_COUNT), -EINVAL);
	assert_int_equal(misuse(TABLE_UNKNOWN_POOL), 3);
	assert_int_equal(misuse_all(), 7);
}

static void failures_are_counted(void **state)
{
	(void)state;
	assert_int_equal(tracker_failure(tracker, 0, POOL_L1), 0);
	assert_int_equal(tracker_failure(tracker, 0, POOL_L1), 0);
	assert_int_equal(total(0, POOL_L1).failures, 2);
	assert_int_equal(total(0, POOL_L1).now_bytes, 0);
}

/*
 * Fault of the original server: a table that can fill. Totals stay right; the list says that it is
 * not complete.
 */
static void full_table_keeps_counting(void **state)
{
	uint64_t bytes;

	(void)state;
	for (uint64_t i = 0; i < LISTED + 10; i++)
		assert_int_equal(alloc(i, 3), 0);
	assert_int_equal(total(0, POOL_DRAM).now_bytes, 3 * (LISTED + 10));
	assert_int_equal(list_count(&bytes), LISTED);
	assert_int_equal(misuse(TABLE_UNLISTED), 10);
	assert_false(table_list_is_complete(&reader.view));

	for (uint64_t i = LISTED; i < LISTED + 10; i++)
		assert_int_equal(release(i), 0);
	assert_int_equal(total(0, POOL_DRAM).now_bytes, 3 * LISTED);
	assert_true(table_list_is_complete(&reader.view));

	/* A freed slot is used before an unlisted one. */
	assert_int_equal(release(5), 0);
	assert_int_equal(alloc(LISTED, 3), 0);
	assert_int_equal(misuse(TABLE_UNLISTED), 10);
	assert_int_equal(list_count(&bytes), LISTED);
}

/* Slots that one device has used and freed serve another, before unlisted ones. */
static void free_slots_serve_all_devices(void **state)
{
	uint64_t bytes;

	(void)state;
	assert_int_equal(tracker_identify(tracker, 1, &(struct table_device){ 0 }), 0);
	for (uint64_t i = 0; i < LISTED; i++)
		assert_int_equal(alloc(i, 3), 0);
	assert_int_equal(tracker_alloc(tracker, 1, POOL_DRAM, 1, 5, 1), 0);
	assert_int_equal(misuse(TABLE_UNLISTED), 1);
	for (uint64_t i = 0; i < LISTED; i++)
		assert_int_equal(release(i), 0);
	for (uint64_t i = 0; i < LISTED; i++)
		assert_int_equal(tracker_alloc(tracker, 1, POOL_L1, i, 7, 1), 0);
	assert_int_equal(misuse(TABLE_UNLISTED), 1);
	assert_int_equal(list_count(&bytes), LISTED);
	assert_int_equal(bytes, 7 * LISTED);
	/* A device whose lock is held at this moment keeps its free slots. */
	for (uint64_t i = 0; i < LISTED; i++)
		assert_int_equal(tracker_free(tracker, 1, POOL_L1, i, 1), 0);
	lock_take(&tracker->devices[1].lock);
	assert_int_equal(alloc(1, 3), 0);
	assert_int_equal(misuse(TABLE_UNLISTED), 2);
	lock_release(&tracker->devices[1].lock);
	assert_int_equal(alloc(2, 3), 0);
	assert_int_equal(misuse(TABLE_UNLISTED), 2);
}

static void out_of_everything_is_said_and_not_counted(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < LISTED + UNLISTED; i++)
		assert_int_equal(alloc(i, 1), 0);
	assert_int_equal(alloc(LISTED + UNLISTED, 1), -ENOSPC);
	assert_int_equal(misuse(TABLE_LOST), 1);
	assert_int_equal(total(0, POOL_DRAM).now_bytes, LISTED + UNLISTED);
	for (uint64_t i = 0; i < LISTED + UNLISTED; i++)
		assert_int_equal(release(i), 0);
	assert_int_equal(total(0, POOL_DRAM).now_bytes, 0);
	assert_true(table_list_is_complete(&reader.view));
}

static void what_is_held_on_several_devices_is_dropped_as_one(void **state)
{
	uint64_t bytes;
	uint32_t first, second;

	(void)state;
	for (uint32_t device = 1; device < 4; device++)
		assert_int_equal(tracker_identify(tracker, device, &(struct table_device){ 0 }), 0);
	first = tracker_hold(tracker, 0xd, POOL_L1, 77, 500, 3);
	second = tracker_hold(tracker, 0x2, POOL_L1, 78, 20, 4);
	alloc(1, 1000);
	for (uint32_t device = 0; device < 4; device++)
		assert_int_equal(total(device, POOL_L1).now_bytes, device == 1 ? 20 : 500);
	assert_int_equal(list_count(&bytes), 5);
	assert_int_equal(bytes, 3 * 500 + 20 + 1000);
	tracker_drop(tracker, first, 9);
	assert_int_equal(total(3, POOL_L1).now_bytes, 0);
	assert_int_equal(total(3, POOL_L1).frees, 1);
	assert_int_equal(total(3, POOL_L1).changed_ns, 9);
	assert_int_equal(list_count(&bytes), 2);
	/* Freed slots are available to all devices. */
	assert_int_equal(alloc(2, 5), 0);
	tracker_drop(tracker, tracker_hold(tracker, 0xf, POOL_TRACE, 79, 6, 10), 11);
	tracker_drop(tracker, second, 12);
	assert_int_equal(release(1), 0);
	assert_int_equal(release(2), 0);
	assert_int_equal(list_count(&bytes), 0);
	assert_int_equal(misuse_all(), 0);
}

static void what_cannot_be_held_is_left_out_and_counted(void **state)
{
	uint32_t held;
	uint64_t bytes;

	(void)state;
	assert_int_equal(tracker_identify(tracker, 1, &(struct table_device){ 0 }), 0);
	assert_int_equal(alloc(1, TABLE_BYTES_MAX), 0);
	held = tracker_hold(tracker, 3, POOL_DRAM, 2, 10, 1);
	assert_int_equal(misuse(TABLE_OVERFLOW), 1);
	assert_int_equal(total(0, POOL_DRAM).now_bytes, TABLE_BYTES_MAX);
	assert_int_equal(total(1, POOL_DRAM).now_bytes, 10);
	tracker_drop(tracker, held, 2);
	assert_int_equal(release(1), 0);
	for (unsigned i = 0; i < LISTED + UNLISTED; i++)
		assert_int_not_equal(tracker_hold(tracker, 1, POOL_DRAM, i, 10, 1), 0);
	assert_int_equal(tracker_hold(tracker, 3, POOL_DRAM, 2, 10, 1), 0);
	assert_int_equal(misuse(TABLE_LOST), 2);
	assert_int_equal(total(0, POOL_DRAM).now_bytes, 10 * (LISTED + UNLISTED));
	assert_int_equal(list_count(&bytes), LISTED);
	tracker_drop(tracker, 0, 2);
}

static void stated_identity_replaces_the_assumed_one(void **state)
{
	struct table_device device;

	(void)state;
	assert_int_equal(
		tracker_identify(tracker, 2,
				 &(struct table_device){ .known = TABLE_HAS_NODE | TABLE_HAS_BDF,
							 .node = 9,
							 .bdf = 0x100 }),
		0);
	assert_int_equal(table_devices(&reader.view), 1 << 2 | 1);
	assert_int_equal(
		tracker_identify(tracker, 2,
				 &(struct table_device){ .known = TABLE_HAS_NODE | TABLE_STATED,
							 .node = 3 }),
		0);
	assert_int_equal(table_read_device(&reader.view, 2, &device), 0);
	assert_int_equal(device.known, TABLE_HAS_NODE | TABLE_STATED);
	assert_int_equal(device.node, 3);
	/* A second statement adds to the first. */
	assert_int_equal(
		tracker_identify(tracker, 2,
				 &(struct table_device){ .known = TABLE_HAS_ASIC | TABLE_STATED,
							 .asic = 5 }),
		0);
	assert_int_equal(table_read_device(&reader.view, 2, &device), 0);
	assert_int_equal(device.known, TABLE_HAS_NODE | TABLE_HAS_ASIC | TABLE_STATED);
	assert_int_equal(device.asic, 5);
}

static void program_name_is_cut_to_fit(void **state)
{
	char text[TABLE_PROGRAM_MAX], name[200];

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	tracker_set_program(tracker, name);
	assert_int_equal(table_read_program(&reader.view, text), 0);
	assert_int_equal(strlen(text), 63);
	tracker_set_program(tracker, "short");
	assert_int_equal(table_read_program(&reader.view, text), 0);
	assert_string_equal(text, "short");
}

static void slot_takes_at_most_48_bytes(void **state)
{
	(void)state;
	assert_true(sizeof(struct table_slot) <= 48);
	assert_int_equal(reader.length, TABLE_SLOT_OFFSET + LISTED * sizeof(struct table_slot));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, tracker_setup, tracker_teardown)
	const struct CMUnitTest tests[] = {
		TEST(allocation_is_listed_with_all_it_has),
		TEST(peak_stays_when_bytes_go),
		TEST(key_is_device_pool_and_id),
		TEST(double_free_is_counted_as_such),
		TEST(unknown_free_is_counted_and_changes_nothing),
		TEST(same_id_twice_takes_the_new_size),
		TEST(size_zero_is_ignored),
		TEST(overflow_is_ignored),
		TEST(unknown_device_and_pool_are_ignored),
		TEST(failures_are_counted),
		TEST(full_table_keeps_counting),
		TEST(free_slots_serve_all_devices),
		TEST(out_of_everything_is_said_and_not_counted),
		TEST(what_is_held_on_several_devices_is_dropped_as_one),
		TEST(what_cannot_be_held_is_left_out_and_counted),
		TEST(stated_identity_replaces_the_assumed_one),
		TEST(program_name_is_cut_to_fit),
		TEST(slot_takes_at_most_48_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
