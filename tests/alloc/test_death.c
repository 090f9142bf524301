/*
 * Writers that are killed or stopped between any two instructions. The table that they leave must
 * be readable at once, complete and consistent.
 */
#include "reader.h"
#include "tracked.h"

#include <signal.h>
#include <time.h>

#define KILLS	  300
#define STOPS	  100
#define BYTES_MAX 4096u

static struct reader reader;
static struct tracker *tracker;

static uint64_t random_next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* Sizes follow from the other fields, so that a partly filled slot is detected. */
static uint64_t size_of(uint64_t id, uint64_t time)
{
	return 1 + (id * 7919 + time * 104729) % BYTES_MAX;
}

/* Reports in an endless loop: a signal hits the middle of one. */
static void writer_run(void)
{
	uint64_t seed = (uint64_t)getpid() * 88172645463325252u | 1;

	for (uint64_t time = 1;; time++) {
		uint32_t device = random_next(&seed) % 2, pool = random_next(&seed) % POOL_COUNT;
		uint64_t id = random_next(&seed) % 50;

		if (random_next(&seed) % 2)
			tracker_alloc(tracker, device, pool, id, size_of(id, time), time);
		else
			tracker_free(tracker, device, pool, id, time);
	}
}

static pid_t writer_start(void)
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		int fd;

		tracker = tracker_memory();
		CHECK_EQUAL(tracker_init(tracker, 2048, 0, 0, 1, &fd), 0);
		for (uint32_t i = 0; i < 2; i++)
			CHECK_EQUAL(tracker_identify(tracker, i, &(struct table_device){ 0 }), 0);
		CHECK_EQUAL(write(ready[1], "x", 1), 1);
		writer_run();
	}
	assert_true(pid > 0);
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	assert_int_equal(reader_open(&reader, pid), 0);
	return pid;
}

/* Listed bytes and totals may differ by the one report that was interrupted. */
static void state_check(void)
{
	struct table_allocation allocation;
	struct table_cursor cursor = { 0 };
	uint64_t listed = 0, total = 0, held = 0, count = 0;

	for (uint32_t i = 0; i < 2 * POOL_COUNT; i++) {
		struct table_pool_total pool;

		assert_int_equal(
			table_read_pool(&reader.view, i / POOL_COUNT, i % POOL_COUNT, &pool), 0);
		total += pool.now_bytes;
		held += pool.allocs - pool.frees;
	}
	while (table_next(&reader.view, &cursor, &allocation)) {
		assert_int_equal(allocation.size, size_of(allocation.id, allocation.time_ns));
		assert_true(allocation.id < 50 && allocation.device < 2);
		listed += allocation.size;
		count++;
	}
	assert_int_equal(cursor.changing + cursor.invalid, 0);
	assert_true(listed + BYTES_MAX >= total && total + BYTES_MAX >= listed);
	assert_true(count + 1 >= held && held + 1 >= count);
}

static void pause_random(uint64_t *seed)
{
	struct timespec t = { .tv_nsec = (long)(random_next(seed) % 400000) };

	nanosleep(&t, NULL);
}

static void killed_writer_leaves_a_readable_table(void **state)
{
	uint64_t seed = 4711;

	(void)state;
	for (int i = 0; i < KILLS; i++) {
		pid_t pid = writer_start();

		pause_random(&seed);
		assert_int_equal(kill(pid, SIGKILL), 0);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		state_check();
		reader_done(&reader);
	}
}

static void stopped_writer_keeps_no_reader_waiting(void **state)
{
	uint64_t seed = 4712;
	pid_t pid = writer_start();

	(void)state;
	for (int i = 0; i < STOPS; i++) {
		pause_random(&seed);
		assert_int_equal(kill(pid, SIGSTOP), 0);
		assert_int_equal(waitpid(pid, NULL, WUNTRACED), pid);
		state_check(); /* a reader that waits would block for ever */
		assert_int_equal(kill(pid, SIGCONT), 0);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	reader_done(&reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(killed_writer_leaves_a_readable_table),
		cmocka_unit_test(stopped_writer_keeps_no_reader_waiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
