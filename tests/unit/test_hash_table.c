/* The hash table compared with a plain array, with good hashes and colliding ones. */
#include "basic/hash_table.h"
#include "unit.h"

#include <errno.h>
#include <string.h>

struct number {
	uint32_t key;
	uint32_t value;
	uint64_t used;
};

enum { KEYS = 512 };

static size_t memory; /* bytes in use */
static bool exhausted;

static uint64_t good_hash(const void *entry)
{
	return hash_u64(((const struct number *)entry)->key);
}

/* Four home slots for all keys, at the end of the table, so that probing wraps around. */
static uint64_t bad_hash(const void *entry)
{
	return UINT64_MAX - ((const struct number *)entry)->key % 4;
}

static bool same_key(const void *a, const void *b)
{
	return ((const struct number *)a)->key == ((const struct number *)b)->key;
}

static void *number_alloc(size_t bytes)
{
	void *p = exhausted ? NULL : calloc(1, bytes);

	memory += p ? bytes : 0;
	return p;
}

static void number_release(void *p, size_t bytes)
{
	memory -= bytes;
	free(p);
}

#define KIND(function)                                                                         \
	(struct hash_kind)                                                                     \
	{                                                                                      \
		.entry_size = sizeof(struct number), .used_at = offsetof(struct number, used), \
		.hash = function, .same_key = same_key, .alloc = number_alloc,                 \
		.release = number_release,                                                     \
	}

/* Expected content: 0 for a key that is not in the table. */
static void compare(const struct hash_table *table, const struct hash_kind *kind,
		    const uint32_t *values)
{
	size_t count = 0, walked = 0;

	for (uint32_t key = 0; key < KEYS; key++) {
		const struct number *found =
			hash_table_find(table, kind, &(struct number){ .key = key });

		assert_int_equal(found ? found->value : 0, values[key]);
		count += found != NULL;
	}
	for (size_t i = 0; i < table->room; i++)
		walked += hash_table_at(table, kind, i) != NULL;
	assert_int_equal(table->count, count);
	assert_int_equal(walked, count);
}

static void change_at_random(const struct hash_kind *kind, uint64_t seed)
{
	struct hash_table table = { 0 };
	uint32_t values[KEYS] = { 0 };

	for (uint32_t step = 1; step <= 4000; step++) {
		/* Fill for a while, then empty for a while. */
		bool filling = step / 1000 % 2 == 0;
		struct number number = { (uint32_t)random_below(&seed, KEYS), step, 1 };
		void *found = hash_table_find(&table, kind, &number);

		if (!found && filling) {
			assert_int_equal(hash_table_add(&table, kind, &number), 0);
			values[number.key] = step;
		} else if (filling) {
			assert_int_equal(hash_table_add(&table, kind, &number), -EEXIST);
		} else if (found && !filling) {
			hash_table_remove(&table, kind, found);
			values[number.key] = 0;
		}
		if (step % 97 == 0)
			compare(&table, kind, values);
	}
	hash_table_done(&table, kind);
	assert_int_equal(memory, 0);
}

TEST(it_holds_what_was_added_and_not_removed)
{
	for (uint64_t seed = 1; seed < 20; seed++)
		change_at_random(&KIND(good_hash), seed);
}

TEST(colliding_keys_are_distinguished)
{
	for (uint64_t seed = 1; seed < 5; seed++)
		change_at_random(&KIND(bad_hash), seed);
}

TEST(an_empty_table_has_nothing)
{
	struct hash_table table = { 0 };

	assert_null(hash_table_find(&table, &KIND(good_hash), &(struct number){ .key = 1 }));
	hash_table_done(&table, &KIND(good_hash));
}

TEST(out_of_memory_loses_no_entries)
{
	const struct hash_kind kind = KIND(good_hash);
	struct hash_table table = { 0 };
	uint32_t values[KEYS] = { 0 };
	int r = 0;

	exhausted = true;
	assert_int_equal(hash_table_add(&table, &kind, &(struct number){ 0, 1, 1 }), -ENOMEM);
	exhausted = false;
	for (uint32_t key = 0; key < KEYS && r == 0; key++) {
		r = hash_table_add(&table, &kind, &(struct number){ key, key + 1, 1 });
		values[key] = r == 0 ? key + 1 : 0;
		exhausted = true; /* from the first entry on */
	}
	assert_int_equal(r, -ENOMEM);
	assert_true(table.count > 1);
	compare(&table, &kind, values);
	exhausted = false;
	hash_table_done(&table, &kind);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_holds_what_was_added_and_not_removed),
		cmocka_unit_test(colliding_keys_are_distinguished),
		cmocka_unit_test(an_empty_table_has_nothing),
		cmocka_unit_test(out_of_memory_loses_no_entries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
