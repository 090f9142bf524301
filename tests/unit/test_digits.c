/* Numbers and paths that are written without printf(). */
#include "basic/digits.h"
#include "basic/proc_path.h"
#include "unit.h"

#include <inttypes.h>
#include <stdio.h>

static void assert_digits(uint64_t number)
{
	char ours[DIGITS_SIZE], theirs[DIGITS_SIZE];
	char *end = digits_put(ours, number);

	snprintf(theirs, sizeof(theirs), "%" PRIu64, number);
	assert_string_equal(ours, theirs);
	assert_ptr_equal(end, ours + strlen(ours));
}

TEST(numbers_of_every_length_have_the_digits_of_printf)
{
	uint64_t power = 1;

	assert_digits(0);
	for (int i = 0; i < 20; i++, power *= 10) {
		assert_digits(power - 1);
		assert_digits(power);
	}
	assert_digits(UINT64_MAX);
}

TEST(paths_of_a_process_have_its_pid)
{
	char path[PROC_PATH_SIZE];

	assert_string_equal(proc_path(path, 1, "stat"), "proc/1/stat");
	assert_string_equal(proc_path(path, INT32_MAX, "ns/mnt"), "proc/2147483647/ns/mnt");
	assert_string_equal(proc_path(path, INT32_MIN, "fd"), "proc/-2147483648/fd");
	assert_ptr_equal(proc_path(path, 7, "maps"), path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_of_every_length_have_the_digits_of_printf),
		cmocka_unit_test(paths_of_a_process_have_its_pid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
