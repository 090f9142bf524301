#include "basic/array.h"
#include "unit.h"

#include <stdlib.h>

TEST(it_keeps_its_items_while_it_grows)
{
	int *items = NULL;
	size_t count = 0, room = 0;

	for (int i = 0; i < 1000; i++) {
		items = array_grow(items, count, &room, sizeof(*items));
		assert_non_null(items);
		assert_true(room > count);
		items[count++] = i;
	}
	for (int i = 0; i < 1000; i++)
		assert_int_equal(items[i], i);
	assert_true(room < 2 * count + 16);
	free(items);
}

TEST(it_is_not_moved_while_there_is_room)
{
	size_t room = 0;
	char *items = array_grow(NULL, 0, &room, 1), *same;

	assert_non_null(items);
	same = array_grow(items, room - 1, &room, 1);
	assert_ptr_equal(same, items);
	free(items);
}

/* AddressSanitizer would end the program if an allocation is too large. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

TEST(without_memory_nothing_changes)
{
	size_t room = 0;

	assert_null(array_grow(NULL, 0, &room, SIZE_MAX));
	assert_int_equal(room, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_keeps_its_items_while_it_grows),
		cmocka_unit_test(it_is_not_moved_while_there_is_room),
		cmocka_unit_test(without_memory_nothing_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
