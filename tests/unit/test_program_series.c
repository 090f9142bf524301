/* Amounts per step of time: sums are those of what was added, within the time that is kept. */
#include "metal/program_series.h"
#include "unit.h"

#include "basic/clock.h"

#include <pthread.h>

#define STEP  ((int64_t)PROGRAM_STEP_NS)
#define BEGIN (500000 * STEP)
#define KEPT  ((int64_t)(PROGRAM_STEPS - 1) * STEP)

static struct program_series series;

static int clear(void **state)
{
	(void)state;
	memset(&series, 0, sizeof(series));
	return 0;
}

TEST(an_empty_series_has_nothing)
{
	struct program_intervals list = { 0 };

	assert_int_equal(program_series_sum(&series, BEGIN, BEGIN + NS_PER_S), 0);
	assert_int_equal(program_series_sum(&series, 0, NS_PER_S), 0);
	assert_int_equal(program_series_intervals(&series, BEGIN, BEGIN + NS_PER_S, &list), 0);
	assert_int_equal(list.count, 0);
}

TEST(times_are_added_to_their_steps)
{
	int64_t start = BEGIN + STEP / 3, end = start + 10 * STEP;

	program_series_add_time(&series, start, end);
	assert_int_equal(program_series_sum(&series, BEGIN, BEGIN + NS_PER_S), end - start);
	/* Sums before and after are 0, except in the steps at both ends. */
	assert_int_equal(program_series_sum(&series, BEGIN - NS_PER_S, start - STEP), 0);
	assert_int_equal(program_series_sum(&series, end + STEP, end + NS_PER_S), 0);
	/* A time that is empty or ends before it starts. */
	program_series_add_time(&series, end, end);
	program_series_add_time(&series, end, start);
	assert_int_equal(program_series_sum(&series, BEGIN, BEGIN + NS_PER_S), end - start);
}

TEST(an_end_within_a_step_counts_in_proportion)
{
	program_series_add_time(&series, BEGIN, BEGIN + STEP);
	assert_int_equal(program_series_sum(&series, BEGIN, BEGIN + STEP / 4), STEP / 4);
	assert_int_equal(program_series_sum(&series, BEGIN + STEP / 4, BEGIN + STEP), STEP * 3 / 4);
}

TEST(old_steps_make_room_for_new_ones)
{
	int64_t later = BEGIN + 2 * KEPT;

	program_series_add_time(&series, BEGIN, BEGIN + 100 * STEP);
	program_series_add_one(&series, later);
	assert_int_equal(program_series_sum(&series, later - STEP, later + STEP), 1);
	/* If a whole day is added, old steps do not overwrite the newest ones. */
	clear(NULL);
	program_series_add_time(&series, later - 86400 * NS_PER_S, later);
	assert_int_equal(program_series_sum(&series, later - NS_PER_S, later), NS_PER_S);
	assert_int_equal(program_series_sum(&series, later - 20 * KEPT, later - 19 * KEPT), 0);
}

TEST(an_amount_stops_at_its_limit)
{
	for (int i = 0; i < 5 << PROGRAM_AMOUNT_BITS; i++)
		program_series_add_one(&series, BEGIN);
	assert_int_equal(program_series_sum(&series, BEGIN - STEP, BEGIN + STEP),
			 (1 << PROGRAM_AMOUNT_BITS) - 1);
}

/* Random schedules: sums are exact, and each interval is off by less than a step. */
TEST(random_times_are_summed)
{
	uint64_t seed = 13;

	for (int round = 0; round < 50; round++) {
		int64_t at = BEGIN, busy = 0, until = BEGIN + 3 * KEPT / 4;
		unsigned longest = 1U << (8 + random_below(&seed, 18));
		struct program_intervals list = { 0 };
		const struct program_intervals *one = &list;

		clear(NULL);
		while (at < until) {
			int64_t length = 1 + random_below(&seed, longest);

			program_series_add_time(&series, at, at + length);
			busy += length;
			at += length + random_below(&seed, longest);
		}
		assert_int_equal(program_series_sum(&series, BEGIN - STEP, at + STEP), busy);
		assert_int_equal(program_series_intervals(&series, BEGIN - STEP, at + STEP, &list),
				 0);
		assert_int_equal(program_intervals_union(&one, 1, BEGIN - STEP, at + STEP), busy);
		program_intervals_done(&list);
	}
}

static void play(struct program_intervals *times, uint64_t *seed, unsigned longest, int64_t until)
{
	int64_t at = BEGIN;

	while (at < until) {
		int64_t length = 1 + random_below(seed, longest);

		assert_int_equal(program_intervals_add(times, at, at + length), 0);
		program_series_add_time(&series, at, at + length);
		at += length + random_below(seed, longest);
	}
}

/* The true union is within its bounds, which are close to each other if programs are long. */
TEST(the_union_of_two_series_is_within_its_range)
{
	const int64_t until = BEGIN + 400 * STEP;
	uint64_t seed = 5;

	for (unsigned bits = 14; bits < 28; bits++) {
		struct program_intervals times[2] = { 0 }, coarse[2] = { 0 };
		const struct program_intervals *true_lists[] = { &times[0], &times[1] };
		const struct program_intervals *lists[] = { &coarse[0], &coarse[1] };
		struct program_range range;
		int64_t busy;

		for (int i = 0; i < 2; i++) {
			clear(NULL);
			play(&times[i], &seed, 1U << bits, until);
			assert_int_equal(
				program_series_intervals(&series, BEGIN, until, &coarse[i]), 0);
		}
		busy = program_intervals_union(true_lists, 2, BEGIN, until);
		range = program_intervals_range(lists, 2, BEGIN, until, STEP);
		assert_in_range(busy, range.least, range.most);
		if (bits >= 26)
			assert_true(range.most - range.least <= 4 * STEP);
		for (int i = 0; i < 2; i++) {
			program_intervals_done(&times[i]);
			program_intervals_done(&coarse[i]);
		}
	}
}

/* Random words: no step counts more than its length. */
TEST(garbage_stays_within_the_time)
{
	struct program_intervals list = { 0 };
	const struct program_intervals *one = &list;
	uint64_t first = (uint64_t)BEGIN >> PROGRAM_STEP_BITS, seed = 7;

	for (uint64_t number = first; number < first + PROGRAM_STEPS; number++)
		series.steps[number % PROGRAM_STEPS] =
			number << PROGRAM_AMOUNT_BITS |
			random_below(&seed, 1U << PROGRAM_AMOUNT_BITS);
	assert_int_equal(program_series_intervals(&series, BEGIN, BEGIN + NS_PER_S, &list), 0);
	assert_true(program_intervals_union(&one, 1, BEGIN, BEGIN + NS_PER_S) <= NS_PER_S);
	assert_true(program_series_sum(&series, BEGIN, BEGIN + NS_PER_S) <= 2 * NS_PER_S);
	program_intervals_done(&list);
}

static void *add_times(void *arg)
{
	(void)arg;
	for (int64_t at = BEGIN; at < BEGIN + 20 * NS_PER_S; at += 10000)
		program_series_add_time(&series, at, at + 5000);
	return NULL;
}

/* Another thread makes every step half busy: no reader may see more than half. */
TEST(a_reader_never_sees_more_than_was_added)
{
	pthread_t writer;

	assert_int_equal(pthread_create(&writer, NULL, add_times, NULL), 0);
	for (int64_t to = BEGIN + NS_PER_S; to < BEGIN + 20 * NS_PER_S; to += NS_PER_S / 50)
		assert_true(program_series_sum(&series, to - NS_PER_S, to) <=
			    (uint64_t)(NS_PER_S / 2 + 2 * STEP));
	assert_int_equal(pthread_join(writer, NULL), 0);
	assert_int_equal(program_series_sum(&series, BEGIN + 19 * NS_PER_S, BEGIN + 20 * NS_PER_S) /
				 STEP,
			 NS_PER_S / 2 / STEP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(an_empty_series_has_nothing, clear),
		cmocka_unit_test_setup(times_are_added_to_their_steps, clear),
		cmocka_unit_test_setup(an_end_within_a_step_counts_in_proportion, clear),
		cmocka_unit_test_setup(old_steps_make_room_for_new_ones, clear),
		cmocka_unit_test_setup(an_amount_stops_at_its_limit, clear),
		cmocka_unit_test_setup(random_times_are_summed, clear),
		cmocka_unit_test_setup(the_union_of_two_series_is_within_its_range, clear),
		cmocka_unit_test_setup(garbage_stays_within_the_time, clear),
		cmocka_unit_test_setup(a_reader_never_sees_more_than_was_added, clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
