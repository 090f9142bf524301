/* History of readings, and the characters of charts. */
#include "model/history.h"
#include "model/device_view.h"
#include "render/chart.h"
#include "render/chart_text.h"

#include "../unit/history_machine.h"
#include "basic/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Long after boot, so that no time is 0. */
static const int64_t start_ns = 100000 * NS_PER_S;

/* Adds a sample this many seconds after the start; negative power: unknown. */
static void add_for(double hold, double seconds, double power)
{
	machine->taken_ns = start_ns + (int64_t)(seconds * NS_PER_S);
	machine->devices[0].power = power;
	machine->devices[0].why[DEV_POWER] = power < 0 ? TIMED_OUT : KNOWN;
	assert_int_equal(history_add(history, machine, (int64_t)(hold * NS_PER_S)), 0);
}

static void add(double seconds, double power)
{
	add_for(2, seconds, power);
}

static bool range_of(double from, double to, struct metric_range *ret)
{
	return history_range(history, &machine->devices[0], METRIC_POWER,
			     start_ns + (int64_t)(from * NS_PER_S),
			     start_ns + (int64_t)(to * NS_PER_S), ret);
}

/* The maximum between two times; -1: a gap. */
static double most(double from, double to)
{
	struct metric_range range;

	return range_of(from, to, &range) ? range.high : -1;
}

/* The minimum between two times; -1: a gap. */
static double least(double from, double to)
{
	struct metric_range range;

	return range_of(from, to, &range) ? range.low : -1;
}

TEST(samples_are_placed_by_time_and_gaps_stay_gaps)
{
	add(0, 10);
	add(1, 30);
	add(2, 20);
	add(60, 50);
	assert_near(most(0, 3), 30);
	assert_near(most(1, 2), 30);
	assert_near(most(2, 3), 20);
	assert_near(most(20, 40), -1);
	assert_near(most(60, 61), 50);
	assert_near(most(-100, 0), -1);
}

TEST(a_sample_holds_until_the_next_but_not_for_ever)
{
	add_for(10, 0, 10);
	add_for(10, 10, 20);
	assert_near(most(5, 6), 10);
	assert_near(most(15, 16), 20);
	assert_near(most(22, 23), -1);
	/* A sample is valid for the refresh period at its time. */
	add_for(1, 30, 30);
	add_for(1, 40, 40);
	assert_near(most(5, 6), 10);
	assert_near(most(35, 36), -1);
	add_for(20, 50, 50);
	assert_near(most(45, 46), 40);
}

TEST(an_unknown_sample_is_a_gap_after_a_known_one)
{
	add(0, 10);
	add(1, -1);
	assert_near(most(1, 2), -1);
	assert_near(most(2, 3), -1);
}

TEST(many_samples_in_a_second_keep_the_lowest_and_the_highest)
{
	for (int i = 0; i < 10; i++)
		add(5 + i / 10.0, i == 4 ? 90 : 10);
	assert_near(most(5, 6), 90);
	assert_near(least(5, 6), 10);
}

TEST(both_ends_of_the_values_of_the_last_hour_are_kept)
{
	for (int i = 0; i < 3600; i++)
		add(i, i % 2 ? 1000 : 500);
	assert_near(least(96, 108), 500);
	assert_near(most(96, 108), 1000);
	assert_near(least(3500, 3510), 500);
	assert_near(most(3500, 3510), 1000);
}

/* The time span that a chart shows after this many seconds of samples. */
static double span_after(double seconds, double most_s)
{
	return (double)chart_span(history_begin(history), start_ns + (int64_t)(seconds * NS_PER_S),
				  (int64_t)(most_s * NS_PER_S)) /
	       NS_PER_S;
}

TEST(charts_begin_with_a_minute_and_widen_with_the_samples)
{
	add(0, 10);
	assert_near(span_after(0, 600), 60);
	assert_near(span_after(60, 600), 60);
	assert_near(span_after(61, 600), 90);
	assert_near(span_after(599, 600), 600);
	assert_near(span_after(4000, 600), 600);
	assert_near(span_after(4000, 60), 60);
	assert_near(span_after(4000, 3600), 3600);
	for (int s = 60; s < 3600; s++) {
		assert_true(span_after(s, 3600) >= s);
		assert_true(span_after(s, 3600) <= 1.5 * s);
	}
}

TEST(peaks_of_the_last_hour_are_kept)
{
	for (int i = 0; i < 3600; i++)
		add(i, i == 100 ? 500 : 1);
	assert_near(most(96, 108), 500);
	assert_near(most(3590, 3600), 1);
	for (int i = 3600; i < 7300; i++)
		add(i, 2);
	assert_near(most(96, 108), -1);
	assert_near(most(7200, 7299), 2);
}

TEST(other_devices_have_no_history)
{
	struct device other;
	struct metric_range range;

	add(0, 10);
	device_init(&other, 4);
	assert_false(history_range(history, &other, METRIC_POWER, start_ns, start_ns + NS_PER_S,
				   &range));
}

TEST(another_card_with_the_same_number_starts_a_new_history)
{
	struct device *dev = &machine->devices[0];
	struct device_view device_view = { 0 };
	int64_t age;

	snprintf(dev->bdf, sizeof(dev->bdf), "0000:01:00.0");
	add(0, 10);
	assert_int_equal(device_view_update(&device_view, machine), 0);
	dev->state = DEVICE_LOST;
	assert_near(device_view_find(&device_view, dev, start_ns, &age)->power, 10);
	snprintf(dev->bdf, sizeof(dev->bdf), "0000:02:00.0");
	add(1, -1);
	assert_near(most(0, 1), -1);
	assert_ptr_equal(device_view_find(&device_view, dev, start_ns, &age), dev);
	assert_int_equal(age, -1);
	device_view_done(&device_view);
}

TEST(a_device_that_fails_stays_in_its_group)
{
	struct device_view view = { 0 };
	struct device other;
	char name[64];

	device_init(&other, 4);
	assert_non_null(snapshot_add_device(machine, &other));
	for (size_t i = 0; i < 2; i++) {
		machine->devices[i].tray = 2;
		machine->devices[i].why[DEV_TRAY] = KNOWN;
	}
	assert_int_equal(device_view_update(&view, machine), 0);
	assert_int_equal(view.n_groups, 1);
	machine->devices[1].state = DEVICE_TIMED_OUT;
	machine->devices[1].why[DEV_TRAY] = TIMED_OUT;
	assert_int_equal(device_view_update(&view, machine), 0);
	assert_int_equal(view.n_groups, 1);
	device_group_name(&view, &machine->devices[1], name, sizeof(name));
	assert_string_equal(name, "tray 2");
	device_view_done(&view);
}

/* Its bus number gives the tray, but only if all chips that can be read are of a Galaxy. */
TEST(a_chip_that_was_never_readable_is_on_the_tray_of_its_bus)
{
	struct device_view view = { 0 };
	struct device other;
	char name[64];

	device_init(&other, 4);
	other.state = DEVICE_TIMED_OUT;
	snprintf(other.bdf, sizeof(other.bdf), "0000:c4:00.0");
	assert_non_null(snapshot_add_device(machine, &other));
	machine->devices[0].type = board_by_name("galaxy-wormhole");
	machine->devices[0].tray = 1;
	machine->devices[0].why[DEV_TRAY] = KNOWN;
	assert_int_equal(device_view_update(&view, machine), 0);
	assert_int_equal(view.n_groups, 1);
	device_group_name(&view, &machine->devices[1], name, sizeof(name));
	assert_string_equal(name, "tray 1");
	machine->devices[0].type = board_by_name("n150");
	assert_int_equal(device_view_update(&view, machine), 0);
	assert_int_equal(view.n_groups, 2);
	device_view_done(&view);
}

/* Lines of a chart, joined by slashes. */
static const char *draw_ranges(const struct metric_range *values, size_t columns, size_t rows,
			       double top, enum plot_characters signs)
{
	static char text[256];
	struct plot_bar bars[16];
	const struct plot plot = { bars, columns, rows, top, signs };
	CLEANUP_BUF struct buf out = { 0 };

	assert_true(columns * PLOT_SIDES <= ARRAY_SIZE(bars));
	plot_measure(&plot, values);
	for (size_t i = 0; i < rows; i++) {
		plot_row(&out, &plot, i);
		buf_puts(&out, i + 1 < rows ? "/" : "");
	}
	assert_true(out.length < sizeof(text));
	memcpy(text, buf_text(&out), out.length + 1);
	return text;
}

/* The same of single values. */
static const char *draw(const double *values, size_t columns, size_t rows, double top,
			enum plot_characters signs)
{
	struct metric_range ranges[16];

	assert_true(columns * PLOT_SIDES <= ARRAY_SIZE(ranges));
	for (size_t i = 0; i < columns * PLOT_SIDES; i++)
		ranges[i] = (struct metric_range){ values[i], values[i] };
	return draw_ranges(ranges, columns, rows, top, signs);
}

TEST(a_column_shows_the_range_of_its_values)
{
	const struct metric_range values[] = { { 50, 100 }, { 50, 100 }, { 100, 100 }, { 0, 100 } };

	assert_string_equal(draw_ranges(values, 2, 2, 100, PLOT_BRAILLE), "⡫⡯/⣿⣯");
	assert_string_equal(draw_ranges(values, 2, 2, 100, PLOT_BLOCKS), "░█/██");
	assert_string_equal(draw_ranges(values, 2, 2, 100, PLOT_ASCII), "'#/##");
}

TEST(charts_are_filled_from_below)
{
	const double values[] = { 0, 25, 50, 100, NAN, 100, NAN, NAN };

	assert_string_equal(draw(values, 4, 1, 100, PLOT_BRAILLE), "⣀⣼⢸ ");
	assert_string_equal(draw(values, 4, 2, 100, PLOT_BRAILLE), " ⢸⢸ /⣠⣿⢸ ");
	assert_string_equal(draw(values, 4, 1, 100, PLOT_BLOCKS), "▂██ ");
	assert_string_equal(draw(values, 4, 2, 100, PLOT_BLOCKS), " ██ /▄██ ");
	assert_string_equal(draw(values, 4, 1, 100, PLOT_ASCII), ".## ");
	assert_string_equal(draw(values, 4, 2, 100, PLOT_ASCII), " ## /:## ");
}

TEST(known_values_have_a_dot_and_large_ones_are_clipped)
{
	const double values[] = { 0, 0, 1000, 1e30 };

	assert_string_equal(draw(values, 2, 1, 100, PLOT_BRAILLE), "⣀⣿");
	assert_string_equal(draw(values, 2, 1, 100, PLOT_BLOCKS), "▁█");
	assert_string_equal(draw(values, 2, 1, 0, PLOT_BRAILLE), "⣀⣀");
}

static void assert_reading(enum metric metric, const char *text)
{
	CLEANUP_BUF struct buf out = { 0 };

	chart_put_reading(&out, &machine->devices[0], &metric_infos[metric], true);
	assert_string_equal(buf_text(&out), text);
}

/* Not every process is tracked. */
TEST(an_unknown_reading_has_no_mark_of_a_bound)
{
	struct device *dev = &machine->devices[0];

	dev->memory_complete = false;
	dev->why[DEV_DRAM_USED] = NO_TRACKER;
	assert_reading(METRIC_DRAM, "N/A (not tracked)");
	dev->memory_used[POOL_DRAM] = UINT64_C(3) << 30;
	dev->why[DEV_DRAM_USED] = KNOWN;
	dev->why[DEV_DRAM_TOTAL] = NOT_OFFERED;
	assert_reading(METRIC_DRAM, "≥3.0 GB");
	dev->utilization = (struct utilization){ .share = 0.4, .bound = BOUND_UPPER };
	dev->why[DEV_DISPATCH] = dev->why[DEV_BOUND] = KNOWN;
	assert_reading(METRIC_COMPUTE, "≤40 %");
}

TEST(tops_are_round_numbers)
{
	assert_near(plot_top(0, 50), 50);
	assert_near(plot_top(51, 50), 100);
	assert_near(plot_top(101, 50), 150);
	assert_near(plot_top(3900, 100), 4000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(samples_are_placed_by_time_and_gaps_stay_gaps,
						begin, end),
		cmocka_unit_test_setup_teardown(a_sample_holds_until_the_next_but_not_for_ever,
						begin, end),
		cmocka_unit_test_setup_teardown(an_unknown_sample_is_a_gap_after_a_known_one, begin,
						end),
		cmocka_unit_test_setup_teardown(
			many_samples_in_a_second_keep_the_lowest_and_the_highest, begin, end),
		cmocka_unit_test_setup_teardown(both_ends_of_the_values_of_the_last_hour_are_kept,
						begin, end),
		cmocka_unit_test_setup_teardown(
			charts_begin_with_a_minute_and_widen_with_the_samples, begin, end),
		cmocka_unit_test(a_column_shows_the_range_of_its_values),
		cmocka_unit_test_setup_teardown(peaks_of_the_last_hour_are_kept, begin, end),
		cmocka_unit_test_setup_teardown(
			another_card_with_the_same_number_starts_a_new_history, begin, end),
		cmocka_unit_test_setup_teardown(other_devices_have_no_history, begin, end),
		cmocka_unit_test_setup_teardown(a_device_that_fails_stays_in_its_group, begin, end),
		cmocka_unit_test_setup_teardown(
			a_chip_that_was_never_readable_is_on_the_tray_of_its_bus, begin, end),
		cmocka_unit_test(charts_are_filled_from_below),
		cmocka_unit_test(known_values_have_a_dot_and_large_ones_are_clipped),
		cmocka_unit_test_setup_teardown(an_unknown_reading_has_no_mark_of_a_bound, begin,
						end),
		cmocka_unit_test(tops_are_round_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
