/* Memory over time: no sample is lost, gaps stay gaps, memory is bounded. */
#include "unit/unit.h"

#include "basic/clock.h"
#include "model/series.h"

#include <math.h>

#define S    NS_PER_S
#define HOUR (3600 * S)

static struct point sample(int64_t time_ns, uint64_t dram)
{
	return (struct point){ .time_ns = time_ns, .known = true, .last = { dram, 0 } };
}

/* Each value holds for a second. */
static void add(struct series *series, int64_t time_ns, uint64_t dram)
{
	struct point point = sample(time_ns, dram);

	series_add(series, &point, S);
}

static void add_unknown(struct series *series, int64_t time_ns)
{
	struct point point = { .time_ns = time_ns, .last = { 999, 999 } };

	series_add(series, &point, S);
}

/* Ten steps of a second. */
static struct series *ten_seconds(void)
{
	return series_new(10, S, 10 * S);
}

#define assert_range(series, from, to, from_value, to_value)          \
	do {                                                          \
		struct metric_range range_;                           \
		assert_true(series_range(series, from, to, &range_)); \
		assert_near(range_.low, (double)(from_value));        \
		assert_near(range_.high, (double)(to_value));         \
	} while (0)

static void assert_gap(const struct series *series, int64_t from_ns, int64_t to_ns)
{
	struct metric_range range = { 77, 78 };

	assert_false(series_range(series, from_ns, to_ns, &range));
	assert_near(range.low, 77); /* unchanged */
}

TEST(the_samples_of_a_step_share_a_point)
{
	struct series *series = ten_seconds();
	const struct point *point;

	add(series, 100 * S, 5);
	add(series, 100 * S + S / 4, 9);
	add(series, 100 * S + S / 2, 4);
	add(series, 100 * S + 3 * S / 4, 7);
	point = series_at(series, 0);
	assert_non_null(point);
	assert_true(point->time_ns == 100 * S + 3 * S / 4);
	assert_int_equal(point->last[POOL_DRAM], 7);
	assert_int_equal(point->low, 4);
	assert_int_equal(point->high, 9);
	assert_int_equal(point->least, 4);
	assert_null(series_at(series, 1));
	assert_int_equal(series->peak[POOL_DRAM], 9);
	assert_int_equal(series->samples, 4);
	assert_int_equal(series->first.last[POOL_DRAM], 5);
	series_free(series);
}

TEST(the_least_is_that_of_both_pools_together)
{
	static const uint64_t amounts[][SERIES_POOLS] = { { 9, 1 }, { 1, 7 }, { 8, 8 } };
	struct series *series = ten_seconds();

	for (unsigned i = 0; i < ARRAY_SIZE(amounts); i++) {
		struct point point = sample(100 * S + i, amounts[i][POOL_DRAM]);

		point.last[POOL_L1] = amounts[i][POOL_L1];
		series_add(series, &point, S);
	}
	assert_int_equal(series_at(series, 0)->least, 8);
	assert_int_equal(series_at(series, 0)->low, 1);
	assert_int_equal(series_at(series, 0)->high, 9);
	assert_int_equal(series_at(series, 0)->last[POOL_L1], 8);
	assert_int_equal(series->peak[POOL_L1], 8);
	series_free(series);
}

TEST(a_step_without_a_sample_is_a_gap)
{
	struct series *series = ten_seconds();

	add(series, 100 * S, 5);
	add(series, 104 * S, 6);
	assert_range(series, 100 * S, 101 * S, 5, 5);
	assert_gap(series, 101 * S, 104 * S);
	assert_range(series, 104 * S, 105 * S, 6, 6);
	assert_range(series, 100 * S, 105 * S, 5, 6);
	series_free(series);
}

TEST(a_value_holds_until_a_sample_that_is_not_late)
{
	struct series *series = ten_seconds();
	struct point point = sample(100 * S, 5);

	series_add(series, &point, 4 * S);
	add(series, 100 * S + S / 2, 7);
	point = sample(101 * S, 3);
	series_add(series, &point, 3 * S);
	point = sample(104 * S, 6); /* just in time */
	series_add(series, &point, 2 * S);
	assert_range(series, 102 * S, 103 * S, 3, 3);
	/* The last value is held, not the range. */
	assert_range(series, 100 * S, 101 * S, 5, 7);
	/* Nothing came after it. */
	assert_range(series, 105 * S, 106 * S, 6, 6);
	assert_gap(series, 106 * S, 107 * S);
	series_free(series);
}

TEST(nothing_is_known_before_the_first_sample_and_after_the_last)
{
	struct series *series = ten_seconds();

	assert_gap(series, 0, HOUR);
	add(series, 100 * S + S / 2, 5);
	assert_gap(series, 99 * S, 100 * S + S / 2);
	assert_range(series, 100 * S, 100 * S + S / 2 + 1, 5, 5);
	assert_range(series, 101 * S + S / 2 - 1, 102 * S, 5, 5);
	assert_gap(series, 101 * S + S / 2, 102 * S);
	series_free(series);
}

TEST(the_last_value_can_end_within_its_step)
{
	struct series *series = ten_seconds();
	struct point point = sample(100 * S + S / 4, 5);

	series_add(series, &point, S / 4);
	assert_range(series, 100 * S + S / 2 - 1, 101 * S, 5, 5);
	assert_gap(series, 100 * S + S / 2, 101 * S);
	series_free(series);
}

TEST(points_before_the_span_are_dropped)
{
	struct series *series = ten_seconds();

	for (int i = 0; i < 25; i++)
		add(series, (100 + i) * S, (uint64_t)i);
	assert_true(series->step_ns == S); /* no reason to double */
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(series_at(series, i)->last[POOL_DRAM], 15 + i);
	assert_null(series_at(series, 10));
	add(series, 200 * S, 3);
	assert_null(series_at(series, 1));
	assert_int_equal(series->first.last[POOL_DRAM], 0);
	assert_int_equal(series->peak[POOL_DRAM], 24);
	series_free(series);
}

TEST(unknown_values_are_not_in_the_range)
{
	struct series *series = ten_seconds();

	add_unknown(series, 100 * S);
	assert_int_equal(series->samples, 0);
	assert_gap(series, 99 * S, 102 * S);
	add(series, 100 * S + 1, 5);
	assert_range(series, 99 * S, 102 * S, 5, 5);
	assert_int_equal(series->peak[POOL_DRAM], 5);
	assert_true(series->first.time_ns == 100 * S + 1);
	series_free(series);
}

/* The value of the step stays known, with its time, but does not hold. */
TEST(an_unknown_sample_ends_a_known_value)
{
	struct series *series = ten_seconds();
	const struct point *point;

	add(series, 100 * S + 1, 5);
	add_unknown(series, 100 * S + 2);
	point = series_at(series, 0);
	assert_true(point->known);
	assert_true(point->time_ns == 100 * S + 1);
	assert_int_equal(point->last[POOL_DRAM], 5);
	assert_range(series, 100 * S, 101 * S, 5, 5);
	assert_gap(series, 101 * S, 102 * S);
	add_unknown(series, 101 * S);
	assert_gap(series, 101 * S, 102 * S);
	add(series, 101 * S + 1, 6);
	assert_range(series, 101 * S, 102 * S, 6, 6);
	assert_int_equal(series->samples, 2);
	series_free(series);
}

TEST(a_value_that_ended_does_not_hold_for_a_later_one)
{
	struct series *series = ten_seconds();
	const struct point points[] = { sample(100 * S, 5),
					{ .time_ns = 100 * S + 1 },
					sample(103 * S, 6) };

	for (unsigned i = 0; i < ARRAY_SIZE(points); i++)
		series_add(series, &points[i], 4 * S);
	assert_true(series_at(series, 1)->joined);
	assert_gap(series, 101 * S, 103 * S);
	series_free(series);
}

TEST(only_known_samples_of_two_moments_span_time)
{
	for (size_t most = 0; most <= 10; most += 10) {
		struct series *series = series_new(most, S, 10 * S);

		assert_false(series_spans_time(NULL));
		assert_false(series_spans_time(series));
		add(series, 100 * S, 5);
		add(series, 100 * S, 6);
		add_unknown(series, 101 * S);
		assert_false(series_spans_time(series));
		add(series, 102 * S, 5);
		assert_true(series_spans_time(series));
		series_free(series);
	}
}

TEST(zero_is_a_value)
{
	struct series *series = ten_seconds();

	add(series, 100 * S, 0);
	assert_range(series, 100 * S, 101 * S, 0, 0);
	series_free(series);
}

/* ---- doubling ---- */

TEST(two_steps_are_merged_into_one)
{
	struct series *series = series_new(4, S, HOUR);
	static const uint64_t amounts[] = { 5, 3, 8, 9, 7 };
	const struct point *point;

	for (unsigned i = 0; i < ARRAY_SIZE(amounts); i++) {
		struct point each = sample((100 + i) * S + i, amounts[i]);

		each.frees = i;
		each.has_frees = true;
		series_add(series, &each, 2 * S);
	}
	assert_true(series->step_ns == 2 * S);
	point = series_at(series, 0);
	assert_true(point->time_ns == 101 * S + 1);
	assert_int_equal(point->last[POOL_DRAM], 3);
	assert_int_equal(point->low, 3);
	assert_int_equal(point->high, 5);
	assert_int_equal(point->least, 3);
	assert_int_equal(point->frees, 1);
	point = series_at(series, 1);
	assert_true(point->time_ns == 103 * S + 3);
	assert_int_equal(point->last[POOL_DRAM], 9);
	assert_int_equal(point->low, 8);
	assert_int_equal(point->high, 9);
	assert_true(point->joined);
	assert_int_equal(series_at(series, 2)->last[POOL_DRAM], 7);
	assert_null(series_at(series, 3));
	series_free(series);
}

/* The new sample can be in the step of the last one, once that has doubled. */
TEST(a_sample_joins_the_step_that_has_doubled)
{
	struct series *series = series_new(2, S, HOUR);

	add(series, 101 * S, 1);
	add(series, 102 * S, 2);
	add(series, 103 * S, 3);
	assert_true(series->step_ns == 2 * S);
	assert_int_equal(series_at(series, 1)->low, 2);
	assert_int_equal(series_at(series, 1)->high, 3);
	assert_null(series_at(series, 2));
	series_free(series);
}

TEST(a_gap_stays_a_gap_when_steps_double)
{
	struct series *series = series_new(40, 3 * S / 2, HOUR);

	for (int64_t now = 1000 * S; now < 3000 * S; now += S / 2) {
		if (now < 1100 * S || now > 1400 * S)
			add(series, now, 5);
		if (now < 1500 * S || now % (50 * S))
			continue;
		assert_range(series, 1000 * S, 1100 * S, 5, 5);
		assert_gap(series, 1100 * S + series->step_ns, 1400 * S - series->step_ns);
		assert_range(series, 1401 * S, now, 5, 5);
	}
	assert_true(series->step_ns == 48 * S);
	series_free(series);
}

TEST(without_points_the_first_sample_and_the_peak_remain)
{
	struct series *series = series_new(0, S, HOUR);

	for (int i = 0; i < 1000; i++)
		add(series, (1 + i) * S, (uint64_t)(5 + i % 10));
	assert_int_equal(series->samples, 1000);
	assert_int_equal(series->first.last[POOL_DRAM], 5);
	assert_int_equal(series->peak[POOL_DRAM], 14);
	assert_null(series_at(series, 0));
	assert_gap(series, 0, HOUR);
	series_free(series);
}

/* What was added, to be compared with the points. */
struct record {
	int64_t time_ns[20000];
	uint64_t dram[20000];
	size_t count;
};

/* Up to the given one. */
static int64_t random_time(uint64_t *seed, int64_t most_ns)
{
	return most_ns * random_below(seed, 1001) / 1000;
}

/* The range of the samples between two times, both included. */
static struct metric_range range_of(const struct record *record, int64_t from_ns, int64_t to_ns)
{
	struct metric_range range = { INFINITY, -INFINITY };

	for (size_t i = 0; i < record->count; i++) {
		double value = (double)record->dram[i];

		if (record->time_ns[i] < from_ns || record->time_ns[i] > to_ns)
			continue;
		range.low = MIN(range.low, value);
		range.high = MAX(range.high, value);
	}
	return range;
}

/* Covers all samples between the two times, and none that is more than a step away. */
static void assert_true_range(const struct series *series, const struct record *record,
			      int64_t from_ns, int64_t to_ns)
{
	struct metric_range inner = range_of(record, from_ns, to_ns - 1), range;
	struct metric_range outer =
		range_of(record, from_ns - series->step_ns, to_ns + series->step_ns);

	assert_true(series_range(series, from_ns, to_ns, &range));
	assert_true(range.low <= inner.low && range.high >= inner.high);
	assert_true(range.low >= outer.low && range.high <= outer.high);
}

/* Each point has the time and value of a sample; they are in order, in different steps. */
static void assert_true_points(const struct series *series, const struct record *record)
{
	const struct point *point;
	int64_t step = -1;
	size_t sample = 0;

	for (size_t i = 0; (point = series_at(series, i)); i++) {
		while (record->time_ns[sample] != point->time_ns)
			assert_true(++sample < record->count);
		assert_true(record->dram[sample] == point->last[POOL_DRAM]);
		assert_true(point->time_ns / series->step_ns > step);
		step = point->time_ns / series->step_ns;
	}
	assert_int_equal(sample, record->count - 1);
}

/* Two hours with samples every 0 to 1 s, in the form that a process has. */
TEST(no_sample_is_lost_by_doubling)
{
	struct series *series = series_new(40, 3 * S / 2, HOUR);
	static struct record record;
	int64_t begin = 123456789 * INT64_C(1000), now = begin;
	uint64_t seed = 42;

	while (now < begin + 2 * HOUR) {
		int64_t from = MAX(begin, now - 3500 * S), to;

		record.time_ns[record.count] = now;
		record.dram[record.count] = random_below(&seed, 1000000);
		add(series, now, record.dram[record.count++]);
		from += random_time(&seed, now - from);
		to = from + 1 + random_time(&seed, now - from);
		if (record.count % 100 == 0) {
			assert_true_points(series, &record);
			assert_true_range(series, &record, from, to);
		}
		now += 1 + random_time(&seed, S - 1);
	}
	assert_true(series->step_ns == 96 * S);
	assert_true(series->count <= 40 && series->room <= 40);
	series_free(series);
}

/* Columns between the first sample and now have a value, whatever the age. */
TEST(a_chart_has_no_gaps_at_any_age)
{
	static const int64_t periods[] = { S / 10, S, 10 * S, 60 * S };

	for (unsigned p = 0; p < ARRAY_SIZE(periods); p++) {
		struct series *series = series_new(40, 3 * S / 2, HOUR);
		int64_t period = periods[p];

		for (int64_t now = 1000 * S; now < 1000 * S + 2 * HOUR; now += period) {
			struct point point = sample(now, 5);
			int64_t span = MIN(MAX(now - 1000 * S, 60 * S), HOUR);

			series_add(series, &point, 2 * period);
			if (now % (7 * S))
				continue;
			for (int i = 0; i < 40; i++) {
				int64_t from = now - span + i * span / 40, to = from + span / 40;

				if (to > 1000 * S)
					assert_range(series, from, to, 5, 5);
				else
					assert_gap(series, from, to);
			}
		}
		assert_true(series->count <= 40);
		series_free(series);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_samples_of_a_step_share_a_point),
		cmocka_unit_test(the_least_is_that_of_both_pools_together),
		cmocka_unit_test(a_step_without_a_sample_is_a_gap),
		cmocka_unit_test(a_value_holds_until_a_sample_that_is_not_late),
		cmocka_unit_test(nothing_is_known_before_the_first_sample_and_after_the_last),
		cmocka_unit_test(the_last_value_can_end_within_its_step),
		cmocka_unit_test(points_before_the_span_are_dropped),
		cmocka_unit_test(unknown_values_are_not_in_the_range),
		cmocka_unit_test(an_unknown_sample_ends_a_known_value),
		cmocka_unit_test(a_value_that_ended_does_not_hold_for_a_later_one),
		cmocka_unit_test(only_known_samples_of_two_moments_span_time),
		cmocka_unit_test(zero_is_a_value),
		cmocka_unit_test(two_steps_are_merged_into_one),
		cmocka_unit_test(a_sample_joins_the_step_that_has_doubled),
		cmocka_unit_test(a_gap_stays_a_gap_when_steps_double),
		cmocka_unit_test(without_points_the_first_sample_and_the_peak_remain),
		cmocka_unit_test(no_sample_is_lost_by_doubling),
		cmocka_unit_test(a_chart_has_no_gaps_at_any_age),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
