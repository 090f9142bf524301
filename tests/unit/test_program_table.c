/*
 * The table of a preloaded program: written as the library writes it, read as a monitor reads it,
 * and then corrupted word by word.
 */
#include "metal/program_table.h"
#include "unit.h"

#include "basic/clock.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>

#define BEGIN (1000 * NS_PER_S)
#define NOW   (BEGIN + 5 * NS_PER_S)
#define QUEUE 0x1000u
#define CHIP  3u

static struct program_table *table;
static struct program_table_chip *cell;

static int setup(void **state)
{
	(void)state;
	table = calloc(1, PROGRAM_TABLE_SIZE);
	if (!table)
		return -1;
	cell = &table->cells[CHIP];
	table->version = PROGRAM_TABLE_VERSION;
	table->header_size = sizeof(*table);
	table->chip_size = sizeof(*cell);
	table->chip_count = PROGRAM_TABLE_CHIPS;
	table->created = BEGIN;
	table->flags = PROGRAM_TABLE_HAS_PROFILER;
	table->chips = 1U << CHIP;
	table->magic = PROGRAM_TABLE_MAGIC;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(table);
	return 0;
}

static void put_stream(uint64_t flags, uint64_t n_records, int64_t last_end)
{
	const uint64_t words[STREAM_WORDS] = {
		[STREAM_FLAGS] = flags,
		[STREAM_RECORDS] = n_records,
		[STREAM_ADVANCED] = n_records ? n_records - 1 : 0,
		[STREAM_LAST_END] = (uint64_t)last_end,
		[STREAM_ARRIVED] = (uint64_t)last_end,
	};

	seqlock_write(&cell->seq, cell->stream[0], STREAM_WORDS, words);
}

/* A program of 3 ms every 10 ms, launched on the host and recorded on the chip. */
static void run_programs(int64_t from, int64_t until)
{
	uint64_t count = 0;

	for (int64_t at = from; at + 3 * NS_PER_MS <= until; at += 10 * NS_PER_MS) {
		program_launch(&table->launches, QUEUE, true, (uint64_t)at);
		program_series_add_time(&cell->busy, at, at + 3 * NS_PER_MS);
		program_series_add_one(&cell->ended, at + 3 * NS_PER_MS);
		put_stream(STREAM_IS_USED | STREAM_IS_USABLE, ++count, at + 3 * NS_PER_MS);
	}
}

static int judge_as(size_t n_devices, struct program_figure *ret)
{
	struct program_intervals busy;
	int r = program_table_judge(table, CHIP, n_devices, NOW, ret, &busy);

	program_intervals_done(&busy);
	return r;
}

static int judge(struct program_figure *ret)
{
	return judge_as(1, ret);
}

static double share(const struct program_figure *figure)
{
	return (double)figure->busy / (double)figure->window;
}

TEST(only_a_table_of_this_version_is_read)
{
	assert_int_equal(program_table_check(table, PROGRAM_TABLE_SIZE), 0);
	assert_int_equal(program_table_check(table, PROGRAM_TABLE_SIZE - 1), -EBADMSG);
	table->chip_count++;
	assert_int_equal(program_table_check(table, PROGRAM_TABLE_SIZE), -EBADMSG);
	table->version++;
	assert_int_equal(program_table_check(table, PROGRAM_TABLE_SIZE), -EPROTONOSUPPORT);
	table->magic = 0;
	assert_int_equal(program_table_check(table, PROGRAM_TABLE_SIZE), -EAGAIN);
	table->magic = 1;
	assert_int_equal(program_table_check(table, PROGRAM_TABLE_SIZE), -EBADMSG);
}

TEST(launches_with_their_records_make_an_exact_figure)
{
	struct program_figure figure;

	run_programs(BEGIN, NOW);
	assert_int_equal(judge(&figure), DISPATCH_OK);
	assert_true(figure.is_known);
	assert_int_equal(figure.bound, PROGRAM_EXACT);
	assert_true(fabs(share(&figure) - 0.3) <= 0.01);
	assert_true(figure.programs >= 99 && figure.programs <= 101);
	assert_int_equal(figure.last, 7 * NS_PER_MS);
	/* A program without a record, whose end the host does not know: it is pending. */
	program_launch(&table->launches, QUEUE, true, NOW - 2 * NS_PER_MS);
	assert_int_equal(judge(&figure), DISPATCH_OK);
	assert_int_equal(figure.bound, PROGRAM_EXACT);
	assert_int_equal(figure.running, 2 * NS_PER_MS);
	/* A program on a second queue is not measured. */
	program_launch(&table->launches, QUEUE + 1, true, NOW - NS_PER_MS);
	assert_int_equal(judge(&figure), DISPATCH_OK);
	assert_int_equal(figure.bound, PROGRAM_LOWER);
}

TEST(a_chip_whose_profiler_is_on_is_idle_until_something_is_launched)
{
	struct program_figure figure;

	assert_int_equal(judge(&figure), DISPATCH_NOT_COVERED);
	assert_false(figure.is_known);
	table->profiled = 1U << CHIP;
	assert_int_equal(judge(&figure), DISPATCH_OK);
	assert_true(figure.is_known);
	assert_int_equal(figure.bound, PROGRAM_EXACT);
	assert_int_equal(figure.busy, 0);
	program_launch(&table->launches, QUEUE, true, NOW - NS_PER_S / 2);
	assert_int_equal(judge(&figure), DISPATCH_NO_RECORDS);
	assert_false(figure.is_known);
	table->launches = (struct program_launch_state){ 0 };
	program_launch_slow(&table->launches, NOW - NS_PER_S / 2);
	assert_int_equal(judge(&figure), DISPATCH_SLOW_DISPATCH);
	assert_false(figure.is_known);
}

TEST(without_records_launches_and_events_are_an_upper_bound)
{
	struct program_figure figure;

	cell->has_queue = 1;
	for (int64_t at = BEGIN; at < NOW; at += 10 * NS_PER_MS) {
		uint64_t since;

		program_launch(&table->launches, QUEUE, true, (uint64_t)at);
		program_next_event(&table->launches, &cell->queue, 0, (uint64_t)at);
		since = program_complete(&table->launches, &cell->queue, 0,
					 (uint64_t)at + 6 * NS_PER_MS);
		program_series_add_time(&cell->pending, (int64_t)since, at + 6 * NS_PER_MS);
	}
	assert_int_equal(judge(&figure), DISPATCH_NOT_COVERED);
	assert_int_equal(figure.bound, PROGRAM_UPPER);
	assert_true(fabs(share(&figure) - 0.6) <= 0.01);
	/* Without a dispatcher on the chip nothing is known. */
	program_launch_slow(&table->launches, NOW);
	assert_int_equal(judge(&figure), DISPATCH_SLOW_DISPATCH);
	assert_false(figure.is_known);
}

TEST(a_reason_is_given_where_there_is_no_figure)
{
	struct program_figure figure;

	assert_int_equal(judge(&figure), DISPATCH_NOT_COVERED);
	put_stream(STREAM_IS_USED, 5, NOW);
	assert_int_equal(judge(&figure), DISPATCH_NO_CLOCK);
	put_stream(STREAM_IS_USED | STREAM_IS_REFUSED, 5, NOW);
	assert_int_equal(judge(&figure), DISPATCH_UNKNOWN_LAYOUT);
	/* Records without a chip number: their chip is known if the process has one device. */
	run_programs(BEGIN, NOW);
	put_stream(STREAM_IS_USED | STREAM_IS_USABLE | STREAM_IS_AMBIGUOUS, 500,
		   NOW - 7 * NS_PER_MS);
	assert_int_equal(judge(&figure), DISPATCH_OK);
	assert_int_equal(judge_as(2, &figure), DISPATCH_UNKNOWN_LAYOUT);
	assert_int_equal(program_table_state(table), DISPATCH_NOT_COVERED);
	table->chips = 0;
	assert_int_equal(program_table_state(table), DISPATCH_NO_RECORDS);
	table->flags = 0;
	assert_int_equal(program_table_state(table), DISPATCH_NO_RECORDS);
	table->flags = PROGRAM_TABLE_IS_REFUSED;
	assert_int_equal(program_table_state(table), DISPATCH_UNKNOWN_LAYOUT);
}

static void is_refused(uint64_t *word, uint64_t value)
{
	struct program_figure figure;
	uint64_t saved = *word;

	*word = value;
	assert_int_equal(judge(&figure), -EBADMSG);
	assert_false(figure.is_known);
	*word = saved;
}

TEST(times_of_the_future_are_refused)
{
	const uint64_t future = NOW + 2 * NS_PER_S;
	struct program_launch_state *launches = &table->launches;
	uint64_t *words = cell->stream[1];
	struct program_figure figure;

	run_programs(BEGIN, NOW);
	cell->seq = 1;
	memcpy(words, cell->stream[0], sizeof(cell->stream[0]));
	assert_int_equal(judge(&figure), DISPATCH_OK);
	is_refused(&table->created, future);
	is_refused(&launches->first_ns, future);
	is_refused(&launches->begun_ns, future);
	is_refused(&launches->newest_ns, UINT64_MAX);
	is_refused(&launches->uncounted_ns, INT64_MAX);
	is_refused(&launches->slow_ns, future);
	for (size_t i = 0; i < PROGRAM_TIMES; i++)
		is_refused(&launches->times[i], future);
	for (size_t i = STREAM_FAULTY; i <= STREAM_MISFIT; i++)
		is_refused(&words[i], future);
	/* More counted launches than launches of all kinds. */
	is_refused(&launches->counted, launches->launched + 1);
	assert_int_equal(judge(&figure), DISPATCH_OK);
}

/* The writer may read its clock a moment after the reader. */
TEST(a_time_of_the_next_moment_is_now)
{
	struct program_figure figure;

	run_programs(BEGIN, NOW);
	put_stream(STREAM_IS_USED | STREAM_IS_USABLE, 500, NOW + NS_PER_MS);
	program_launch(&table->launches, QUEUE, true, NOW + NS_PER_MS);
	assert_int_equal(judge(&figure), DISPATCH_OK);
	assert_int_equal(figure.last, 0);
	assert_int_equal(figure.running, 0);
	assert_int_equal(figure.to, NOW);
}

TEST(the_name_of_an_operation_is_clean_and_fresh)
{
	uint64_t words[OPERATION_WORDS] = { NOW - NS_PER_S };
	char name[PROGRAM_TABLE_OPERATION];

	program_table_operation(table, NOW, name);
	assert_string_equal(name, "");
	memset(&words[OPERATION_NAME], 'x', PROGRAM_TABLE_OPERATION);
	memcpy(&words[OPERATION_NAME], "mat mul\033[2J\xff", 12);
	seqlock_write(&table->operation_seq, table->operation[0], OPERATION_WORDS, words);
	program_table_operation(table, NOW, name);
	assert_int_equal(strlen(name), PROGRAM_TABLE_OPERATION - 1);
	assert_memory_equal(name, "mat_mul_[2J_", 12);
	words[OPERATION_AT] = NOW - 10 * NS_PER_S;
	seqlock_write(&table->operation_seq, table->operation[0], OPERATION_WORDS, words);
	program_table_operation(table, NOW, name);
	assert_string_equal(name, "");
}

static void *write_programs(void *arg)
{
	(void)arg;
	run_programs(BEGIN, NOW);
	return NULL;
}

/* A reader must get a true bound even while the writer is in the middle of a change. */
TEST(a_reader_beside_the_writer_sees_a_true_bound)
{
	struct program_figure figure;
	uint64_t seen = 0;
	pthread_t writer;

	assert_int_equal(pthread_create(&writer, NULL, write_programs, NULL), 0);
	while (seen < 500) {
		assert_true(judge(&figure) >= 0);
		if (figure.is_known)
			assert_true(figure.busy <= figure.window && share(&figure) <= 0.31);
		seen = word_load(&table->launches.counted);
	}
	assert_int_equal(pthread_join(writer, NULL), 0);
	assert_int_equal(judge(&figure), DISPATCH_OK);
	assert_true(fabs(share(&figure) - 0.3) <= 0.01);
}

#define TABLE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TABLE_TEST(only_a_table_of_this_version_is_read),
		TABLE_TEST(launches_with_their_records_make_an_exact_figure),
		TABLE_TEST(a_chip_whose_profiler_is_on_is_idle_until_something_is_launched),
		TABLE_TEST(without_records_launches_and_events_are_an_upper_bound),
		TABLE_TEST(a_reason_is_given_where_there_is_no_figure),
		TABLE_TEST(times_of_the_future_are_refused),
		TABLE_TEST(a_time_of_the_next_moment_is_now),
		TABLE_TEST(the_name_of_an_operation_is_clean_and_fresh),
		TABLE_TEST(a_reader_beside_the_writer_sees_a_true_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
