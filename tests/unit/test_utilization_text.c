/* Compute utilisation as text: rounding keeps each figure true. */
#include "render/utilization_text.h"
#include "render/csv.h"
#include "render/field_text.h"
#include "render/monitor_lines.h"
#include "model/snapshot.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

static const char *text_of(double share, enum utilization_bound bound, bool utf8)
{
	static char copy[32];
	struct utilization_figure figure = utilization_unknown(KNOWN);
	CLEANUP_BUF struct buf text = { 0 };

	figure.why[UTIL_RUNNING] = NOT_APPLICABLE;
	figure.value.share = share;
	figure.value.bound = bound;
	utilization_put(&text, figure.why, &figure.value, utf8);
	snprintf(copy, sizeof(copy), "%s", buf_text(&text));
	return copy;
}

#define ASSERT_TEXT(share, bound, text) assert_string_equal(text_of(share, bound, true), text)

TEST(an_exact_figure_is_0_or_100_only_if_it_is_that)
{
	ASSERT_TEXT(0, BOUND_EXACT, "0%");
	ASSERT_TEXT(1e-9, BOUND_EXACT, "<1%");
	ASSERT_TEXT(0.004999, BOUND_EXACT, "<1%");
	ASSERT_TEXT(0.005001, BOUND_EXACT, "1%");
	ASSERT_TEXT(0.854, BOUND_EXACT, "85%");
	ASSERT_TEXT(0.856, BOUND_EXACT, "86%");
	ASSERT_TEXT(0.994, BOUND_EXACT, "99%");
	ASSERT_TEXT(0.996, BOUND_EXACT, "99%");
	ASSERT_TEXT(0.999999999, BOUND_EXACT, "99%");
	ASSERT_TEXT(1, BOUND_EXACT, "100%");
}

TEST(a_lower_bound_is_rounded_down)
{
	ASSERT_TEXT(0, BOUND_LOWER, "≥0%");
	ASSERT_TEXT(0.009, BOUND_LOWER, "≥0%");
	ASSERT_TEXT(0.709, BOUND_LOWER, "≥70%");
	ASSERT_TEXT(0.999, BOUND_LOWER, "≥99%");
	ASSERT_TEXT(1, BOUND_LOWER, "≥100%");
	assert_string_equal(text_of(0.709, BOUND_LOWER, false), ">=70%");
}

TEST(an_upper_bound_is_rounded_up)
{
	ASSERT_TEXT(0, BOUND_UPPER, "≤0%");
	ASSERT_TEXT(0.0001, BOUND_UPPER, "≤1%");
	ASSERT_TEXT(0.791, BOUND_UPPER, "≤80%");
	ASSERT_TEXT(1, BOUND_UPPER, "≤100%");
	assert_string_equal(text_of(0.791, BOUND_UPPER, false), "<=80%");
}

/* 0.29 * 100 is below 29 in floating point, and 0.07 * 100 above 7. */
TEST(whole_percents_are_not_rounded)
{
	for (int percent = 0; percent <= 100; percent++) {
		char number[16], lower[20], upper[20];

		snprintf(number, sizeof(number), "%d%%", percent);
		snprintf(lower, sizeof(lower), "≥%d%%", percent);
		snprintf(upper, sizeof(upper), "≤%d%%", percent);
		ASSERT_TEXT(percent / 100.0, BOUND_EXACT, number);
		ASSERT_TEXT(percent / 100.0, BOUND_LOWER, lower);
		ASSERT_TEXT(percent / 100.0, BOUND_UPPER, upper);
	}
}

/* A share that another program publishes has no bound. */
TEST(a_share_without_a_bound_is_rounded_like_an_exact_one)
{
	struct utilization_figure figure = utilization_unknown(NOT_REPORTED);
	CLEANUP_BUF struct buf text = { 0 };

	figure.why[UTIL_SHARE] = KNOWN;
	figure.value = (struct utilization){ .share = 0.003, .bound = BOUND_LOWER };
	utilization_put(&text, figure.why, &figure.value, true);
	assert_string_equal(buf_text(&text), "<1%");
}

/* The pages of the screen, `-q` and the web page have a blank before the unit. */
TEST(fields_of_devices_and_processes_follow_the_same_rule)
{
	struct usage usage = { .utilization = { .share = 0.709, .bound = BOUND_LOWER } };
	struct device dev = { .utilization = { .share = 0.003 } };
	CLEANUP_BUF struct buf text = { 0 };

	field_put_text(&text, &device_fields, DEV_DISPATCH, &dev, true);
	buf_putc(&text, ' ');
	field_put_text(&text, &usage_fields, USE_UTILIZATION, &usage, true);
	assert_string_equal(buf_text(&text), "<1 % ≥70 %");
}

/* The line of a device, as CSV of these fields and as `tt_smi dmon -s um`. */
static void plain_lines(const struct device *dev, const char *fields, struct buf *csv,
			struct buf *lines)
{
	struct snapshot snapshot = { .devices = (struct device *)dev, .n_devices = 1 };
	struct render_options options = { .utf8 = true };
	struct monitor monitor = { .kind = MONITOR_DEVICES, .groups = "um" };
	struct query query;
	char *bad;

	assert_int_equal(query_parse(QUERY_DEVICES, fields, &query, &bad), 0);
	query.units = false;
	query_render(csv, &options, &query, &snapshot);
	query_done(&query);
	monitor_render(lines, &options, &monitor, &snapshot);
}

static void assert_plain(enum utilization_bound bound, double share, const char *csv_line,
			 const char *line)
{
	struct device dev = { .id = "0", .utilization = { .share = share, .bound = bound } };
	CLEANUP_BUF struct buf csv = { 0 }, lines = { 0 };

	memset(dev.why, NOT_REPORTED, sizeof(dev.why));
	dev.why[DEV_DISPATCH] = dev.why[DEV_BOUND] = dev.why[DEV_MEMORY_COMPLETE] = KNOWN;
	dev.why[DEV_DRAM_USED] = dev.why[DEV_DRAM_FREE] = dev.why[DEV_MEMORY_RATIO] = KNOWN;
	dev.memory_used[POOL_DRAM] = (100 << 20) - 1;
	dev.memory_free[POOL_DRAM] = (100 << 20) + 1;
	dev.memory_ratio = 0.499;
	dev.memory_complete = bound == BOUND_EXACT;
	plain_lines(&dev, "utilization.gpu,memory.used,memory.free,utilization.memory", &csv,
		    &lines);
	assert_string_equal(buf_text(&csv), csv_line);
	assert_non_null(strstr(buf_text(&lines), line));
}

/* Numbers without a sign are rounded like those that have one. */
TEST(plain_numbers_of_bounds_stay_bounds)
{
	assert_plain(BOUND_LOWER, 0.709, "70, 99, 101, 49\n", "70     49");
	assert_plain(BOUND_UPPER, 0.701, "71, 99, 101, 49\n", "71     49");
	assert_plain(BOUND_EXACT, 0.709, "71, 100, 100, 50\n", "71     50");
	assert_plain(BOUND_EXACT, 0.999, "99, 100, 100, 50\n", "99     50");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_exact_figure_is_0_or_100_only_if_it_is_that),
		cmocka_unit_test(a_lower_bound_is_rounded_down),
		cmocka_unit_test(an_upper_bound_is_rounded_up),
		cmocka_unit_test(whole_percents_are_not_rounded),
		cmocka_unit_test(a_share_without_a_bound_is_rounded_like_an_exact_one),
		cmocka_unit_test(plain_numbers_of_bounds_stay_bounds),
		cmocka_unit_test(fields_of_devices_and_processes_follow_the_same_rule),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
