/* Steady, grown, or a leak: by age and slope, not by a step or by work that comes and goes. */
#include "unit/unit.h"

#include "basic/clock.h"
#include "model/growth.h"

#define S  NS_PER_S
#define MB (UINT64_C(1) << 20)

enum frees { NO_FREES, SOME_FREES, FREES_UNKNOWN };

/* One sample per second, as amount(second) has it. */
static struct growth judge(unsigned seconds, uint64_t (*amount)(unsigned), enum frees frees)
{
	struct series *series = series_new(40, 15 * S);
	struct growth growth;

	for (unsigned i = 0; i < seconds; i++) {
		const struct point point = {
			.time_ns = (1000 + i) * S,
			.known = true,
			.last = { amount(i), 0 },
			.has_frees = frees != FREES_UNKNOWN,
			.frees = frees == SOME_FREES ? i : 0,
		};

		series_add(series, &point);
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

/* A saw that stands on a ramp: the floor rises. */
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

TEST(nothing_is_said_too_early)
{
	assert_int_equal(judge(9, ramp, NO_FREES).trend, TREND_UNKNOWN);
	assert_int_equal(growth_judge(NULL).trend, TREND_UNKNOWN);
}

TEST(flat_is_steady)
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

TEST(a_ramp_whose_frees_nobody_counts_is_a_leak_after_five_minutes)
{
	assert_int_equal(judge(200, ramp, FREES_UNKNOWN).trend, TREND_GREW);
	assert_int_equal(judge(400, ramp, FREES_UNKNOWN).trend, TREND_LEAK);
	assert_false(judge(400, ramp, FREES_UNKNOWN).has_frees);
}

TEST(a_small_leak_is_a_leak)
{
	assert_int_equal(judge(600, slow_ramp, NO_FREES).trend, TREND_LEAK);
}

TEST(a_step_is_growth_and_no_leak)
{
	assert_int_equal(judge(300, step, NO_FREES).trend, TREND_GREW);
}

TEST(a_model_that_was_loaded_is_no_leak)
{
	assert_int_equal(judge(300, warm_up, NO_FREES).trend, TREND_GREW);
}

TEST(work_that_comes_and_goes_is_no_leak)
{
	enum trend trend = judge(600, saw, SOME_FREES).trend;

	assert_true(trend == TREND_STEADY || trend == TREND_GREW || trend == TREND_SHRANK);
}

TEST(a_rising_floor_is_a_leak_whatever_is_freed)
{
	assert_int_equal(judge(590, saw_on_ramp, SOME_FREES).trend, TREND_LEAK);
	assert_true(judge(590, saw_on_ramp, SOME_FREES).frees > 0);
}

TEST(falling_shrinks)
{
	struct growth growth = judge(300, falling, SOME_FREES);

	assert_int_equal(growth.trend, TREND_SHRANK);
	assert_true(growth.bytes < 0);
}

TEST(a_long_watch_forgets_the_beginning)
{
	/* An hour flat after a warm-up that is out of the ring. */
	assert_int_equal(judge(3600, warm_up, NO_FREES).trend, TREND_STEADY);
}

TEST(what_was_known_within_one_step_only_is_no_history)
{
	struct series *series = series_new(40, 15 * S);
	const struct point known = { .time_ns = 991 * S, .known = true, .last = { MB, 0 } };
	const struct point unknown = { .time_ns = 992 * S };

	series_add(series, &known);
	series_add(series, &unknown);
	assert_int_equal(growth_judge(series).trend, TREND_UNKNOWN);
	series_free(series);
}

/* Every trend has a word, and no amount breaks the sums. */
TEST(extremes_do_not_overflow)
{
	struct series *series = series_new(40, 15 * S);

	for (int i = 0; i < 100; i++) {
		const struct point point = {
			.time_ns = (1 + i) * S,
			.known = true,
			.last = { i % 2 ? UINT64_C(1) << 50 : 0, UINT64_C(1) << 50 },
		};

		series_add(series, &point);
	}
	assert_non_null(trend_name(growth_judge(series).trend));
	series_free(series);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_said_too_early),
		cmocka_unit_test(flat_is_steady),
		cmocka_unit_test(a_ramp_without_frees_is_a_leak_after_a_minute),
		cmocka_unit_test(a_ramp_whose_frees_nobody_counts_is_a_leak_after_five_minutes),
		cmocka_unit_test(a_small_leak_is_a_leak),
		cmocka_unit_test(a_step_is_growth_and_no_leak),
		cmocka_unit_test(a_model_that_was_loaded_is_no_leak),
		cmocka_unit_test(work_that_comes_and_goes_is_no_leak),
		cmocka_unit_test(a_rising_floor_is_a_leak_whatever_is_freed),
		cmocka_unit_test(falling_shrinks),
		cmocka_unit_test(a_long_watch_forgets_the_beginning),
		cmocka_unit_test(what_was_known_within_one_step_only_is_no_history),
		cmocka_unit_test(extremes_do_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
