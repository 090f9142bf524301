/* Steady, grown, or a leak: judged by age and slope, not by a step or by temporary allocations. */
#include "unit/unit.h"

#include "basic/clock.h"
#include "model/growth.h"

#define S  NS_PER_S
#define MB (UINT64_C(1) << 20)

enum frees { NO_FREES, SOME_FREES, FREES_UNKNOWN };

/* One sample per second, given by amount(second). */
static struct growth judge(unsigned seconds, uint64_t (*amount)(unsigned), enum frees frees)
{
	struct series *series = series_new(40, 3 * S / 2, 3600 * S);
	struct growth growth;

	for (unsigned i = 0; i < seconds; i++) {
		const struct point point = {
			.time_ns = (1000 + i) * S,
			.known = true,
			.last = { amount(i), 0 },
			.has_frees = frees != FREES_UNKNOWN,
			.frees = frees == SOME_FREES ? i : 0,
		};

		series_add(series, &point, S);
	}
	growth = growth_judge(series);
	series_free(series);
	return growth;
}

static uint64_t flat(unsigned second)
{
	(void)second;
	return 1000 * MB;
}

static uint64_t ramp(unsigned second)
{
	return 100 * MB + second * MB / 4;
}

/* 4 KB a second on top of a gigabyte: less than a thousandth in ten minutes. */
static uint64_t slow_ramp(unsigned second)
{
	return 1000 * MB + second * (4 << 10);
}

static uint64_t step(unsigned second)
{
	return second < 150 ? 100 * MB : 200 * MB;
}

static uint64_t saw(unsigned second)
{
	return 500 * MB + second % 20 * MB * 10;
}

/* A sawtooth on a ramp: the minimum rises. */
static uint64_t saw_on_ramp(unsigned second)
{
	return 500 * MB + second % 20 * MB * 10 + second * MB;
}

static uint64_t falling(unsigned second)
{
	return 1000 * MB - second * MB;
}

static uint64_t warm_up(unsigned second)
{
	return second < 60 ? second * 10 * MB : 600 * MB;
}

TEST(no_trend_before_the_minimum_time)
{
	assert_int_equal(judge(9, ramp, NO_FREES).trend, TREND_UNKNOWN);
	assert_int_equal(growth_judge(NULL).trend, TREND_UNKNOWN);
}

TEST(constant_memory_is_steady)
{
	assert_int_equal(judge(600, flat, NO_FREES).trend, TREND_STEADY);
	assert_int_equal(judge(60, flat, SOME_FREES).trend, TREND_STEADY);
}

TEST(a_ramp_without_frees_is_a_leak_after_a_minute)
{
	struct growth growth = judge(590, ramp, NO_FREES);

	assert_int_equal(judge(40, ramp, NO_FREES).trend, TREND_GREW);
	assert_int_equal(judge(90, ramp, NO_FREES).trend, TREND_LEAK);
	assert_int_equal(growth.trend, TREND_LEAK);
	assert_true(growth.has_frees);
	assert_int_equal(growth.frees, 0);
	assert_true(growth.bytes > (int64_t)(130 * MB) && growth.bytes < (int64_t)(150 * MB));
	assert_true(growth.span_ns > 570 * S && growth.span_ns <= 600 * S);
}

TEST(a_ramp_without_a_count_of_frees_is_a_leak_after_five_minutes)
{
	assert_int_equal(judge(200, ramp, FREES_UNKNOWN).trend, TREND_GREW);
	assert_int_equal(judge(400, ramp, FREES_UNKNOWN).trend, TREND_LEAK);
	assert_false(judge(400, ramp, FREES_UNKNOWN).has_frees);
}

TEST(a_small_leak_is_a_leak)
{
	assert_int_equal(judge(600, slow_ramp, NO_FREES).trend, TREND_LEAK);
}

TEST(a_step_is_growth_not_a_leak)
{
	assert_int_equal(judge(300, step, NO_FREES).trend, TREND_GREW);
}

TEST(loading_a_model_is_not_a_leak)
{
	assert_int_equal(judge(300, warm_up, NO_FREES).trend, TREND_GREW);
}

TEST(temporary_allocations_are_not_a_leak)
{
	enum trend trend = judge(600, saw, SOME_FREES).trend;

	assert_true(trend == TREND_STEADY || trend == TREND_GREW || trend == TREND_SHRANK);
}

TEST(a_rising_minimum_is_a_leak_despite_frees)
{
	assert_int_equal(judge(590, saw_on_ramp, SOME_FREES).trend, TREND_LEAK);
	assert_true(judge(590, saw_on_ramp, SOME_FREES).frees > 0);
}

TEST(decreasing_memory_is_shrinking)
{
	struct growth growth = judge(300, falling, SOME_FREES);

	assert_int_equal(growth.trend, TREND_SHRANK);
	assert_true(growth.bytes < 0);
}

TEST(only_the_last_ten_minutes_count)
{
	/* An hour of constant memory after a warm-up whose samples are no longer in the ring. */
	assert_int_equal(judge(3600, warm_up, NO_FREES).trend, TREND_STEADY);
}

TEST(a_value_known_only_within_one_step_is_no_history)
{
	struct series *series = series_new(40, 3 * S / 2, 3600 * S);
	const struct point known = { .time_ns = 991 * S, .known = true, .last = { MB, 0 } };
	const struct point unknown = { .time_ns = 992 * S };

	series_add(series, &known, S);
	series_add(series, &unknown, S);
	assert_int_equal(growth_judge(series).trend, TREND_UNKNOWN);
	series_free(series);
}

/* ---- to the byte and to the nanosecond ---- */

/* Samples every period_ns, from 1000 s on, each in a step of its own, of 1 ns. */
static struct growth judge_samples(const struct point *points, unsigned count, int64_t period_ns)
{
	struct series *series = series_new(count, 1, 3600 * S);
	struct growth growth;

	for (unsigned i = 0; i < count; i++) {
		struct point point = points[i];

		point.time_ns = 1000 * S + i * period_ns;
		series_add(series, &point, S);
	}
	growth = growth_judge(series);
	series_free(series);
	return growth;
}

/* The same for amounts of DRAM in MB that are all known, with no frees. */
static enum trend trend_of(const unsigned *amounts, unsigned count, int64_t period_ns)
{
	struct point points[32] = { 0 };

	assert_true(count <= ARRAY_SIZE(points));
	for (unsigned i = 0; i < count; i++)
		points[i] = (struct point){ .known = true,
					    .has_frees = true,
					    .last = { amounts[i] * MB, 0 } };
	return judge_samples(points, count, period_ns).trend;
}

#define TREND_OF(period_ns, ...)                    \
	trend_of((const unsigned[]){ __VA_ARGS__ }, \
		 sizeof((const unsigned[]){ __VA_ARGS__ }) / sizeof(unsigned), period_ns)

TEST(ten_seconds_are_the_minimum)
{
	static const struct point points[2] = { { .known = true }, { .known = true } };

	assert_int_equal(judge_samples(points, 2, 10 * S - 1).trend, TREND_UNKNOWN);
	assert_int_equal(judge_samples(points, 2, 10 * S).trend, TREND_STEADY);
	assert_true(judge_samples(points, 2, 10 * S).span_ns == 10 * S);
}

TEST(a_leak_without_frees_takes_a_minute)
{
	assert_int_equal(TREND_OF(10 * S - 1, 1, 2, 3, 4, 5, 6, 7), TREND_GREW);
	assert_int_equal(TREND_OF(10 * S, 1, 2, 3, 4, 5, 6, 7), TREND_LEAK);
}

TEST(a_leak_with_frees_or_without_a_count_takes_five_minutes)
{
	for (enum frees frees = SOME_FREES; frees <= FREES_UNKNOWN; frees++) {
		struct point points[7] = { 0 };

		for (unsigned i = 0; i < 7; i++)
			points[i] = (struct point){ .known = true,
						    .last = { i * MB, 0 },
						    .has_frees = frees == SOME_FREES,
						    .frees = frees == SOME_FREES ? i : 0 };
		assert_int_equal(judge_samples(points, 7, 50 * S - 1).trend, TREND_GREW);
		assert_int_equal(judge_samples(points, 7, 50 * S).trend, TREND_LEAK);
	}
}

/* Bytes at the beginning, in between and at the end, over half a minute. */
static enum trend trend_between(uint64_t first, uint64_t middle, uint64_t last)
{
	const struct point points[] = {
		{ .known = true, .last = { first, 0 } },
		{ .known = true, .last = { middle, 0 } },
		{ .known = true, .last = { middle, 0 } },
		{ .known = true, .last = { last, 0 } },
	};

	return judge_samples(points, 4, 10 * S).trend;
}

TEST(less_than_64_kib_is_noise)
{
	assert_int_equal(trend_between(0, 30000, 65535), TREND_STEADY);
	assert_int_equal(trend_between(0, 30000, 65536), TREND_GREW);
	assert_int_equal(trend_between(65535, 30000, 0), TREND_STEADY);
	assert_int_equal(trend_between(65536, 30000, 0), TREND_SHRANK);
}

TEST(less_than_a_hundredth_is_noise_unless_it_rises_steadily)
{
	/* A hundredth of the larger end; in between it falls. */
	assert_int_equal(trend_between(990000000, 5, 1000000000), TREND_GREW);
	assert_int_equal(trend_between(990000001, 5, 1000000000), TREND_STEADY);
	assert_int_equal(trend_between(1000000000, 5, 990000000), TREND_SHRANK);
	assert_int_equal(trend_between(1000000000, 5, 990000001), TREND_STEADY);
	assert_int_equal(TREND_OF(5 * S, 1000, 1001, 1002, 1003, 1004, 1005, 1006), TREND_GREW);
}

TEST(l1_counts_like_dram)
{
	struct point points[7] = { 0 };
	struct growth growth;

	for (unsigned i = 0; i < 7; i++)
		points[i] = (struct point){ .known = true,
					    .has_frees = true,
					    .last = { 10 * MB, i * MB } };
	growth = judge_samples(points, 7, 10 * S);
	assert_int_equal(growth.trend, TREND_LEAK);
	assert_true(growth.bytes == (int64_t)(6 * MB));
}

TEST(the_minimum_of_each_sixth_decides)
{
	/* Two samples in each sixth of a minute; the minimum is the second one, or the first. */
	assert_int_equal(TREND_OF(5 * S, 19, 10, 29, 20, 39, 30, 49, 40, 59, 50, 69, 60, 79),
			 TREND_LEAK);
	assert_int_equal(TREND_OF(5 * S, 10, 99, 20, 99, 30, 99, 40, 99, 50, 99, 60, 99, 99),
			 TREND_LEAK);
	/* Rising peaks over a constant minimum. */
	assert_int_equal(TREND_OF(5 * S, 10, 19, 10, 29, 10, 39, 10, 49, 10, 59, 10, 69, 79),
			 TREND_GREW);
	/* A leak may have one sixth without a rise, but not two. */
	assert_int_equal(TREND_OF(5 * S, 0, 0, 10, 10, 10, 10, 20, 20, 30, 30, 40, 40, 40),
			 TREND_LEAK);
	assert_int_equal(TREND_OF(5 * S, 0, 0, 10, 10, 10, 10, 20, 20, 20, 20, 30, 30, 30),
			 TREND_GREW);
}

TEST(the_first_and_the_last_sample_belong_to_their_sixths)
{
	assert_int_equal(TREND_OF(12 * S, 30, 10, 20, 40, 50, 60), TREND_GREW);
	assert_int_equal(TREND_OF(10 * S, 10, 20, 30, 40, 50, 60, 45), TREND_GREW);
}

TEST(a_minimum_that_fell_by_one_byte_is_not_a_leak)
{
	struct point points[7] = { 0 };

	for (unsigned i = 0; i < 7; i++)
		points[i] =
			(struct point){ .known = true, .has_frees = true, .last = { i * MB, 0 } };
	points[2].last[POOL_DRAM] = MB;
	assert_int_equal(judge_samples(points, 7, 10 * S).trend, TREND_LEAK);
	points[2].last[POOL_DRAM] = MB - 1;
	assert_int_equal(judge_samples(points, 7, 10 * S).trend, TREND_GREW);
}

TEST(a_leak_needs_four_sixths_with_samples)
{
	assert_int_equal(TREND_OF(20 * S, 10, 20, 30, 40), TREND_LEAK);
	assert_int_equal(TREND_OF(30 * S, 10, 20, 30), TREND_GREW);
}

TEST(a_rising_minimum_below_the_start_is_not_a_leak)
{
	assert_int_equal(TREND_OF(5 * S, 1000, 10, 20, 20, 30, 30, 40, 40, 50, 50, 60, 60, 60),
			 TREND_SHRANK);
}

TEST(frees_are_those_between_the_ends)
{
	struct point points[2] = { { .known = true, .has_frees = true, .frees = 5 },
				   { .known = true, .has_frees = true, .frees = 7 } };
	struct growth growth = judge_samples(points, 2, 10 * S);

	assert_true(growth.has_frees);
	assert_int_equal(growth.frees, 2);
	points[1].frees = 4; /* the number of frees has changed */
	assert_false(judge_samples(points, 2, 10 * S).has_frees);
	points[1].frees = 7;
	points[0].has_frees = false;
	assert_false(judge_samples(points, 2, 10 * S).has_frees);
	points[0].has_frees = true;
	points[1].has_frees = false;
	assert_false(judge_samples(points, 2, 10 * S).has_frees);
}

TEST(samples_with_unknown_memory_are_ignored)
{
	struct point points[8] = { 0 };
	struct series *series = series_new(16, 10 * S, 3600 * S);
	struct growth growth;

	for (unsigned i = 0; i < 7; i++)
		points[i] = (struct point){ .known = i != 3,
					    .has_frees = true,
					    .last = { (i + 1) * MB, 0 } };
	points[3].last[POOL_DRAM] = 0;
	assert_int_equal(judge_samples(points, 7, 10 * S).trend, TREND_LEAK);
	/* The last step was known at first, then unknown: the known sample is the end. */
	for (unsigned i = 0; i < 7; i++) {
		points[i].time_ns = (100 + i) * 10 * S;
		series_add(series, &points[i], S);
	}
	points[7] = (struct point){ .time_ns = 1065 * S };
	series_add(series, &points[7], S);
	growth = growth_judge(series);
	assert_true(growth.bytes == (int64_t)(6 * MB));
	assert_true(growth.span_ns == 60 * S);
	series_free(series);
}

/* The samples are in steps first to last, one per step of 10 s. */
static struct growth judge_steps(int64_t first, int64_t last)
{
	struct series *series = series_new(200, 10 * S, 3600 * S);
	/* The first step has an earlier sample too. */
	const struct point earliest = { .time_ns = first * 10 * S + 1, .known = true };
	struct growth growth;

	series_add(series, &earliest, S);
	for (int64_t n = first; n <= last; n++) {
		const struct point point = {
			.time_ns = n * 10 * S + 5 * S,
			.known = true,
			.last = { (uint64_t)n * MB, 0 },
		};

		series_add(series, &point, S);
	}
	growth = growth_judge(series);
	series_free(series);
	return growth;
}

TEST(the_time_begins_with_the_oldest_sample_of_ten_minutes)
{
	struct growth growth = judge_steps(100, 159);

	/* All of them, including the first sample. */
	assert_true(growth.span_ns == 595 * S - 1);
	assert_true(growth.bytes == (int64_t)(159 * MB));
	/* Without the first sample: the last one of its step is ten minutes old. */
	growth = judge_steps(100, 160);
	assert_true(growth.span_ns == 600 * S);
	assert_true(growth.bytes == (int64_t)(60 * MB));
	growth = judge_steps(100, 200);
	assert_true(growth.span_ns == 600 * S);
	assert_true(growth.bytes == (int64_t)(60 * MB));
}

/* The minimum of the first step is older than ten minutes. */
TEST(older_samples_of_the_first_step_do_not_count)
{
	static const unsigned amounts[] = { 50, 50, 50, 50, 60, 70, 80 };
	struct series *series = series_new(40, 100 * S, 3600 * S);
	struct point point = { .time_ns = 900 * S, .known = true, .last = { 50 * MB, 0 } };

	series_add(series, &point, S);
	point.time_ns = 1000 * S;
	point.last[POOL_DRAM] = MB;
	series_add(series, &point, S);
	for (unsigned i = 0; i < ARRAY_SIZE(amounts); i++) {
		point.time_ns = (1099 + i * 100) * S;
		point.last[POOL_DRAM] = amounts[i] * MB;
		series_add(series, &point, S);
	}
	assert_int_equal(growth_judge(series).trend, TREND_GREW);
	assert_true(growth_judge(series).span_ns == 600 * S);
	series_free(series);
}

/* Steps become longer than the time for which temporary allocations exist. */
TEST(the_age_does_not_matter)
{
	for (unsigned age = 301; age < 4000; age += 37) {
		assert_int_equal(judge(age, ramp, NO_FREES).trend, TREND_LEAK);
		assert_int_equal(judge(age, saw_on_ramp, SOME_FREES).trend, TREND_LEAK);
		assert_int_not_equal(judge(age, saw, SOME_FREES).trend, TREND_LEAK);
		assert_int_equal(judge(age, flat, NO_FREES).trend, TREND_STEADY);
	}
}

TEST(every_trend_has_its_word)
{
	assert_string_equal(trend_name(TREND_UNKNOWN), "unknown");
	assert_string_equal(trend_name(TREND_STEADY), "steady");
	assert_string_equal(trend_name(TREND_GREW), "grew");
	assert_string_equal(trend_name(TREND_SHRANK), "shrank");
	assert_string_equal(trend_name(TREND_LEAK), "leak");
}

/* Sums do not overflow for any amounts. */
TEST(extremes_do_not_overflow)
{
	struct series *series = series_new(40, 3 * S / 2, 3600 * S);

	for (int i = 0; i < 100; i++) {
		const struct point point = {
			.time_ns = (1 + i) * S,
			.known = true,
			.last = { i % 2 ? UINT64_C(1) << 50 : 0, UINT64_C(1) << 50 },
		};

		series_add(series, &point, S);
	}
	assert_non_null(trend_name(growth_judge(series).trend));
	series_free(series);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_trend_before_the_minimum_time),
		cmocka_unit_test(constant_memory_is_steady),
		cmocka_unit_test(a_ramp_without_frees_is_a_leak_after_a_minute),
		cmocka_unit_test(a_ramp_without_a_count_of_frees_is_a_leak_after_five_minutes),
		cmocka_unit_test(a_small_leak_is_a_leak),
		cmocka_unit_test(a_step_is_growth_not_a_leak),
		cmocka_unit_test(loading_a_model_is_not_a_leak),
		cmocka_unit_test(temporary_allocations_are_not_a_leak),
		cmocka_unit_test(a_rising_minimum_is_a_leak_despite_frees),
		cmocka_unit_test(decreasing_memory_is_shrinking),
		cmocka_unit_test(only_the_last_ten_minutes_count),
		cmocka_unit_test(a_value_known_only_within_one_step_is_no_history),
		cmocka_unit_test(ten_seconds_are_the_minimum),
		cmocka_unit_test(a_leak_without_frees_takes_a_minute),
		cmocka_unit_test(a_leak_with_frees_or_without_a_count_takes_five_minutes),
		cmocka_unit_test(less_than_64_kib_is_noise),
		cmocka_unit_test(less_than_a_hundredth_is_noise_unless_it_rises_steadily),
		cmocka_unit_test(l1_counts_like_dram),
		cmocka_unit_test(the_minimum_of_each_sixth_decides),
		cmocka_unit_test(the_first_and_the_last_sample_belong_to_their_sixths),
		cmocka_unit_test(a_minimum_that_fell_by_one_byte_is_not_a_leak),
		cmocka_unit_test(a_leak_needs_four_sixths_with_samples),
		cmocka_unit_test(a_rising_minimum_below_the_start_is_not_a_leak),
		cmocka_unit_test(frees_are_those_between_the_ends),
		cmocka_unit_test(samples_with_unknown_memory_are_ignored),
		cmocka_unit_test(the_time_begins_with_the_oldest_sample_of_ten_minutes),
		cmocka_unit_test(older_samples_of_the_first_step_do_not_count),
		cmocka_unit_test(the_age_does_not_matter),
		cmocka_unit_test(every_trend_has_its_word),
		cmocka_unit_test(extremes_do_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
