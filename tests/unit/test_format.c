#include "render/format.h"
#include "unit.h"

#include <math.h>

static void assert_tenths(double number)
{
	CLEANUP_BUF struct buf ours = { 0 }, theirs = { 0 };

	format_tenths(&ours, number);
	buf_printf(&theirs, "%.1f", number);
	assert_string_equal(buf_text(&ours), buf_text(&theirs));
}

/* The number, and its neighbours among the doubles. */
static void assert_tenths_around(double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	bits--;
	for (int i = 0; i < 3; i++, bits++) {
		memcpy(&number, &bits, sizeof(bits));
		assert_tenths(number);
	}
}

/* Ties, which a double represents exactly, included. */
TEST(tenths_are_rounded_like_printf)
{
	static const double odd[] = { 0,    0.04, 0.05, 0.25, 0.45,	0.5, 0.75,     0.949999999,
				      0.95, 1e14, 1e15, 3e30, -1023.97, NAN, INFINITY, 1023.95 };

	for (size_t i = 0; i < ARRAY_SIZE(odd); i++)
		assert_tenths(odd[i]);
	for (int i = 1; i < 20000; i++) {
		assert_tenths_around(i / 4.0);
		assert_tenths_around(i * 0.05);
	}
}

static void assert_whole(double number)
{
	CLEANUP_BUF struct buf ours = { 0 }, theirs = { 0 };

	format_whole(&ours, number);
	buf_printf(&theirs, "%.0f", number);
	assert_string_equal(buf_text(&ours), buf_text(&theirs));
}

TEST(whole_numbers_are_rounded_like_printf)
{
	static const double odd[] = { 0,    0.5,  1.5,	2.5,   -1.5, -2.5, 99.5,
				      1e14, 1e15, 3e30, -3e30, 4.5,  NAN,  INFINITY };

	for (size_t i = 0; i < ARRAY_SIZE(odd); i++)
		assert_whole(odd[i]);
	for (int i = 0; i < 40000; i++)
		assert_whole(0.51 + i * 0.37);
}

TEST(negative_sizes_are_zero)
{
	CLEANUP_BUF struct buf out = { 0 };

	format_whole(&out, -0.4);
	assert_string_equal(buf_text(&out), "0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_numbers_are_rounded_like_printf),
		cmocka_unit_test(tenths_are_rounded_like_printf),
		cmocka_unit_test(negative_sizes_are_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
