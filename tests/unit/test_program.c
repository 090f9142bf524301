/* Utilisation from records of programs. */
#include "program_chip.h"
#include "unit.h"

#include <math.h>

static void duty_is_exact_from_1_to_50000_programs_per_second(void **state)
{
	static const int64_t rates[] = { 4, 100, 1000, 20000, 50000 };
	static const int duties[] = { 1, 15, 50, 85, 100 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(duties); j++) {
			int64_t every = NS_PER_S / rates[i];
			struct program_figure figure;
			struct chip chip;

			chip_begin(&chip, every, every * duties[j] / 100);
			chip.waits = rates[i] <= 100;
			chip_play(&chip, BEGIN, BEGIN + 5 * NS_PER_S, true, &figure);
			assert_true(figure.is_known);
			assert_int_equal(figure.bound, PROGRAM_EXACT);
			assert_true(fabs(figure_share(&figure) - duties[j] / 100.0) <= 0.01);
			assert_true(figure.programs + 1 >= (uint64_t)rates[i] &&
				    figure.programs <= (uint64_t)rates[i] + 1);
			program_stream_done(&chip.stream);
		}
	}
}

static void without_launches_it_is_a_lower_bound(void **state)
{
	struct program_figure figure;
	struct chip chip;

	(void)state;
	chip_begin(&chip, NS_PER_MS, 700000);
	chip_play(&chip, BEGIN, BEGIN + 3 * NS_PER_S, false, &figure);
	assert_true(figure.is_known);
	assert_int_equal(figure.bound, PROGRAM_LOWER);
	assert_true(fabs(figure_share(&figure) - 0.7) <= 0.01);
	program_stream_done(&chip.stream);
}

static void a_silent_ring_is_unknown_unless_nothing_was_launched(void **state)
{
	struct program_figure figure;
	struct chip chip;

	(void)state;
	chip_begin(&chip, NS_PER_MS, 0);
	chip_play(&chip, BEGIN, BEGIN + NS_PER_S, false, &figure);
	assert_false(figure.is_known);
	assert_int_equal(figure.last, -1);
	chip_play(&chip, BEGIN + NS_PER_S, BEGIN + 2 * NS_PER_S, true, &figure);
	assert_true(figure.is_known);
	assert_int_equal(figure.bound, PROGRAM_EXACT);
	assert_int_equal(figure.busy, 0);
	chip.launches.count = 1; /* a program without a number: no record will come */
	program_figure_judge(&figure, &chip.stream, &chip.launches, BEGIN + 2 * NS_PER_S);
	assert_false(figure.is_known);
	program_stream_done(&chip.stream);
}

static void a_missing_record_makes_a_lower_bound_until_it_left_the_window(void **state)
{
	struct program_figure figure;
	struct chip chip;
	int64_t now = BEGIN + 3 * NS_PER_S;

	(void)state;
	chip_begin(&chip, NS_PER_MS, 500000);
	chip_play(&chip, BEGIN, now, true, &figure);
	assert_int_equal(figure.bound, PROGRAM_EXACT);
	chip.id = chip_next_id(&chip); /* a launch whose record is lost */
	chip_play(&chip, now, now + PERIOD, true, &figure);
	assert_int_equal(figure.bound, PROGRAM_LOWER);
	chip_play(&chip, now + PERIOD, now + 3 * NS_PER_S, true, &figure);
	assert_int_equal(figure.bound, PROGRAM_EXACT);
	/* Overwritten records count as missing, too. */
	assert_true(chip_add(&chip, 0, 5, now, now + 3 * NS_PER_S));
	program_figure_judge(&figure, &chip.stream, &chip.launches, now + 3 * NS_PER_S);
	assert_int_equal(figure.bound, PROGRAM_LOWER);
	program_stream_done(&chip.stream);
}

static void ids_wrap_at_16_bits_without_a_gap(void **state)
{
	struct program_figure figure;
	struct chip chip;

	(void)state;
	chip_begin(&chip, 20000, 10000); /* 50,000 a second: wraps after 1.3 s, and again */
	for (int64_t now = BEGIN; now < BEGIN + 6 * NS_PER_S; now += NS_PER_S) {
		chip_play(&chip, now, now + NS_PER_S, true, &figure);
		assert_int_equal(figure.bound, PROGRAM_EXACT);
	}
	assert_int_equal(chip.stream.n_advanced + 1, chip.launched);
	program_stream_done(&chip.stream);
}

static void while_a_program_runs_the_window_ends_where_the_last_one_did(void **state)
{
	int64_t now = BEGIN + 3 * NS_PER_S;
	struct program_figure figure;
	struct chip chip;

	(void)state;
	chip_begin(&chip, 10 * NS_PER_MS, 8 * NS_PER_MS);
	chip_play(&chip, BEGIN, now, true, &figure);
	chip.launches.count++;
	chip.launches.are_pending = true;
	chip.launches.oldest_ns = now;
	chip_add(&chip, 0, 0, now, now + 2 * PERIOD);
	program_figure_judge(&figure, &chip.stream, &chip.launches, now + 2 * PERIOD);
	assert_int_equal(figure.bound, PROGRAM_EXACT);
	assert_true(fabs(figure_share(&figure) - 0.8) <= 0.01);
	assert_int_equal(figure.running, 2 * PERIOD);
	/* The host knows that the program ended, but there is no record: a record was lost. */
	chip.launches.are_pending = false;
	program_figure_judge(&figure, &chip.stream, &chip.launches, now + 2 * PERIOD);
	assert_int_equal(figure.bound, PROGRAM_LOWER);
	assert_int_equal(figure.running, 0);
	program_stream_done(&chip.stream);
}

static void after_a_second_of_one_program_it_is_a_lower_bound(void **state)
{
	int64_t now = BEGIN + 3 * NS_PER_S, later = now + 5 * NS_PER_S;
	struct program_figure figure;
	struct chip chip;

	(void)state;
	chip_begin(&chip, 10 * NS_PER_MS, 8 * NS_PER_MS);
	chip_play(&chip, BEGIN, now, true, &figure);
	chip.launches.count = ++chip.launches.count_after;
	chip.launches.are_pending = true;
	chip.launches.oldest_ns = now;
	chip_add(&chip, 0, 0, now, later);
	program_figure_judge(&figure, &chip.stream, &chip.launches, later);
	assert_int_equal(figure.bound, PROGRAM_LOWER);
	assert_int_equal(figure.running, later - now);
	program_stream_done(&chip.stream);
}

/*
 * Programs of 3 ms, each with an event, are launched every 5 ms. The queue is read up to 6 ms after
 * the launches.
 */
static void an_upper_bound_is_one_however_late_the_queue_is_read(void **state)
{
	const int64_t every = 5 * NS_PER_MS, busy = 3 * NS_PER_MS;
	struct program_launches launches = { .are_followed = true };
	struct program_launch_state all = { 0 }, asked = { 0 };
	struct program_queue_state queue = { 0 };
	struct program_figure figure = { 0 };
	struct program_upper upper = { 0 };
	int64_t next = BEGIN + PERIOD, read = 0, least;

	(void)state;
	srand(5);
	for (int64_t at = BEGIN; at < BEGIN + 20 * NS_PER_S; at += NS_PER_MS) {
		if ((at - BEGIN) % every == 0) {
			program_launch(&all, 1, true, (uint64_t)at);
			program_next_event(&all, &queue, 0, (uint64_t)at);
		} else if ((at - BEGIN) % every == busy) {
			program_complete(&all, &queue, 0, (uint64_t)at);
		}
		if (at == next) {
			asked = all;
			read = at + rand() % 7 * NS_PER_MS;
		}
		if (at != read)
			continue;
		program_upper_add(&upper, &asked, &queue, &launches, next, &figure);
		least = figure.window / every * busy;
		assert_true(figure.busy >= least && figure.busy <= least + 3 * busy);
		next += PERIOD;
	}
	assert_int_equal(figure.bound, PROGRAM_UPPER);
	assert_int_equal(figure.window, PROGRAM_WINDOW_NS);
}

/* Programs that are launched while the records are read are not part of the figure. */
static void the_window_ends_when_launches_were_looked_up(void **state)
{
	int64_t asked = BEGIN + 3 * NS_PER_S, read = asked + PERIOD;
	struct program_figure figure;
	struct chip chip;
	size_t count;

	(void)state;
	chip_begin(&chip, NS_PER_MS, 300000);
	chip_play(&chip, BEGIN, asked, true, &figure);
	chip.every = chip.busy; /* it becomes busy at this time */
	count = chip_run(&chip, read);
	assert_true(chip_add(&chip, count, 0, asked, read));
	chip.launches.count_after = chip.launched;
	program_figure_judge(&figure, &chip.stream, &chip.launches, asked);
	assert_int_equal(figure.bound, PROGRAM_EXACT);
	assert_int_equal(figure.to, asked);
	assert_int_equal(figure.last, 0);
	assert_true(fabs(figure_share(&figure) - 0.3) <= 0.001);
	/* More records than launches: some launches were not counted. */
	chip.launches.count_after = chip.launched - 1;
	program_figure_judge(&figure, &chip.stream, &chip.launches, asked);
	assert_int_equal(figure.bound, PROGRAM_LOWER);
	program_stream_done(&chip.stream);
}

static void other_launches_make_a_lower_bound(void **state)
{
	int64_t now = BEGIN + 3 * NS_PER_S;
	struct program_figure figure;
	struct chip chip;

	(void)state;
	chip_begin(&chip, NS_PER_MS, 500000);
	chip_play(&chip, BEGIN, now, true, &figure);
	chip.launches.uncounted_ns = now - PERIOD; /* a trace, or the second command queue */
	program_figure_judge(&figure, &chip.stream, &chip.launches, now);
	assert_int_equal(figure.bound, PROGRAM_LOWER);
	program_stream_done(&chip.stream);
}

static void two_processes_share_a_chip(void **state)
{
	struct program_user users[2] = { 0 };
	struct program_figure both;
	struct chip a, b;

	(void)state;
	chip_begin(&a, 10 * NS_PER_MS, 4 * NS_PER_MS);
	chip_begin(&b, 10 * NS_PER_MS, 4 * NS_PER_MS);
	b.next += 2 * NS_PER_MS; /* from 2 to 6: together 6 of 10 */
	chip_play(&a, BEGIN, BEGIN + 3 * NS_PER_S, true, &users[0].figure);
	chip_play(&b, BEGIN, BEGIN + 3 * NS_PER_S, true, &users[1].figure);
	users[0].busy = &a.stream.busy;
	users[1].busy = &b.stream.busy;
	program_figure_join(&both, users, 2, false);
	assert_true(both.is_known);
	assert_int_equal(both.bound, PROGRAM_EXACT);
	assert_true(fabs(figure_share(&both) - 0.6) <= 0.01);
	assert_int_equal(both.programs, 200);
	program_figure_join(&both, users, 2, true);
	assert_int_equal(both.bound, PROGRAM_LOWER);
	/*
	 * The window of one process ends with its last program: little is common to both windows.
	 */
	users[1].figure.to -= 9 * NS_PER_S / 10;
	program_figure_join(&both, users, 2, false);
	assert_int_equal(both.bound, PROGRAM_LOWER);
	assert_true(fabs(figure_share(&both) - 0.4) <= 0.01);
	assert_int_equal(both.programs, 200);
	users[1].figure.to += 9 * NS_PER_S / 10;
	/*
	 * One process has an upper bound, from launches alone: the sum of both is an upper bound.
	 */
	program_figure_upper(&users[1].figure, &b.launches, NS_PER_S / 2, NS_PER_S, BEGIN);
	users[1].busy = NULL;
	program_figure_join(&both, users, 2, false);
	assert_int_equal(both.bound, PROGRAM_UPPER);
	assert_true(fabs(figure_share(&both) - 0.9) <= 0.01);
	users[0].figure.bound = PROGRAM_LOWER; /* a lower plus an upper bound is neither */
	program_figure_join(&both, users, 2, false);
	assert_int_equal(both.bound, PROGRAM_LOWER);
	assert_true(fabs(figure_share(&both) - 0.4) <= 0.01);
	program_stream_done(&a.stream);
	program_stream_done(&b.stream);
}

/* With coarse times, the union is exact for long programs, and a bound for short ones. */
static void coarse_times_are_joined(void **state)
{
	(void)state;
	for (int64_t unit = NS_PER_MS / 10; unit <= 10 * NS_PER_MS; unit *= 100) {
		struct program_user users[2] = { { .is_coarse = true }, { .is_coarse = true } };
		struct program_figure both;
		struct chip a, b;

		chip_begin(&a, 10 * unit, 4 * unit);
		chip_begin(&b, 10 * unit, 4 * unit);
		b.next += 2 * unit; /* from 2 to 6: together 6 of 10 */
		a.waits = b.waits = true;
		chip_play(&a, BEGIN, BEGIN + 3 * NS_PER_S, true, &users[0].figure);
		chip_play(&b, BEGIN, BEGIN + 3 * NS_PER_S, true, &users[1].figure);
		users[0].busy = &a.stream.busy;
		users[1].busy = &b.stream.busy;
		program_figure_join(&both, users, 2, false);
		assert_true(both.is_known);
		assert_int_equal(both.bound,
				 unit > PROGRAM_STEP_NS ? PROGRAM_EXACT : PROGRAM_LOWER);
		assert_true(figure_share(&both) <= 0.61);
		assert_true(figure_share(&both) >= (unit > PROGRAM_STEP_NS ? 0.59 : 0.39));
		program_stream_done(&a.stream);
		program_stream_done(&b.stream);
	}
}

static void garbage_is_no_figure(void **state)
{
	struct program_record bad[] = { { 5, 3, 1 },
					{ UINT64_MAX - 1, UINT64_MAX, 2 },
					{ 1, UINT64_MAX, 3 } };
	struct program_figure figure;
	struct chip chip;

	(void)state;
	chip_begin(&chip, NS_PER_MS, 0);
	memcpy(records, bad, sizeof(bad));
	chip_add(&chip, ARRAY_SIZE(bad), 0, BEGIN, BEGIN + PERIOD);
	program_figure_judge(&figure, &chip.stream, &chip.launches, BEGIN + PERIOD);
	assert_true(!figure.is_known || figure.busy == 0);
	program_stream_done(&chip.stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(duty_is_exact_from_1_to_50000_programs_per_second),
		cmocka_unit_test(without_launches_it_is_a_lower_bound),
		cmocka_unit_test(a_silent_ring_is_unknown_unless_nothing_was_launched),
		cmocka_unit_test(a_missing_record_makes_a_lower_bound_until_it_left_the_window),
		cmocka_unit_test(ids_wrap_at_16_bits_without_a_gap),
		cmocka_unit_test(while_a_program_runs_the_window_ends_where_the_last_one_did),
		cmocka_unit_test(after_a_second_of_one_program_it_is_a_lower_bound),
		cmocka_unit_test(an_upper_bound_is_one_however_late_the_queue_is_read),
		cmocka_unit_test(the_window_ends_when_launches_were_looked_up),
		cmocka_unit_test(other_launches_make_a_lower_bound),
		cmocka_unit_test(two_processes_share_a_chip),
		cmocka_unit_test(coarse_times_are_joined),
		cmocka_unit_test(garbage_is_no_figure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
