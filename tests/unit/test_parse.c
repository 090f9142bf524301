/* Numbers: whole or not at all. */
#include "basic/parse.h"
#include "unit.h"

#include <errno.h>

TEST(decimal_numbers_are_read_to_their_limits)
{
	uint64_t wide = 1;
	uint32_t narrow = 1;
	int64_t number = 1;

	assert_int_equal(parse_u64("0", &wide), 0);
	assert_int_equal(wide, 0);
	assert_int_equal(parse_u64("18446744073709551615", &wide), 0);
	assert_true(wide == UINT64_MAX);
	assert_int_equal(parse_u32("4294967295", &narrow), 0);
	assert_int_equal(narrow, UINT32_MAX);
	assert_int_equal(parse_i64("-9223372036854775808", &number), 0);
	assert_true(number == INT64_MIN);
	assert_int_equal(parse_i64("9223372036854775807", &number), 0);
	assert_true(number == INT64_MAX);
	assert_int_equal(parse_i64("-0", &number), 0);
	assert_int_equal(number, 0);
}

TEST(one_past_the_limit_is_out_of_range_and_leaves_the_output_alone)
{
	uint64_t wide = 7;
	uint32_t narrow = 7;
	int64_t number = 7;

	assert_int_equal(parse_u64("18446744073709551616", &wide), -ERANGE);
	assert_int_equal(parse_u64("99999999999999999999999999", &wide), -ERANGE);
	assert_int_equal(parse_u32("4294967296", &narrow), -ERANGE);
	assert_int_equal(parse_i64("9223372036854775808", &number), -ERANGE);
	assert_int_equal(parse_i64("-9223372036854775809", &number), -ERANGE);
	assert_int_equal(parse_hex("10000000000000000", &wide), -ERANGE);
	assert_int_equal(wide, 7);
	assert_int_equal(narrow, 7);
	assert_int_equal(number, 7);
}

TEST(leading_zeros_are_no_overflow)
{
	uint64_t wide = 7;

	assert_int_equal(parse_u64("00000000000000000000000000000042", &wide), 0);
	assert_int_equal(wide, 42);
}

TEST(trailing_characters_are_rejected)
{
	static const char *const bad[] = { "",	 "\n",	" 1",	 "1 ",	"1\n\n", "+1",
					   "1x", "0x1", "1.0",	 "--1", "-",	 "1\n2",
					   "a",	 "\t1", "1\r\n", "１",	"1e3" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		uint64_t wide = 7;
		uint32_t narrow = 7;
		int64_t number = 7;

		assert_int_equal(parse_u64(bad[i], &wide), -EINVAL);
		assert_int_equal(parse_u32(bad[i], &narrow), -EINVAL);
		assert_int_equal(parse_i64(bad[i], &number), -EINVAL);
		assert_int_equal(wide + narrow + (uint64_t)number, 21);
	}
}

TEST(one_newline_ends_a_number)
{
	uint64_t wide = 0;

	assert_int_equal(parse_u64("154\n", &wide), 0);
	assert_int_equal(wide, 154);
	assert_int_equal(parse_hex_prefixed("0x1e52\n", &wide), 0);
	assert_int_equal(wide, 0x1e52);
}

TEST(unsigned_numbers_have_no_sign)
{
	uint64_t wide = 7;

	assert_int_equal(parse_u64("-1", &wide), -EINVAL);
	assert_int_equal(wide, 7);
}

TEST(hexadecimal_takes_both_cases_and_the_prefix_is_lower_case)
{
	uint64_t wide = 0;

	assert_int_equal(parse_hex("2F9C2B4A51D01A2B", &wide), 0);
	assert_true(wide == 0x2F9C2B4A51D01A2B);
	assert_int_equal(parse_hex("ffffffffFFFFFFFF", &wide), 0);
	assert_true(wide == UINT64_MAX);
	assert_int_equal(parse_hex_prefixed("0xb140", &wide), 0);
	assert_int_equal(wide, 0xb140);
	assert_int_equal(parse_hex_prefixed("0Xb140", &wide), -EINVAL);
	assert_int_equal(parse_hex_prefixed("b140", &wide), -EINVAL);
	assert_int_equal(parse_hex_prefixed("0x", &wide), -EINVAL);
	assert_int_equal(parse_hex_prefixed("", &wide), -EINVAL);
	assert_int_equal(parse_hex("0x1", &wide), -EINVAL);
	assert_int_equal(parse_hex("g", &wide), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decimal_numbers_are_read_to_their_limits),
		cmocka_unit_test(one_past_the_limit_is_out_of_range_and_leaves_the_output_alone),
		cmocka_unit_test(leading_zeros_are_no_overflow),
		cmocka_unit_test(trailing_characters_are_rejected),
		cmocka_unit_test(one_newline_ends_a_number),
		cmocka_unit_test(unsigned_numbers_have_no_sign),
		cmocka_unit_test(hexadecimal_takes_both_cases_and_the_prefix_is_lower_case),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
