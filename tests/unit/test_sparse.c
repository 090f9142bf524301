#include "basic/sparse.h"

#include "unit.h"

TEST(what_was_written_is_there_and_the_rest_is_not)
{
	struct sparse array;
	int *item;

	assert_int_equal(sparse_init(&array, sizeof(int), 600), 0);
	for (size_t i = 0; i < 600; i++)
		assert_null(sparse_at(&array, i));
	item = sparse_write(&array, 599);
	assert_non_null(item);
	*item = 7;
	assert_int_equal(*(const int *)sparse_at(&array, 599), 7);
	assert_ptr_equal(sparse_write(&array, 599), item);
	assert_null(sparse_at(&array, 0));
	/* An item beside one that was written is zero. */
	assert_int_equal(*(const int *)sparse_at(&array, 598), 0);
	sparse_clear(&array);
	assert_null(sparse_at(&array, 599));
	sparse_done(&array);
	sparse_done(&array);
}

TEST(all_of_it_can_be_written)
{
	static const size_t sizes[] = { 1, SPARSE_PIECE - 1, SPARSE_PIECE, SPARSE_PIECE + 1, 600 };

	for (size_t k = 0; k < ARRAY_SIZE(sizes); k++) {
		struct sparse array;

		assert_int_equal(sparse_init(&array, sizeof(size_t), sizes[k]), 0);
		for (size_t i = 0; i < sizes[k]; i++)
			*(size_t *)sparse_write(&array, i) = i;
		for (size_t i = 0; i < sizes[k]; i++)
			assert_int_equal(*(const size_t *)sparse_at(&array, i), i);
		sparse_done(&array);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_there_and_the_rest_is_not),
		cmocka_unit_test(all_of_it_can_be_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
