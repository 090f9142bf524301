/*
 * Utilisation from records of programs: a simulated chip runs a schedule with a known share of busy
 * time, and is sampled as the tracer does.
 */
#include "metal/program_figure.h"
#include "unit.h"

#include "basic/clock.h"

#include <math.h>

#define BEGIN	(1000 * NS_PER_S)
#define PERIOD	(250 * NS_PER_MS)
#define RECORDS 32768

/* A chip that runs programs of `busy` ns every `every` ns. */
struct chip {
	double ticks_per_ns; /* as the chip runs */
	uint64_t tick;	     /* at `at` */
	int64_t at, next;    /* next: start of the next program */
	int64_t every, busy;
	uint16_t id;
	uint64_t launched;
	struct program_stream stream;
	struct program_launches launches;
	struct program_launch_state state; /* as the host counts them */
	struct program_queue_state queue;
	bool waits; /* the host waits for each program */
};

static struct program_record records[RECORDS];

static void chip_begin(struct chip *chip, int64_t every, int64_t busy)
{
	*chip = (struct chip){ .ticks_per_ns = 1.0,
			       .tick = 77000,
			       .at = BEGIN,
			       .next = BEGIN,
			       .every = every,
			       .busy = busy };
	program_stream_init(&chip->stream, BEGIN);
	program_clock_set(&chip->stream.clock, 77000, BEGIN, 1.0);
}

static uint64_t tick_at(const struct chip *chip, int64_t ns)
{
	return chip->tick + (uint64_t)((double)(ns - chip->at) * chip->ticks_per_ns);
}

static void chip_set_rate(struct chip *chip, int64_t now, double ticks_per_ns)
{
	chip->tick = tick_at(chip, now);
	chip->at = now;
	chip->ticks_per_ns = ticks_per_ns;
}

/* The next number; the chip does not record a program whose number is 0. */
static uint16_t next_id(struct chip *chip)
{
	chip->launched += chip->id == UINT16_MAX;
	chip->launched++;
	return chip->id == UINT16_MAX ? 1 : (uint16_t)(chip->id + 1);
}

/* Each program is launched when it starts. */
static void launch(struct chip *chip, int64_t at)
{
	program_launch(&chip->state, 1, true, (uint64_t)at);
}

/* Adds a batch that was read at `now`. */
static bool add(struct chip *chip, size_t count, uint64_t lost, int64_t since, int64_t now)
{
	const struct program_batch batch = {
		.records = records,
		.count = count,
		.lost = lost,
		.since = since,
		.now = now,
		.launches = chip->launches.are_followed ? &chip->state : NULL,
		.queue = &chip->queue,
	};

	return program_stream_add(&chip->stream, &batch);
}

/* The programs that have ended by now. */
static size_t chip_run(struct chip *chip, int64_t now)
{
	size_t count = 0;

	while (chip->busy && chip->next + chip->busy <= now && count < RECORDS) {
		uint64_t before = chip->launched;

		chip->id = next_id(chip);
		for (; before < chip->launched; before++)
			launch(chip, chip->next);
		if (chip->waits) {
			chip->queue.completed = chip->launched;
			chip->queue.idle_ns = (uint64_t)(chip->next + chip->busy);
		}
		records[count++] =
			(struct program_record){ .start = tick_at(chip, chip->next),
						 .end = tick_at(chip, chip->next + chip->busy),
						 .id = chip->id };
		chip->next += chip->every;
	}
	return count;
}

static double share(const struct program_figure *figure)
{
	return (double)figure->busy / (double)figure->window;
}

static void follow(struct chip *chip)
{
	chip->launches.are_followed = true;
	chip->launches.count = chip->launches.count_after = chip->launched;
	chip->launches.newest_ns = chip->next - chip->every;
}

/* Samples up to the time `until`. *ret is the figure of the last sample. */
static bool play(struct chip *chip, int64_t from, int64_t until, bool followed,
		 struct program_figure *ret)
{
	bool usable = false;

	for (int64_t now = from + PERIOD; now <= until; now += PERIOD) {
		size_t count = chip_run(chip, now);

		if (followed)
			follow(chip);
		usable = add(chip, count, 0, now - PERIOD, now);
		program_figure_judge(ret, &chip->stream, &chip->launches, now);
	}
	return usable;
}

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
			play(&chip, BEGIN, BEGIN + 5 * NS_PER_S, true, &figure);
			assert_true(figure.is_known);
			assert_int_equal(figure.bound, PROGRAM_EXACT);
			assert_true(fabs(share(&figure) - duties[j] / 100.0) <= 0.01);
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
	play(&chip, BEGIN, BEGIN + 3 * NS_PER_S, false, &figure);
	assert_true(figure.is_known);
	assert_int_equal(figure.bound, PROGRAM_LOWER);
	assert_true(fabs(share(&figure) - 0.7) <= 0.01);
	program_stream_done(&chip.stream);
}

static void a_silent_ring_is_unknown_unless_nothing_was_launched(void **state)
{
	struct program_figure figure;
	struct chip chip;

	(void)state;
	chip_begin(&chip, NS_PER_MS, 0);
	play(&chip, BEGIN, BEGIN + NS_PER_S, false, &figure);
	assert_false(figure.is_known);
	assert_int_equal(figure.last, -1);
	play(&chip, BEGIN + NS_PER_S, BEGIN + 2 * NS_PER_S, true, &figure);
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
	play(&chip, BEGIN, now, true, &figure);
	assert_int_equal(figure.bound, PROGRAM_EXACT);
	chip.id = next_id(&chip); /* a launch whose record is lost */
	play(&chip, now, now + PERIOD, true, &figure);
	assert_int_equal(figure.bound, PROGRAM_LOWER);
	play(&chip, now + PERIOD, now + 3 * NS_PER_S, true, &figure);
	assert_int_equal(figure.bound, PROGRAM_EXACT);
	/* Overwritten records count as missing, too. */
	assert_true(add(&chip, 0, 5, now, now + 3 * NS_PER_S));
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
		play(&chip, now, now + NS_PER_S, true, &figure);
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
	play(&chip, BEGIN, now, true, &figure);
	chip.launches.count++;
	chip.launches.are_pending = true;
	chip.launches.oldest_ns = now;
	add(&chip, 0, 0, now, now + 2 * PERIOD);
	program_figure_judge(&figure, &chip.stream, &chip.launches, now + 2 * PERIOD);
	assert_int_equal(figure.bound, PROGRAM_EXACT);
	assert_true(fabs(share(&figure) - 0.8) <= 0.01);
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
	play(&chip, BEGIN, now, true, &figure);
	chip.launches.count = ++chip.launches.count_after;
	chip.launches.are_pending = true;
	chip.launches.oldest_ns = now;
	add(&chip, 0, 0, now, later);
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
	play(&chip, BEGIN, asked, true, &figure);
	chip.every = chip.busy; /* it becomes busy at this time */
	count = chip_run(&chip, read);
	assert_true(add(&chip, count, 0, asked, read));
	chip.launches.count_after = chip.launched;
	program_figure_judge(&figure, &chip.stream, &chip.launches, asked);
	assert_int_equal(figure.bound, PROGRAM_EXACT);
	assert_int_equal(figure.to, asked);
	assert_int_equal(figure.last, 0);
	assert_true(fabs(share(&figure) - 0.3) <= 0.001);
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
	play(&chip, BEGIN, now, true, &figure);
	chip.launches.uncounted_ns = now - PERIOD; /* a trace, or the second command queue */
	program_figure_judge(&figure, &chip.stream, &chip.launches, now);
	assert_int_equal(figure.bound, PROGRAM_LOWER);
	program_stream_done(&chip.stream);
}

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
		play(&chip, BEGIN, now, true, &figure);
		chip_set_rate(&chip, now, rates[i]);
		for (int n = 0; n < 24; n++, now += PERIOD) {
			if (!play(&chip, now, now + PERIOD, true, &figure))
				continue;
			usable++;
			assert_true(share(&figure) <= 0.6 + 0.01);
		}
		/* The new rate is measured by the arrival of records, so it is not exact. */
		assert_true(usable > 16);
		assert_int_equal(figure.bound, PROGRAM_LOWER);
		assert_true(share(&figure) >= 0.6 - 0.02);
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
			.start = tick_at(chip, chip->next),
			.end = tick_at(chip, chip->next + chip->busy),
			.id = (uint16_t)++chip->launched,
		};
		assert_int_equal(
			program_intervals_add(&late->truth, chip->next, chip->next + chip->busy),
			0);
		launch(chip, chip->next - random_below(&late->seed, 2 * NS_PER_MS));
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
	usable = add(&late->chip, count, 0, since, now);
	late->held -= count;
	memmove(records, records + count, late->held * sizeof(*records));
	memmove(ends, ends + count, late->held * sizeof(*ends));
	return usable;
}

/* Asserts that a figure is what it claims to be, within 1 %. Returns whether it is exact. */
static bool late_check(const struct late_chip *late, const struct program_figure *figure)
{
	double least = 1, most = 0;

	if (!figure->is_known || figure->window < PROGRAM_WINDOW_NS)
		return false;
	/* The window ends with a program that ended up to so much later than by its clock. */
	for (int64_t end = figure->to - 5 * NS_PER_MS; end <= figure->to + 60 * NS_PER_MS;
	     end += 5 * NS_PER_MS) {
		double one = true_share(&late->truth, end, figure->window);

		least = MIN(least, one);
		most = MAX(most, one);
	}
	assert_true(share(figure) <= most + 0.01);
	if (figure->bound == PROGRAM_EXACT)
		assert_true(share(figure) >= least - 0.01);
	return figure->bound == PROGRAM_EXACT;
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
		follow(chip);
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
	play(&chip, BEGIN, BEGIN + 4 * NS_PER_S, false, &figure);
	assert_true(figure.is_known);
	assert_true(fabs(share(&figure) - 0.3) <= 0.02);
	program_stream_done(&chip.stream);
	chip_begin(&chip, NS_PER_MS, 300000);
	program_clock_set(&chip.stream.clock, 5, 5, NAN); /* no frequency: no figure */
	assert_false(play(&chip, BEGIN, BEGIN + NS_PER_S, false, &figure));
	assert_false(figure.is_known);
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
	play(&a, BEGIN, BEGIN + 3 * NS_PER_S, true, &users[0].figure);
	play(&b, BEGIN, BEGIN + 3 * NS_PER_S, true, &users[1].figure);
	users[0].busy = &a.stream.busy;
	users[1].busy = &b.stream.busy;
	program_figure_join(&both, users, 2, false);
	assert_true(both.is_known);
	assert_int_equal(both.bound, PROGRAM_EXACT);
	assert_true(fabs(share(&both) - 0.6) <= 0.01);
	assert_int_equal(both.programs, 200);
	program_figure_join(&both, users, 2, true);
	assert_int_equal(both.bound, PROGRAM_LOWER);
	/*
	 * The window of one process ends with its last program: little is common to both windows.
	 */
	users[1].figure.to -= 9 * NS_PER_S / 10;
	program_figure_join(&both, users, 2, false);
	assert_int_equal(both.bound, PROGRAM_LOWER);
	assert_true(fabs(share(&both) - 0.4) <= 0.01);
	assert_int_equal(both.programs, 200);
	users[1].figure.to += 9 * NS_PER_S / 10;
	/*
	 * One process has an upper bound, from launches alone: the sum of both is an upper bound.
	 */
	program_figure_upper(&users[1].figure, &b.launches, NS_PER_S / 2, NS_PER_S, BEGIN);
	users[1].busy = NULL;
	program_figure_join(&both, users, 2, false);
	assert_int_equal(both.bound, PROGRAM_UPPER);
	assert_true(fabs(share(&both) - 0.9) <= 0.01);
	users[0].figure.bound = PROGRAM_LOWER; /* a lower plus an upper bound is neither */
	program_figure_join(&both, users, 2, false);
	assert_int_equal(both.bound, PROGRAM_LOWER);
	assert_true(fabs(share(&both) - 0.4) <= 0.01);
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
		play(&a, BEGIN, BEGIN + 3 * NS_PER_S, true, &users[0].figure);
		play(&b, BEGIN, BEGIN + 3 * NS_PER_S, true, &users[1].figure);
		users[0].busy = &a.stream.busy;
		users[1].busy = &b.stream.busy;
		program_figure_join(&both, users, 2, false);
		assert_true(both.is_known);
		assert_int_equal(both.bound,
				 unit > PROGRAM_STEP_NS ? PROGRAM_EXACT : PROGRAM_LOWER);
		assert_true(share(&both) <= 0.61);
		assert_true(share(&both) >= (unit > PROGRAM_STEP_NS ? 0.59 : 0.39));
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
	add(&chip, ARRAY_SIZE(bad), 0, BEGIN, BEGIN + PERIOD);
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
		cmocka_unit_test(a_changed_clock_shows_no_jump),
		cmocka_unit_test(no_figure_around_a_change_of_the_clock_is_untrue),
		cmocka_unit_test(no_figure_is_untrue_if_a_new_clock_changes),
		cmocka_unit_test(the_error_of_a_share_covers_all_changes_of_the_rate),
		cmocka_unit_test(without_an_anchor_the_arrival_is_taken),
		cmocka_unit_test(two_processes_share_a_chip),
		cmocka_unit_test(coarse_times_are_joined),
		cmocka_unit_test(garbage_is_no_figure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
