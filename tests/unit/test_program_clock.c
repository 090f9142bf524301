/* Utilisation while the clock of a chip changes, or is not known well. */
#include "program_chip.h"
#include "unit.h"

#include <math.h>

/* The chip's clock rate changes: no figure may be wrong, and there must soon be figures again. */
static void a_changed_clock_shows_no_jump(void **state)
{
	static const double rates[] = { 0.5, 2.0, 0.8, 1.35 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
		int64_t now = BEGIN + 3 * NS_PER_S;
		struct program_figure figure;
		unsigned usable = 0;
		struct chip chip;

		chip_begin(&chip, NS_PER_MS, 600000);
		chip_play(&chip, BEGIN, now, true, &figure);
		chip_set_rate(&chip, now, rates[i]);
		for (int n = 0; n < 24; n++, now += PERIOD) {
			if (!chip_play(&chip, now, now + PERIOD, true, &figure))
				continue;
			usable++;
			assert_true(figure_share(&figure) <= 0.6 + 0.01);
		}
		/* The new rate is measured by the arrival of records, so it is not exact. */
		assert_true(usable > 16);
		assert_int_equal(figure.bound, PROGRAM_LOWER);
		assert_true(figure_share(&figure) >= 0.6 - 0.02);
		program_stream_done(&chip.stream);
	}
}

/* A chip whose records are published late, and read later still. */
struct late_chip {
	struct chip chip;
	struct program_intervals truth;
	int64_t uneven; /* programs are short and long in turns of this length; 0: no */
	int64_t pause;	/* between two samples */
	int64_t change; /* when the rate changes, */
	double rate;	/* to this one */
	uint64_t seed;
	size_t held; /* programs that have ended, and whose records are not published yet */
};

static int64_t ends[RECORDS]; /* of the programs in `records` */

/* The busy part of a second that ends at a time. */
static double true_share(const struct program_intervals *truth, int64_t end, int64_t window)
{
	return (double)program_intervals_union(&truth, 1, end - window, end) / (double)window;
}

/* Runs the programs that end by a time. */
static void late_run(struct late_chip *late, int64_t until)
{
	struct chip *chip = &late->chip;

	for (; chip->next + chip->busy <= until; chip->next += chip->every) {
		if (late->uneven)
			chip->busy = chip->every / (chip->next / late->uneven % 2 ? 10 : 2);
		if (chip->ticks_per_ns != late->rate && chip->next >= late->change)
			chip_set_rate(chip, chip->next, late->rate);
		ends[late->held] = chip->next + chip->busy;
		records[late->held++] = (struct program_record){
			.start = chip_tick(chip, chip->next),
			.end = chip_tick(chip, chip->next + chip->busy),
			.id = (uint16_t)++chip->launched,
		};
		assert_int_equal(
			program_intervals_add(&late->truth, chip->next, chip->next + chip->busy),
			0);
		chip_launch(chip, chip->next - random_below(&late->seed, 2 * NS_PER_MS));
		chip->queue.completed = chip->launched;
		chip->queue.idle_ns = (uint64_t)(chip->next + chip->busy) +
				      random_below(&late->seed, 3 * NS_PER_MS);
	}
}

/* Adds the records of programs that ended before a time. Returns whether the clock is known. */
static bool late_add(struct late_chip *late, int64_t before, int64_t since, int64_t now)
{
	size_t count = 0;
	bool usable;

	while (count < late->held && ends[count] < before)
		count++;
	usable = chip_add(&late->chip, count, 0, since, now);
	late->held -= count;
	memmove(records, records + count, late->held * sizeof(*records));
	memmove(ends, ends + count, late->held * sizeof(*ends));
	return usable;
}

/* Asserts that a figure is what it claims to be, within 1 %. Returns whether it is exact. */
static bool late_check(const struct late_chip *late, const struct program_figure *figure)
{
	bool exact = figure->bound == PROGRAM_EXACT, too_high = true, too_low = exact;

	if (!figure->is_known || figure->window < PROGRAM_WINDOW_NS)
		return false;
	/* The window ends with a program that ended up to so much later than by its clock. */
	for (int64_t end = figure->to - 5 * NS_PER_MS;
	     (too_high || too_low) && end <= figure->to + 60 * NS_PER_MS; end += 5 * NS_PER_MS) {
		double share = true_share(&late->truth, end, figure->window);

		too_high = too_high && figure_share(figure) > share + 0.01;
		too_low = too_low && figure_share(figure) < share - 0.01;
	}
	assert_false(too_high);
	assert_false(too_low);
	return exact;
}

/* Returns how many exact figures there were before the change. */
static unsigned late_play(struct late_chip *late, unsigned delay)
{
	struct chip *chip = &late->chip;
	struct program_figure figure = { 0 };
	int64_t read = BEGIN, until = late->change + 3 * NS_PER_S;
	unsigned exact = 0;

	while (read < until) {
		int64_t asked = read + late->pause, since = read;
		int64_t published = asked - random_below(&late->seed, 1 + delay);

		read = asked + random_below(&late->seed, 1 + delay);
		late_run(late, asked);
		chip_follow(chip);
		if (!late_add(late, published, since, read))
			continue;
		program_figure_judge(&figure, &chip->stream, &chip->launches, asked);
		exact += late_check(late, &figure) && read < late->change;
	}
	program_stream_done(&chip->stream);
	program_intervals_done(&late->truth);
	return exact;
}

/*
 * Whatever the delays between the end of a program, its record, and the sample in which it is read:
 * no figure around the change of a clock is untrue.
 */
static void no_figure_around_a_change_of_the_clock_is_untrue(void **state)
{
	static const double rates[] = { 0.4, 0.7, 0.9, 0.97, 1.03, 1.1, 1.4, 2.5 };
	static const int64_t every[] = { NS_PER_MS, 10 * NS_PER_MS, 40 * NS_PER_MS };
	unsigned exact = 0;

	(void)state;
	for (unsigned round = 0; round < 8 * 3 * 2 * 3 * 2; round++) {
		int64_t period = every[round / 8 % 3];
		unsigned delay = round / 48 % 3 * 40 * NS_PER_MS;
		struct late_chip late = { .rate = rates[round % 8],
					  .uneven = round / 24 % 2 * 171 * NS_PER_MS,
					  .pause = round / 144 ? PERIOD : 10 * NS_PER_MS,
					  .seed = round + 1 };

		late.change = BEGIN + 3 * NS_PER_S + random_below(&late.seed, 500 * NS_PER_MS);
		chip_begin(&late.chip, period, period / 2);
		exact += late_play(&late, delay);
	}
	assert_true(exact > 8000);
}

/*
 * The same if the clock has no anchor but the arrival of records, and changes so soon that it may
 * also have been anchored by a late one.
 */
static void no_figure_is_untrue_if_a_new_clock_changes(void **state)
{
	static const double rates[] = { 0.5, 0.8, 1.2, 1.7 };
	unsigned exact = 0;

	(void)state;
	for (unsigned round = 0; round < 4 * 3 * 2 * 4; round++) {
		unsigned delay = round / 4 % 3 * 40 * NS_PER_MS;
		struct late_chip late = { .rate = rates[round % 4],
					  .pause = round / 12 % 2 ? PERIOD : 10 * NS_PER_MS,
					  .seed = round + 1 };

		late.change = BEGIN + 500 * NS_PER_MS + random_below(&late.seed, 1500 * NS_PER_MS);
		chip_begin(&late.chip, 10 * NS_PER_MS, 6 * NS_PER_MS);
		program_clock_set(&late.chip.stream.clock, 0, 0, 1.0);
		exact += late_play(&late, delay);
	}
	assert_true(exact > 20);
}

/* The share that a clock shows, if its rate changed by this factor at a time. */
static double changed_share(const struct program_intervals *list, int64_t at, double factor)
{
	double before = (double)program_intervals_union(&list, 1, 0, at);
	double after = (double)program_intervals_union(&list, 1, at, NS_PER_S);

	return (before + after * factor) / ((double)at + (double)(NS_PER_S - at) * factor);
}

/* No change of the rate that fits to the drift has a larger error, and some have a similar one. */
static void the_error_of_a_share_covers_all_changes_of_the_rate(void **state)
{
	uint64_t seed = 3;

	(void)state;
	for (unsigned round = 0; round < 200; round++) {
		unsigned longest = 1U << (16 + random_below(&seed, 13));
		int64_t drift = 1 + random_below(&seed, 1U << (20 + random_below(&seed, 12)) / 2);
		struct program_intervals list = { 0 };
		const struct program_intervals *one = &list;
		double most = 0, error;
		int64_t busy;

		for (int64_t at = 0; at < NS_PER_S; at += random_below(&seed, longest)) {
			int64_t end = MIN(at + 1 + random_below(&seed, longest), NS_PER_S);

			assert_int_equal(program_intervals_add(&list, at, end), 0);
			at = end;
		}
		busy = program_intervals_union(&one, 1, 0, NS_PER_S);
		error = (double)program_intervals_error(&list, 0, NS_PER_S, busy, drift);
		for (int64_t at = NS_PER_MS; at < NS_PER_S; at += NS_PER_S / 100) {
			double rest = (double)(NS_PER_S - at), slower = 1 + (double)drift / rest;
			double faster = 1 - (double)drift / rest;
			double share = (double)busy / NS_PER_S;

			most = MAX(most, fabs(changed_share(&list, at, MIN(slower, 2.5)) - share));
			most = MAX(most, fabs(changed_share(&list, at, MAX(faster, 0.4)) - share));
		}
		assert_true(most * NS_PER_S <= error + 2);
		assert_true(error <= 3 * most * NS_PER_S + 2 * longest);
		program_intervals_done(&list);
	}
}

static void without_an_anchor_the_arrival_is_taken(void **state)
{
	struct program_figure figure;
	struct chip chip;

	(void)state;
	chip_begin(&chip, NS_PER_MS, 300000);
	program_clock_set(&chip.stream.clock, 0, 0, 1.0);
	chip_play(&chip, BEGIN, BEGIN + 4 * NS_PER_S, false, &figure);
	assert_true(figure.is_known);
	assert_true(fabs(figure_share(&figure) - 0.3) <= 0.02);
	program_stream_done(&chip.stream);
	chip_begin(&chip, NS_PER_MS, 300000);
	program_clock_set(&chip.stream.clock, 5, 5, NAN); /* no frequency: no figure */
	assert_false(chip_play(&chip, BEGIN, BEGIN + NS_PER_S, false, &figure));
	assert_false(figure.is_known);
	program_stream_done(&chip.stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_changed_clock_shows_no_jump),
		cmocka_unit_test(no_figure_around_a_change_of_the_clock_is_untrue),
		cmocka_unit_test(no_figure_is_untrue_if_a_new_clock_changes),
		cmocka_unit_test(the_error_of_a_share_covers_all_changes_of_the_rate),
		cmocka_unit_test(without_an_anchor_the_arrival_is_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
