/* Readings over time, and the dots they become. */
#include "model/history.h"
#include "tui/device_view.h"
#include "render/plot.h"

#include "../unit/unit.h"
#include "basic/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static struct history *history;
static struct snapshot *machine;

/* At some time long after boot, so that nothing begins at 0. */
static const int64_t start_ns = 100000 * NS_PER_S;

static int begin(void **state)
{
	struct device dev;

	(void)state;
	device_init(&dev, 3);
	if (history_new(&history) < 0 || snapshot_new(&machine) < 0 ||
	    !snapshot_add_device(machine, &dev))
		return -1;
	return 0;
}

static int end(void **state)
{
	(void)state;
	history = history_free(history);
	machine = snapshot_free(machine);
	return 0;
}

/* A sample so many seconds after the start; negative power: not known. */
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

/* The most between two times; -1: a gap. */
static double most(double from, double to)
{
	double value;

	if (!history_most(history, &machine->devices[0], METRIC_POWER,
			  start_ns + (int64_t)(from * NS_PER_S),
			  start_ns + (int64_t)(to * NS_PER_S), &value))
		return -1;
	return value;
}

TEST(time_is_time_and_gaps_are_gaps)
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

TEST(a_sample_stands_until_the_next_but_not_for_ever)
{
	add_for(10, 0, 10);
	add_for(10, 10, 20);
	assert_near(most(5, 6), 10);
	assert_near(most(15, 16), 20);
	assert_near(most(22, 23), -1);
	/* Each by the pace of its own time, whatever it is later. */
	add_for(1, 30, 30);
	add_for(1, 40, 40);
	assert_near(most(5, 6), 10);
	assert_near(most(35, 36), -1);
	add_for(20, 50, 50);
	assert_near(most(45, 46), 40);
}

TEST(unknown_is_a_gap_even_if_the_one_before_was_known)
{
	add(0, 10);
	add(1, -1);
	assert_near(most(1, 2), -1);
	assert_near(most(2, 3), -1);
}

TEST(many_samples_in_a_second_keep_the_highest)
{
	for (int i = 0; i < 10; i++)
		add(5 + i / 10.0, i == 4 ? 90 : 10);
	assert_near(most(5, 6), 90);
}

TEST(an_hour_back_peaks_are_still_there)
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

TEST(another_device_has_no_track)
{
	struct device other;
	double value;

	add(0, 10);
	device_init(&other, 4);
	assert_false(
		history_most(history, &other, METRIC_POWER, start_ns, start_ns + NS_PER_S, &value));
}

TEST(another_card_of_the_same_number_inherits_nothing)
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

/* Lines of a chart, joined by slashes. */
static const char *draw(const double *values, size_t columns, size_t rows, double top,
			enum plot_signs signs)
{
	static char text[256];
	const struct plot plot = { values, columns, rows, top, signs };
	CLEANUP_BUF struct buf out = { 0 };

	for (size_t i = 0; i < rows; i++) {
		plot_row(&out, &plot, i);
		buf_puts(&out, i + 1 < rows ? "/" : "");
	}
	assert_true(out.length < sizeof(text));
	memcpy(text, buf_text(&out), out.length + 1);
	return text;
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

TEST(what_is_known_has_a_dot_and_what_is_too_much_stops_at_the_edge)
{
	const double values[] = { 0, 0, 1000, 1e30 };

	assert_string_equal(draw(values, 2, 1, 100, PLOT_BRAILLE), "⣀⣿");
	assert_string_equal(draw(values, 2, 1, 100, PLOT_BLOCKS), "▁█");
	assert_string_equal(draw(values, 2, 1, 0, PLOT_BRAILLE), "⣀⣀");
}

TEST(tops_are_round)
{
	assert_near(plot_top(0, 50), 50);
	assert_near(plot_top(51, 50), 100);
	assert_near(plot_top(101, 50), 150);
	assert_near(plot_top(3900, 100), 4000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(time_is_time_and_gaps_are_gaps, begin, end),
		cmocka_unit_test_setup_teardown(a_sample_stands_until_the_next_but_not_for_ever,
						begin, end),
		cmocka_unit_test_setup_teardown(unknown_is_a_gap_even_if_the_one_before_was_known,
						begin, end),
		cmocka_unit_test_setup_teardown(many_samples_in_a_second_keep_the_highest, begin,
						end),
		cmocka_unit_test_setup_teardown(an_hour_back_peaks_are_still_there, begin, end),
		cmocka_unit_test_setup_teardown(another_card_of_the_same_number_inherits_nothing,
						begin, end),
		cmocka_unit_test_setup_teardown(another_device_has_no_track, begin, end),
		cmocka_unit_test(charts_are_filled_from_below),
		cmocka_unit_test(what_is_known_has_a_dot_and_what_is_too_much_stops_at_the_edge),
		cmocka_unit_test(tops_are_round),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
