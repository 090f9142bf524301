/* The counted buffers, compared with a trivial model. */
#include "preload/live.h"

#include "preload/names.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { BUFFERS = 3000, ALLOCATORS = 3 };

static struct hash_table live;
static uint64_t allocator_of[BUFFERS]; /* 0: not held */

static uint64_t address(unsigned i)
{
	return UINT64_C(0x7f0000000000) + i * 352;
}

static uint32_t next_random(void)
{
	static uint64_t state = 42;

	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 33);
}

static void add(unsigned i)
{
	struct live_buffer buffer = {
		.buffer = address(i),
		.allocator = 1 + next_random() % ALLOCATORS,
		.held = i,
	};

	assert_int_equal(live_add(&live, &buffer), allocator_of[i] ? -EEXIST : 0);
	if (!allocator_of[i])
		allocator_of[i] = buffer.allocator;
}

static void take(unsigned i)
{
	struct live_buffer buffer;

	assert_int_equal(live_take(&live, address(i), &buffer), allocator_of[i] != 0);
	if (!allocator_of[i])
		return;
	assert_int_equal(buffer.buffer, address(i));
	assert_int_equal(buffer.allocator, allocator_of[i]);
	assert_int_equal(buffer.held, i);
	allocator_of[i] = 0;
}

static void take_all(uint64_t allocator)
{
	struct live_buffer buffer;
	size_t at = 0;

	while (live_take_next(&live, allocator, &at, &buffer)) {
		assert_int_equal(buffer.allocator, allocator);
		assert_int_equal(allocator_of[buffer.held], allocator);
		allocator_of[buffer.held] = 0;
	}
	for (unsigned i = 0; i < BUFFERS; i++)
		assert_int_not_equal(allocator_of[i], allocator);
}

static void it_holds_what_a_simple_list_holds(void **state)
{
	unsigned held = 0;

	(void)state;
	for (int step = 0; step < 60000; step++) {
		unsigned i = next_random() % BUFFERS;

		if (step % 5000 == 4999)
			take_all(1 + next_random() % ALLOCATORS);
		else if (next_random() % 5 < 3)
			add(i);
		else
			take(i);
	}
	for (unsigned i = 0; i < BUFFERS; i++)
		held += allocator_of[i] != 0;
	assert_int_equal(live.count, held);
	for (unsigned i = 0; i < BUFFERS; i++)
		take(i);
	assert_int_equal(live.count, 0);
	live_done(&live);
}

static void names_that_are_taken_are_those_of_the_library(void **state)
{
	(void)state;
#define X(id, symbol, its_hook)                             \
	assert_true(metal_name_find(symbol) < METAL_NAMES); \
	assert_int_equal(metal_names[metal_name_find(symbol)].hook, its_hook);
	INTERPOSED_MEMORY(X) /* those of programs are in one table, which the tracer uses too */
#undef X
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_holds_what_a_simple_list_holds),
		cmocka_unit_test(names_that_are_taken_are_those_of_the_library),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
