/* Charts: the axis is time, gaps stay gaps, nothing is wider than requested. */
#include "unit/history_machine.h"

#include "basic/clock.h"
#include "basic/text.h"
#include "render/chart.h"

#include <locale.h>
#include <stdlib.h>

#define S NS_PER_S

static void add(int64_t time_ns, uint64_t dram)
{
	machine->taken_ns = time_ns;
	machine->devices[0].memory_used[POOL_DRAM] = dram;
	machine->devices[0].why[DEV_DRAM_USED] = KNOWN;
	assert_int_equal(history_add(history, machine, S / 2), 0);
}

/* A chart of 20 seconds in 10 columns: two values per column, each for a second. */
static struct chart twenty_seconds(void)
{
	return (struct chart){
		.history = history,
		.dev = &machine->devices[0],
		.metric = METRIC_DRAM,
		.from_ns = 1000 * S,
		.to_ns = 1020 * S,
		.columns = 10,
	};
}

static void assert_row(size_t rows, uint64_t top, enum plot_characters characters, size_t row,
		       const char *expected)
{
	struct metric_range values[10 * PLOT_SIDES];
	const struct chart chart = twenty_seconds();
	struct plot_bar bars[10 * PLOT_SIDES];
	const struct plot plot = { .bars = bars,
				   .columns = chart.columns,
				   .rows = rows,
				   .top = (double)top / metric_infos[METRIC_DRAM].scale,
				   .characters = characters };
	struct buf out = { 0 };

	chart_read(&chart, values);
	plot_measure(&plot, values);
	plot_row(&out, &plot, row);
	assert_string_equal(buf_text(&out), expected);
	buf_done(&out);
}

TEST(the_axis_is_time_not_sample_numbers)
{
	/* Ten samples within a second, then one per second. */
	for (int i = 0; i < 10; i++)
		add(1000 * S + i * S / 10, 1);
	for (int i = 10; i <= 20; i++)
		add((1000 + i) * S, 4);
	assert_row(1, 4, PLOT_ASCII, 0, ".    #####");
}

/* 70 seconds in 30 columns, of which none begins at a second. */
TEST(a_chart_moves_when_a_column_is_complete)
{
	struct chart before = { .columns = 30 }, after = { .columns = 30 };
	unsigned moves = 0;

	chart_place(&before, 1000 * S, 70 * S);
	for (int64_t now = 1000 * S; now <= 1070 * S; now += S / 10) {
		int64_t column_ns, moved;

		chart_place(&after, now, 70 * S);
		column_ns = (after.to_ns - after.from_ns) / 30;
		moved = after.to_ns - before.to_ns;
		assert_true(after.to_ns > now && after.to_ns <= now + column_ns);
		assert_true(moved == 0 || moved == column_ns);
		assert_true(after.from_ns - before.from_ns == moved);
		moves += moved != 0;
		before = after;
	}
	assert_int_equal(moves, 30);
}

/* A sample holds for the second after it. */
TEST(a_gap_is_empty_and_zero_is_not)
{
	for (int i = 0; i <= 20; i++)
		if (i < 5 || i > 13)
			add((1000 + i) * S, i < 5 ? 0 : 2);
	assert_row(1, 4, PLOT_ASCII, 0, "...    :::");
}

TEST(unknown_values_are_not_drawn)
{
	assert_row(1, 4, PLOT_ASCII, 0, "          ");
	machine->taken_ns = 1010 * S;
	assert_int_equal(history_add(history, machine, S), 0);
	assert_row(1, 4, PLOT_ASCII, 0, "          ");
}

TEST(rows_are_stacked)
{
	for (int i = 0; i <= 20; i++)
		add((1000 + i) * S, i < 10 ? 8 : 2);
	assert_row(2, 8, PLOT_ASCII, 0, "#####     ");
	assert_row(2, 8, PLOT_ASCII, 1, "#####:::::");
}

TEST(braille_has_two_columns_in_a_cell)
{
	for (int i = 0; i <= 20; i++)
		add((1000 + i) * S, i % 2 ? 4 : 2);
	/* The last second includes the sample of this instant, which is lower. */
	assert_row(1, 4, PLOT_BRAILLE, 0, "⣼⣼⣼⣼⣼⣼⣼⣼⣼⣬");
}

TEST(the_maximum_of_a_chart_is_that_of_its_values)
{
	const struct chart chart = twenty_seconds();
	struct metric_range values[10 * PLOT_SIDES];

	add(990 * S, 100);
	add(1010 * S, 64);
	assert_true(chart_read(&chart, values) * metric_infos[METRIC_DRAM].scale == 64);
}

TEST(the_top_is_a_fraction_of_the_capacity)
{
	assert_int_equal(chart_choose_top(100, 1000), 125);
	assert_int_equal(chart_choose_top(100, 100), 100);
	assert_int_equal(chart_choose_top(100, 0), 128);
	assert_true(chart_choose_top(100, 50) >= 50);
	assert_int_equal(chart_choose_top(0, 6400), 100); /* not a scale of bytes */
}

TEST(every_size_has_its_width)
{
	for (size_t columns = 1; columns < 200; columns++)
		for (int utf8 = 0; utf8 < 2; utf8++) {
			struct buf out = { 0 };

			chart_put_axis(&out, 20 * S, columns, utf8);
			assert_int_equal(text_width(buf_text(&out), out.length), columns);
			buf_done(&out);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_axis_is_time_not_sample_numbers, begin, end),
		cmocka_unit_test_setup_teardown(a_chart_moves_when_a_column_is_complete, begin,
						end),
		cmocka_unit_test_setup_teardown(a_gap_is_empty_and_zero_is_not, begin, end),
		cmocka_unit_test_setup_teardown(unknown_values_are_not_drawn, begin, end),
		cmocka_unit_test_setup_teardown(rows_are_stacked, begin, end),
		cmocka_unit_test_setup_teardown(braille_has_two_columns_in_a_cell, begin, end),
		cmocka_unit_test_setup_teardown(the_maximum_of_a_chart_is_that_of_its_values, begin,
						end),
		cmocka_unit_test_setup_teardown(the_top_is_a_fraction_of_the_capacity, begin, end),
		cmocka_unit_test_setup_teardown(every_size_has_its_width, begin, end),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
