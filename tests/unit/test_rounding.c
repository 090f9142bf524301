/* Percentages of memory: bounds are marked and stay true. */
#include "unit.h"

#include "render/device_text.h"
#include "render/field_text.h"
#include "render/lower_bound.h"

#include <stdio.h>

static void assert_percent(double share, unsigned digits, enum rounding rounding,
			   const char *expected)
{
	CLEANUP_BUF struct buf out = { 0 };

	rounding_put_percent(&out, share, digits, rounding);
	assert_string_equal(buf_text(&out), expected);
}

TEST(a_lower_bound_is_rounded_down_and_an_upper_bound_up)
{
	assert_percent(0.9999, 0, ROUND_DOWN, "99");
	assert_percent(0.9999, 0, ROUND_NEAREST, "100");
	assert_percent(0.9999, 0, ROUND_UP, "100");
	assert_percent(0.001, 0, ROUND_DOWN, "0");
	assert_percent(0.001, 0, ROUND_NEAREST, "0");
	assert_percent(0.001, 0, ROUND_UP, "1");
	assert_percent(0.99999, 1, ROUND_DOWN, "99.9");
	assert_percent(0.99999, 1, ROUND_NEAREST, "100.0");
	assert_percent(0.12301, 1, ROUND_UP, "12.4");
	assert_percent(0, 0, ROUND_UP, "0");
	assert_percent(1, 1, ROUND_DOWN, "100.0");
}

/* 0.07 * 100 is above 7, and 0.29 * 100 below 29. */
TEST(a_share_that_needs_no_rounding_is_not_rounded)
{
	for (unsigned i = 0; i <= 1000; i++)
		for (enum rounding rounding = ROUND_NEAREST; rounding <= ROUND_UP; rounding++) {
			char text[32];

			snprintf(text, sizeof(text), "%u.%u", i / 10, i % 10);
			assert_percent(i / 1000.0, 1, rounding, text);
			snprintf(text, sizeof(text), "%u", i);
			assert_percent(i / 100.0, 0, rounding, text);
		}
}

static void assert_share(bool complete, uint64_t used, const char *brief, const char *detailed)
{
	CLEANUP_BUF struct buf share = { 0 }, field = { 0 };
	struct device dev;

	device_init(&dev, 0);
	dev.why[DEV_DRAM_USED] = dev.why[DEV_DRAM_TOTAL] = dev.why[DEV_MEMORY_RATIO] = KNOWN;
	dev.memory_used[POOL_DRAM] = used;
	dev.memory_total[POOL_DRAM] = 1000;
	dev.memory_ratio = (double)used / 1000;
	dev.memory_complete = complete;
	device_put_share(&share, &dev, false);
	field_put_text(&field, &device_fields, DEV_MEMORY_RATIO, &dev, true);
	assert_string_equal(buf_text(&share), brief);
	assert_string_equal(buf_text(&field), detailed);
}

TEST(the_share_of_a_device_is_a_bound_if_not_every_process_is_tracked)
{
	assert_share(true, 999, "100%", "100 %");
	assert_share(false, 999, ">=99%", "≥99 %");
	assert_share(false, 1000, ">=100%", "≥100 %");
	assert_share(false, 6, ">=0%", "≥0 %");
	assert_share(true, 6, "1%", "1 %");
}

TEST(free_memory_is_rounded_up)
{
	struct device dev;

	device_init(&dev, 0);
	dev.why[DEV_DRAM_FREE] = dev.why[DEV_DRAM_USED] = KNOWN;
	dev.memory_complete = false;
	assert_int_equal(lower_bound_rounding(&dev, DEV_DRAM_FREE), ROUND_UP);
	assert_int_equal(lower_bound_rounding(&dev, DEV_DRAM_USED), ROUND_DOWN);
	dev.memory_complete = true;
	assert_int_equal(lower_bound_rounding(&dev, DEV_DRAM_FREE), ROUND_NEAREST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lower_bound_is_rounded_down_and_an_upper_bound_up),
		cmocka_unit_test(a_share_that_needs_no_rounding_is_not_rounded),
		cmocka_unit_test(the_share_of_a_device_is_a_bound_if_not_every_process_is_tracked),
		cmocka_unit_test(free_memory_is_rounded_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
