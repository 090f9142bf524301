/* The reader of tables, with handmade tables: valid, torn and forged ones. */
#include "reader.h"

#include "basic/seqlock.h"

#include <pthread.h>

#define SLOTS 16u
#define BYTES (TABLE_SLOT_OFFSET + SLOTS * sizeof(struct table_slot))

struct fake {
	struct table_header header;
	struct table_device_cell devices[TABLE_DEVICES];
	struct table_slot slots[SLOTS];
};

static_assert(sizeof(struct fake) == BYTES, "fake table");

static struct fake fake;

static int fake_make(void **state)
{
	(void)state;
	memset(&fake, 0, sizeof(fake));
	fake.header = (struct table_header){
		.magic = TABLE_MAGIC,
		.pid = 42,
		.start_ticks = 4711,
		.created = 17,
	};
	table_header_lay_out(&fake.header, SLOTS);
	return 0;
}

static struct table_view fake_view(void)
{
	struct table_view view;

	assert_int_equal(table_view_init(&view, &fake, sizeof(fake)), 0);
	return view;
}

static int fake_init(void)
{
	struct table_view view;

	return table_view_init(&view, &fake, sizeof(fake));
}

static void pool_put(uint32_t device, enum pool pool, const uint64_t word[TABLE_POOL_WORDS])
{
	struct table_pool_cell *cell = &fake.devices[device].pool[pool];

	seqlock_write(&cell->seq, cell->copy[0], TABLE_POOL_WORDS, word);
}

static int pool_get(uint64_t now, uint64_t peak, uint64_t allocs, uint64_t frees)
{
	struct table_view view = fake_view();
	struct table_pool_total total;

	pool_put(3, POOL_L1, (uint64_t[]){ now, peak, allocs, frees, 5, 6 });
	return table_read_pool(&view, 3, POOL_L1, &total);
}

static void header_is_read(void **state)
{
	struct table_view view = fake_view();

	(void)state;
	assert_int_equal(view.pid, 42);
	assert_int_equal(view.start_ticks, 4711);
	assert_int_equal(view.created_ns, 17);
	assert_int_equal(view.slot_capacity, SLOTS);
}

static void buffer_must_be_long_enough_and_aligned(void **state)
{
	struct table_view view;

	(void)state;
	assert_int_equal(table_view_init(&view, &fake, 0), -EBADMSG);
	assert_int_equal(table_view_init(&view, &fake, TABLE_SLOT_OFFSET - 1), -EBADMSG);
	assert_int_equal(table_view_init(&view, &fake, TABLE_SLOT_OFFSET), 0);
	assert_int_equal(table_view_init(&view, (char *)&fake + 4, BYTES - 4), -EINVAL);
}

static void unfinished_table_is_not_an_error_for_ever(void **state)
{
	(void)state;
	fake.header.magic = 0;
	assert_int_equal(fake_init(), -EAGAIN);
	fake.header.magic = TABLE_MAGIC + 1;
	assert_int_equal(fake_init(), -EBADMSG);
}

static void other_version_is_named_as_such(void **state)
{
	(void)state;
	fake.header.version = TABLE_VERSION + 1;
	assert_int_equal(fake_init(), -EPROTONOSUPPORT);
}

static void every_size_in_the_header_is_checked(void **state)
{
	uint32_t *const sizes[] = { &fake.header.header_size, &fake.header.device_size,
				    &fake.header.device_count, &fake.header.pool_count,
				    &fake.header.slot_size };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		*sizes[i] ^= 8;
		assert_int_equal(fake_init(), -EBADMSG);
		*sizes[i] ^= 8;
	}
	fake.header.slot_offset += 8;
	assert_int_equal(fake_init(), -EBADMSG);
	fake.header.slot_offset -= 8;
	assert_int_equal(fake_init(), 0);
}

static void huge_capacity_is_refused(void **state)
{
	(void)state;
	fake.header.slot_capacity = TABLE_SLOTS_MAX;
	assert_int_equal(fake_init(), 0);
	fake.header.slot_capacity = TABLE_SLOTS_MAX + 1;
	assert_int_equal(fake_init(), -EBADMSG);
	fake.header.slot_capacity = UINT64_MAX;
	assert_int_equal(fake_init(), -EBADMSG);
}

static void pool_is_read_whole(void **state)
{
	struct table_view view = fake_view();
	struct table_pool_total total;

	(void)state;
	pool_put(63, POOL_KERNEL, (uint64_t[]){ 1, 2, 5, 4, 6, 7 });
	assert_int_equal(table_read_pool(&view, 63, POOL_KERNEL, &total), 0);
	assert_int_equal(total.now_bytes, 1);
	assert_int_equal(total.peak_bytes, 2);
	assert_int_equal(total.allocs, 5);
	assert_int_equal(total.frees, 4);
	assert_int_equal(total.failures, 6);
	assert_int_equal(total.changed_ns, 7);
}

static void contradictions_are_refused(void **state)
{
	(void)state;
	assert_int_equal(pool_get(10, 10, 2, 1), 0);
	assert_int_equal(pool_get(11, 10, 2, 1), -EBADMSG); /* more than its peak */
	assert_int_equal(pool_get(10, 10, 1, 2), -EBADMSG); /* more frees than allocations */
	assert_int_equal(pool_get(10, 10, 2, 2), -EBADMSG); /* bytes without an allocation */
	assert_int_equal(pool_get(2, 10, 4, 1), -EBADMSG);  /* three allocations in two bytes */
	assert_int_equal(pool_get(0, 10, 2, 2), 0);
	assert_int_equal(pool_get(1, TABLE_BYTES_MAX, 1, 0), 0);
	assert_int_equal(pool_get(1, TABLE_BYTES_MAX + 1, 1, 0), -EBADMSG); /* sums must not wrap */
}

/* A writer killed in the middle of a change has modified the copy after the current one. */
static void half_a_change_is_not_seen(void **state)
{
	struct table_pool_cell *cell = &fake.devices[3].pool[POOL_L1];
	struct table_view view = fake_view();
	struct table_pool_total total;

	(void)state;
	for (uint64_t i = 1; i <= 2 * TABLE_COPIES; i++) {
		pool_put(3, POOL_L1, (uint64_t[]){ i, i, i, 0, 0, 0 });
		for (size_t words = 0; words < TABLE_POOL_WORDS; words++) {
			uint64_t *next = cell->copy[(cell->seq + 1) % TABLE_COPIES];

			next[words] = 0xdead;
			assert_int_equal(table_read_pool(&view, 3, POOL_L1, &total), 0);
			assert_int_equal(total.now_bytes, i);
			assert_int_equal(total.allocs, i);
		}
	}
}

static void *seq_run(void *stop)
{
	while (!__atomic_load_n((bool *)stop, __ATOMIC_RELAXED))
		__atomic_fetch_add(&fake.devices[3].pool[POOL_L1].seq, 3, __ATOMIC_RELAXED);
	return NULL;
}

/* Every call must return, with one of two results; all figures are zero. */
static void runaway_sequence_cannot_hold_a_reader(void **state)
{
	struct table_view view = fake_view();
	struct table_pool_total total;
	bool stop = false;
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, seq_run, &stop), 0);
	for (int i = 0; i < 10000; i++) {
		int r = table_read_pool(&view, 3, POOL_L1, &total);

		assert_true(r == 0 || r == -EAGAIN);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
}

static void identity_is_read_and_checked(void **state)
{
	struct table_device_cell *cell = &fake.devices[7];
	struct table_view view = fake_view();
	struct table_device device;

	(void)state;
	assert_int_equal(table_read_device(&view, 7, &device), 0);
	assert_int_equal(device.known, 0);
	seqlock_write(&cell->seq, cell->copy[0], TABLE_DEVICE_WORDS,
		      (uint64_t[]){ TABLE_HAS_NODE | TABLE_HAS_BDF, 31, 0x10100, 0 });
	assert_int_equal(table_read_device(&view, 7, &device), 0);
	assert_int_equal(device.known, TABLE_HAS_NODE | TABLE_HAS_BDF);
	assert_int_equal(device.node, 31);
	assert_int_equal(device.bdf, 0x10100);
	seqlock_write(&cell->seq, cell->copy[0], TABLE_DEVICE_WORDS, (uint64_t[]){ 16, 0, 0, 0 });
	assert_int_equal(table_read_device(&view, 7, &device), -EBADMSG);
	seqlock_write(&cell->seq, cell->copy[0], TABLE_DEVICE_WORDS,
		      (uint64_t[]){ 1, TABLE_NODE_MAX + 1, 0, 0 });
	assert_int_equal(table_read_device(&view, 7, &device), -EBADMSG);
}

static void name_without_an_end_is_refused(void **state)
{
	struct table_view view = fake_view();
	char text[TABLE_PROGRAM_MAX];
	uint64_t word[TABLE_PROGRAM_WORDS];

	(void)state;
	assert_int_equal(table_read_program(&view, text), 0);
	assert_string_equal(text, "");
	memset(word, 'x', sizeof(word));
	seqlock_write(&fake.header.program_seq, fake.header.program[0], TABLE_PROGRAM_WORDS, word);
	assert_int_equal(table_read_program(&view, text), -EBADMSG);
	((char *)word)[63] = '\0';
	seqlock_write(&fake.header.program_seq, fake.header.program[0], TABLE_PROGRAM_WORDS, word);
	assert_int_equal(table_read_program(&view, text), 0);
	assert_int_equal(strlen(text), 63);
}

static void slot_put(uint32_t at, uint64_t meta, uint64_t size)
{
	fake.slots[at] = (struct table_slot){ .meta = meta, .id = at, .size = size, .time = 9 };
}

static void impossible_slots_are_left_out_and_counted(void **state)
{
	struct table_view view = fake_view();
	struct table_allocation allocation;
	struct table_cursor cursor = { 0 };

	(void)state;
	fake.header.slots_used = SLOTS;
	slot_put(0, 1, 100);
	slot_put(1, 2, 100);			  /* free */
	slot_put(2, 3 | UINT64_C(64) << 32, 100); /* no such device */
	slot_put(3, 3 | UINT64_C(7) << 48, 100);  /* no such pool */
	slot_put(4, 3 | UINT64_C(1) << 56, 100);  /* reserved */
	slot_put(5, 3, 0);			  /* no size */
	slot_put(6, 3, TABLE_BYTES_MAX + 1);
	slot_put(15, 5 | UINT64_C(63) << 32 | UINT64_C(6) << 48, 7);

	assert_true(table_next(&view, &cursor, &allocation));
	assert_int_equal(allocation.id, 0);
	assert_int_equal(allocation.size, 100);
	assert_int_equal(allocation.time_ns, 9);
	assert_true(table_next(&view, &cursor, &allocation));
	assert_int_equal(allocation.id, 15);
	assert_int_equal(allocation.device, 63);
	assert_int_equal(allocation.pool, POOL_KERNEL);
	assert_false(table_next(&view, &cursor, &allocation));
	assert_int_equal(cursor.invalid, 5);
	assert_int_equal(cursor.changing, 0);
}

/* Address sanitizer detects a read beyond the buffer; the count shows that there is none. */
static void counts_are_bounded_by_the_buffer(void **state)
{
	size_t length = TABLE_SLOT_OFFSET + 5 * sizeof(struct table_slot) + 31;
	struct fake *copy = malloc(length);
	struct table_view view;
	struct table_allocation allocation;
	struct table_cursor cursor = { 0 };
	int found = 0;

	(void)state;
	for (uint32_t i = 0; i < SLOTS; i++)
		slot_put(i, 1, 1);
	fake.header.slots_used = UINT64_MAX;
	fake.header.slot_capacity = TABLE_SLOTS_MAX;
	memcpy(copy, &fake, length);
	assert_int_equal(table_view_init(&view, copy, length), 0);
	while (table_next(&view, &cursor, &allocation))
		found++;
	assert_int_equal(found, 5);
	assert_false(table_list_is_complete(&view));
	free(copy);
}

static void list_says_when_it_is_not_complete(void **state)
{
	struct table_view view = fake_view();

	(void)state;
	fake.header.slots_used = SLOTS;
	assert_true(table_list_is_complete(&view));
	fake.header.unlisted = 1;
	assert_false(table_list_is_complete(&view));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, fake_make)
	const struct CMUnitTest tests[] = {
		TEST(header_is_read),
		TEST(buffer_must_be_long_enough_and_aligned),
		TEST(unfinished_table_is_not_an_error_for_ever),
		TEST(other_version_is_named_as_such),
		TEST(every_size_in_the_header_is_checked),
		TEST(huge_capacity_is_refused),
		TEST(pool_is_read_whole),
		TEST(contradictions_are_refused),
		TEST(half_a_change_is_not_seen),
		TEST(runaway_sequence_cannot_hold_a_reader),
		TEST(identity_is_read_and_checked),
		TEST(name_without_an_end_is_refused),
		TEST(impossible_slots_are_left_out_and_counted),
		TEST(counts_are_bounded_by_the_buffer),
		TEST(list_says_when_it_is_not_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
