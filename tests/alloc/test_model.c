/*
 * Random reports, compared with a trivial model: after every step the reader must see exactly what
 * the model holds.
 *
 * The second test does the same with threads, each with its own ids and model, while another one
 * reads: the figures must always be consistent, and in the end equal to the sum.
 */
#include "reader.h"
#include "tracked.h"

#include "ttalloc.h"

#include <pthread.h>

#define DEVICES 3u
#define IDS	40u
#define STEPS	20000
#define LISTED	128u
#define MORE	64u
#define THREADS 4

struct model {
	uint64_t size[DEVICES][POOL_COUNT][IDS]; /* 0: not held */
	struct table_pool_total total[DEVICES][POOL_COUNT];
	uint64_t misuse[TABLE_MISUSES];
	unsigned held;
};

static uint64_t random_next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static int model_alloc(struct model *model, uint32_t device, uint32_t pool, uint32_t id,
		       uint64_t size)
{
	struct table_pool_total *total = &model->total[device][pool];
	uint64_t *held = &model->size[device][pool][id];
	int r = 0;

	if (size == 0)
		return model->misuse[TABLE_ZERO_SIZE]++, -EINVAL;
	if (size > TABLE_BYTES_MAX || total->now_bytes - *held + size > TABLE_BYTES_MAX)
		return model->misuse[TABLE_OVERFLOW]++, -EOVERFLOW;
	if (*held == 0 && model->held == LISTED + MORE)
		return model->misuse[TABLE_LOST]++, -ENOSPC;
	if (*held) {
		model->misuse[TABLE_DUPLICATE]++;
		total->frees++;
		r = -EEXIST;
	} else {
		model->held++;
	}
	total->now_bytes += size - *held;
	total->peak_bytes = MAX(total->peak_bytes, total->now_bytes);
	total->allocs++;
	*held = size;
	return r;
}

static int model_free(struct model *model, uint32_t device, uint32_t pool, uint32_t id)
{
	struct table_pool_total *total = &model->total[device][pool];
	uint64_t *held = &model->size[device][pool][id];

	/* Two kinds of misuse: which of them is reported depends on the number of frees since. */
	if (*held == 0)
		return model->misuse[TABLE_UNKNOWN_FREE]++, -ENOENT;
	total->now_bytes -= *held;
	total->frees++;
	*held = 0;
	model->held--;
	return 0;
}

static void totals_compare(const struct model *model, const struct table_view *view)
{
	for (uint32_t device = 0; device < DEVICES; device++) {
		for (uint32_t pool = 0; pool < POOL_COUNT; pool++) {
			const struct table_pool_total *want = &model->total[device][pool];
			struct table_pool_total got;

			assert_int_equal(table_read_pool(view, device, pool, &got), 0);
			assert_int_equal(got.now_bytes, want->now_bytes);
			assert_int_equal(got.peak_bytes, want->peak_bytes);
			assert_int_equal(got.allocs, want->allocs);
			assert_int_equal(got.frees, want->frees);
		}
	}
}

static void list_compare(const struct model *model, const struct table_view *view)
{
	bool seen[DEVICES][POOL_COUNT][IDS] = { 0 };
	struct table_allocation allocation;
	struct table_cursor cursor = { 0 };
	unsigned count = 0;

	while (table_next(view, &cursor, &allocation)) {
		assert_true(allocation.device < DEVICES && allocation.id < IDS);
		assert_false(seen[allocation.device][allocation.pool][allocation.id]);
		seen[allocation.device][allocation.pool][allocation.id] = true;
		assert_int_equal(allocation.size,
				 model->size[allocation.device][allocation.pool][allocation.id]);
		count++;
	}
	assert_int_equal(cursor.invalid + cursor.changing, 0);
	if (table_list_is_complete(view))
		assert_int_equal(count, model->held);
	else
		assert_true(count < model->held);
}

static void misuse_compare(const struct model *model, const struct table_view *view)
{
	for (int i = TABLE_DUPLICATE; i < TABLE_MISUSES; i++) {
		if (i != TABLE_UNLISTED)
			assert_int_equal(table_misuse_count(view, (enum table_misuse)i),
					 model->misuse[i]);
	}
	assert_int_equal(table_misuse_count(view, TABLE_DOUBLE_FREE) +
				 table_misuse_count(view, TABLE_UNKNOWN_FREE),
			 model->misuse[TABLE_UNKNOWN_FREE]);
}

static uint64_t random_size(uint64_t *seed)
{
	switch (random_next(seed) % 20) {
	case 0: return 0;
	case 1: return TABLE_BYTES_MAX;
	case 2: return UINT64_MAX;
	default: return 1 + random_next(seed) % 100000;
	}
}

/* The probability of an allocation changes slowly, so that the table fills and empties. */
static void step(struct tracker *tracker, struct model *model, uint64_t *seed, int n)
{
	uint32_t device = random_next(seed) % DEVICES;
	uint32_t pool = random_next(seed) % POOL_COUNT;
	uint32_t id = random_next(seed) % IDS;

	if (random_next(seed) % 10 < (n / 1000 % 2 ? 7u : 3u)) {
		uint64_t size = random_size(seed);

		assert_int_equal(tracker_alloc(tracker, device, pool, id, size, 1),
				 model_alloc(model, device, pool, id, size));
	} else {
		assert_int_equal(tracker_free(tracker, device, pool, id, 1),
				 model_free(model, device, pool, id));
	}
}

static void client_and_model_agree_after_every_step(void **state)
{
	struct tracker *tracker = tracker_memory();
	struct model *model = calloc(1, sizeof(*model));
	struct reader reader;
	uint64_t seed = 88172645463325252;
	int fd;

	(void)state;
	assert_int_equal(tracker_init(tracker, LISTED, MORE, 0, 1, &fd), 0);
	assert_int_equal(reader_map(&reader, fd), 0);
	for (uint32_t i = 0; i < DEVICES; i++)
		assert_int_equal(tracker_identify(tracker, i, &(struct table_device){ 0 }), 0);
	for (int n = 0; n < STEPS; n++) {
		step(tracker, model, &seed, n);
		totals_compare(model, &reader.view);
		list_compare(model, &reader.view);
		misuse_compare(model, &reader.view);
	}
	/* Checks that the test reached these states. */
	for (int i = TABLE_UNKNOWN_FREE; i < TABLE_MISUSES; i++) {
		if (i != TABLE_UNKNOWN_DEVICE && i != TABLE_UNKNOWN_POOL)
			assert_true(table_misuse_count(&reader.view, (enum table_misuse)i) > 0);
	}
	reader_done(&reader);
	close(fd);
	tracker_done(tracker);
	free(tracker);
	free(model);
}

/* Grows the index through several rounds of splits and empties it again. */
static void many_ids_are_all_found_again(void **state)
{
	struct tracker *tracker = tracker_memory();
	const uint64_t count = 100000;
	int fd;

	(void)state;
	assert_int_equal(tracker_init(tracker, 1 << 17, 0, 0, 1, &fd), 0);
	assert_int_equal(tracker_identify(tracker, 0, &(struct table_device){ 0 }), 0);
	for (uint64_t i = 0; i < count; i++)
		assert_int_equal(tracker_alloc(tracker, 0, 0, i << 12, 1 + i % 7, 1), 0);
	for (uint64_t i = 0; i < count; i++)
		assert_int_equal(tracker_free(tracker, 0, 0, (i * 7919 % count) << 12, 1), 0);
	assert_int_equal(tracker->devices[0].pool[0][TABLE_NOW], 0);
	close(fd);
	tracker_done(tracker);
	free(tracker);
}

/* Finds the n-th id whose hash ends in twelve zeros, on device 0 in pool 0. */
static uint64_t colliding_id(uint64_t *after)
{
	do
		++*after;
	while (index_hash(slot_where(0, POOL_DRAM), *after) & 0xfff);
	return *after;
}

/* They all fall into one bucket, which continues in overflow lines; splitting it does not help. */
static void colliding_ids_are_all_found_again(void **state)
{
	enum { COUNT = 300 };
	struct tracker *tracker = tracker_memory();
	uint64_t id[COUNT], after = 0;
	int fd;

	(void)state;
	assert_int_equal(tracker_init(tracker, 2048, 0, 0, 1, &fd), 0);
	assert_int_equal(tracker_identify(tracker, 0, &(struct table_device){ 0 }), 0);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < COUNT; i++) {
			id[i] = round ? id[i] : colliding_id(&after);
			assert_int_equal(tracker_alloc(tracker, 0, POOL_DRAM, id[i], 1, 1), 0);
		}
		assert_true(tracker->devices[0].index.overflow_used >= COUNT / INDEX_LINE - 1);
		for (int i = 0; i < COUNT; i++)
			assert_int_equal(tracker_free(tracker, 0, POOL_DRAM,
						      id[i * (round ? 7 : 1) % COUNT], 1),
					 0);
		assert_int_equal(tracker_free(tracker, 0, POOL_DRAM, id[0], 1), -ENOENT);
	}
	/* The lines were given back and used again. */
	assert_true(tracker->devices[0].index.overflow_used <= COUNT / INDEX_LINE + 1);
	close(fd);
	tracker_done(tracker);
	free(tracker);
}

struct player {
	struct model model;
	unsigned number;
	bool wrong;
};

static void *player_run(void *arg)
{
	struct player *player = arg;
	uint64_t seed = 88172645463325252u + player->number;

	for (int n = 0; n < STEPS; n++) {
		uint32_t device = random_next(&seed) % DEVICES;
		uint32_t pool = random_next(&seed) % POOL_COUNT;
		uint32_t id = random_next(&seed) % 8;
		uint64_t own = player->number * IDS + id; /* others never use it */
		uint64_t size = 1 + random_next(&seed) % 4096;
		int r, want;

		if (random_next(&seed) % 2) {
			r = ttalloc_report_alloc(device, (enum ttalloc_pool)pool, own, size);
			want = model_alloc(&player->model, device, pool, id, size);
		} else {
			r = ttalloc_report_free(device, (enum ttalloc_pool)pool, own);
			want = model_free(&player->model, device, pool, id);
		}
		player->wrong |= r != want;
	}
	return NULL;
}

struct watcher {
	struct reader reader;
	bool stop;
	bool wrong;
	uint64_t reads;
};

static void *watcher_run(void *arg)
{
	struct watcher *watcher = arg;

	while (!__atomic_load_n(&watcher->stop, __ATOMIC_RELAXED)) {
		struct table_allocation allocation;
		struct table_cursor cursor = { 0 };
		struct table_pool_total total;

		for (uint32_t i = 0; i < DEVICES * POOL_COUNT; i++) {
			int r = table_read_pool(&watcher->reader.view, i / POOL_COUNT,
						i % POOL_COUNT, &total);

			watcher->wrong |= r < 0 && r != -EAGAIN;
			watcher->reads += r == 0;
		}
		while (table_next(&watcher->reader.view, &cursor, &allocation))
			watcher->wrong |= allocation.size > 4096 || allocation.device >= DEVICES;
		watcher->wrong |= cursor.invalid > 0;
	}
	return NULL;
}

static struct player players[THREADS];

static void sum_compare(const struct table_view *view)
{
	for (uint32_t device = 0; device < DEVICES; device++) {
		for (uint32_t pool = 0; pool < POOL_COUNT; pool++) {
			struct table_pool_total got;
			uint64_t now = 0, allocs = 0;

			for (int i = 0; i < THREADS; i++) {
				now += players[i].model.total[device][pool].now_bytes;
				allocs += players[i].model.total[device][pool].allocs;
			}
			CHECK_EQUAL(table_read_pool(view, device, pool, &got), 0);
			CHECK_EQUAL(got.now_bytes, now);
			CHECK_EQUAL(got.allocs, allocs);
		}
	}
}

static void threads_play(void)
{
	static struct watcher watcher;
	pthread_t thread[THREADS], watching;

	ttalloc_poll();
	CHECK_EQUAL(reader_open(&watcher.reader, getpid()), 0);
	CHECK_EQUAL(pthread_create(&watching, NULL, watcher_run, &watcher), 0);
	for (unsigned i = 0; i < THREADS; i++) {
		players[i].number = i;
		CHECK_EQUAL(pthread_create(&thread[i], NULL, player_run, &players[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		CHECK(!players[i].wrong);
	}
	__atomic_store_n(&watcher.stop, true, __ATOMIC_RELAXED);
	pthread_join(watching, NULL);
	CHECK(!watcher.wrong);
	CHECK(watcher.reads > 0);
	sum_compare(&watcher.reader.view);
}

static void threads_and_models_agree_in_the_end(void **state)
{
	(void)state;
	isolated(threads_play);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(client_and_model_agree_after_every_step),
		cmocka_unit_test(many_ids_are_all_found_again),
		cmocka_unit_test(colliding_ids_are_all_found_again),
		cmocka_unit_test(threads_and_models_agree_in_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
