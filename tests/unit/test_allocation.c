/* Lists of single allocations: adding, joining, and marking incomplete ones. */
#include "model/allocation.h"
#include "unit.h"

static struct allocation_list one, other;

static int make_lists(void **state)
{
	(void)state;
	one = other = (struct allocation_list){ .why = KNOWN };
	return 0;
}

static int free_lists(void **state)
{
	(void)state;
	allocation_list_reset(&one, KNOWN);
	allocation_list_reset(&other, KNOWN);
	return 0;
}

/* The given number of allocations, numbered from first on. */
static void fill(struct allocation_list *list, uint64_t first, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct allocation allocation = {
			.id = first + i,
			.size = (first + i) * 10,
			.time_ns = (int64_t)(first + i) * 100,
			.pool = POOL_TRACE,
		};

		assert_int_equal(allocation_list_add(list, &allocation), 0);
	}
}

/* Has it exactly those numbered 1 to count, in order and whole? */
static void assert_numbered(const struct allocation_list *list, size_t count)
{
	assert_int_equal(list->count, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(list->items[i].id, i + 1);
		assert_int_equal(list->items[i].size, (i + 1) * 10);
		assert_int_equal(list->items[i].time_ns, (i + 1) * 100);
		assert_int_equal(list->items[i].pool, POOL_TRACE);
	}
}

TEST(a_joined_list_has_all_items_of_both)
{
	static const size_t counts[][2] = { { 2, 3 },	 { 0, 3 },    { 3, 0 },	  { 0, 0 },
					    { 64, 1 },	 { 63, 1 },   { 64, 64 }, { 1, 200 },
					    { 100, 28 }, { 100, 29 }, { 1, 5000 } };

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		fill(&one, 1, counts[i][0]);
		fill(&other, 1 + counts[i][0], counts[i][1]);
		allocation_list_join(&one, &other);
		assert_numbered(&one, counts[i][0] + counts[i][1]);
		assert_true(one.room >= one.count);
		assert_int_equal(one.why, KNOWN);
		assert_false(one.cut);
		/* Items of the other list are not counted twice. */
		assert_int_equal(other.count, 0);
		assert_null(other.items);
		assert_int_equal(other.why, NOT_REPORTED);
		allocation_list_reset(&one, KNOWN);
		allocation_list_reset(&other, KNOWN);
	}
}

TEST(a_joined_list_can_be_added_to)
{
	fill(&one, 1, 64);
	fill(&other, 65, 100);
	allocation_list_join(&one, &other);
	fill(&one, 165, 300);
	assert_numbered(&one, 464);
}

TEST(a_joined_list_is_incomplete_if_either_is)
{
	fill(&one, 1, 1);
	other.cut = true;
	allocation_list_join(&one, &other);
	assert_true(one.cut);
	assert_false(other.cut);
	allocation_list_reset(&one, KNOWN);
	allocation_list_reset(&other, KNOWN);

	one.cut = true;
	fill(&other, 1, 1);
	allocation_list_join(&one, &other);
	assert_true(one.cut);
	allocation_list_reset(&one, KNOWN);

	allocation_list_reset(&other, DENIED);
	fill(&one, 1, 2);
	allocation_list_join(&one, &other);
	assert_true(one.cut);
	assert_int_equal(one.why, KNOWN);
	assert_numbered(&one, 2);
}

#define LISTS(test) cmocka_unit_test_setup_teardown(test, make_lists, free_lists)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LISTS(a_joined_list_has_all_items_of_both),
		LISTS(a_joined_list_can_be_added_to),
		LISTS(a_joined_list_is_incomplete_if_either_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
