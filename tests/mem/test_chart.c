/* Charts: the axis is time, gaps are gaps, nothing is wider than it was asked to be. */
#include "unit/unit.h"

#include "basic/clock.h"
#include "basic/text.h"
#include "render/chart.h"

#include <locale.h>
#include <stdlib.h>

#define S NS_PER_S

/* 20 seconds in 10 columns of ASCII: a dot is a second. */
static struct chart chart_of(const struct series *series)
{
	return (struct chart){
		.series = series,
		.now_ns = 1020 * S,
		.span_ns = 20 * S,
		.hold_ns = S / 2,
		.top = 4,
		.columns = 10,
		.rows = 1,
	};
}

static void add(struct series *series, int64_t time_ns, uint64_t dram)
{
	const struct point point = { .time_ns = time_ns, .known = true, .last = { dram, 0 } };

	series_add(series, &point);
}

static void assert_row(const struct chart *chart, size_t row, const char *expected)
{
	struct buf out = { 0 };

	chart_put_row(&out, chart, row);
	assert_string_equal(buf_text(&out), expected);
	buf_done(&out);
}

TEST(time_is_on_the_axis_not_samples)
{
	struct series *series = series_new(600, S);
	struct chart chart = chart_of(series);

	/* Ten samples within a second, then one per second. */
	for (int i = 0; i < 10; i++)
		add(series, 1000 * S + i * S / 10, 1);
	for (int i = 10; i <= 20; i++)
		add(series, (1000 + i) * S, 4);
	assert_row(&chart, 0, ".    #####");
	series_free(series);
}

TEST(a_gap_is_empty_and_zero_is_not)
{
	struct series *series = series_new(600, S);
	struct chart chart = chart_of(series);

	for (int i = 0; i <= 20; i++)
		if (i < 6 || i > 13)
			add(series, (1000 + i) * S, i < 6 ? 0 : 2);
	assert_row(&chart, 0, "...    :::");
	series_free(series);
}

TEST(nothing_known_is_nothing_drawn)
{
	struct series *series = series_new(600, S);
	struct chart chart = chart_of(series);

	assert_row(&chart, 0, "          ");
	chart.series = NULL;
	assert_row(&chart, 0, "          ");
	series_free(series);
}

TEST(rows_stand_on_each_other)
{
	struct series *series = series_new(600, S);
	struct chart chart = chart_of(series);

	for (int i = 0; i <= 20; i++)
		add(series, (1000 + i) * S, i < 10 ? 8 : 2);
	chart.rows = 2;
	chart.top = 8;
	assert_row(&chart, 0, "#####     ");
	assert_row(&chart, 1, "#####:::::");
	series_free(series);
}

TEST(braille_has_two_columns_in_a_cell)
{
	struct series *series = series_new(600, S);
	struct chart chart = chart_of(series);

	chart.utf8 = true;
	for (int i = 0; i <= 20; i++)
		add(series, (1000 + i) * S, i % 2 ? 4 : 2);
	/* The last second holds the sample of this instant too. */
	assert_row(&chart, 0, "⣼⣼⣼⣼⣼⣼⣼⣼⣼⣼");
	series_free(series);
}

TEST(a_top_is_a_part_of_the_capacity)
{
	struct series *series = series_new(600, S);
	struct chart chart = chart_of(series);

	add(series, 1010 * S, 100);
	assert_int_equal(chart_choose_top(&chart, 1000), 125);
	assert_int_equal(chart_choose_top(&chart, 100), 100);
	assert_int_equal(chart_choose_top(&chart, 0), 128);
	assert_true(chart_choose_top(&chart, 50) >= 50);
	series_free(series);
}

TEST(every_size_has_its_width)
{
	struct series *series = series_new(600, S);
	struct chart chart = chart_of(series);

	for (int i = 0; i <= 20; i++)
		add(series, (1000 + i) * S, (uint64_t)i);
	for (size_t columns = 1; columns < 200; columns++) {
		for (int utf8 = 0; utf8 < 2; utf8++) {
			struct buf out = { 0 };

			chart.columns = columns;
			chart.utf8 = utf8;
			chart_put_row(&out, &chart, 0);
			assert_int_equal(text_width(buf_text(&out), out.length), columns);
			buf_reset(&out);
			chart_put_axis(&out, &chart);
			assert_int_equal(text_width(buf_text(&out), out.length), columns);
			buf_done(&out);
		}
	}
	series_free(series);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_is_on_the_axis_not_samples),
		cmocka_unit_test(a_gap_is_empty_and_zero_is_not),
		cmocka_unit_test(nothing_known_is_nothing_drawn),
		cmocka_unit_test(rows_stand_on_each_other),
		cmocka_unit_test(braille_has_two_columns_in_a_cell),
		cmocka_unit_test(a_top_is_a_part_of_the_capacity),
		cmocka_unit_test(every_size_has_its_width),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
