/*
 * Single-steps a writer through its reports with ptrace. After each instruction the table must be
 * readable and consistent: this is what a writer killed or stopped there would leave. Then a reader
 * is single-stepped while the table changes at various rates: it must get consistent figures, or
 * none.
 */
#include "reader.h"
#include "tracked.h"

#include "basic/seqlock.h"

#include <signal.h>
#include <sys/ptrace.h>

#define REPORTS	  24
#define READS	  40
#define STEPS_MAX 300000

/* Skips the test if tracing is not allowed. */
static void trace_me(void)
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
		_exit(77);
	raise(SIGSTOP);
}

/* Waits for the next instruction; false when the child has ended. */
static bool step_wait(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	if (WIFSTOPPED(status))
		return true;
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	return false;
}

/* Sizes follow from the other fields, so that a partly filled slot is detected. */
static uint64_t size_of(uint64_t id, uint64_t time)
{
	return 1 + (id * 7919 + time * 104729) % 4096;
}

static void writer_play(struct tracker *tracker)
{
	for (uint64_t time = 1; time <= REPORTS; time++) {
		uint64_t id = time % 5;

		if (time % 3)
			tracker_alloc(tracker, 0, POOL_L1, id, size_of(id, time), time);
		else
			tracker_free(tracker, 0, POOL_L1, id, time);
	}
}

static void table_check(const struct table_view *view, uint64_t *ret_events)
{
	struct table_allocation allocation;
	struct table_cursor cursor = { 0 };
	struct table_pool_total total;
	uint64_t listed = 0, count = 0, held;

	assert_int_equal(table_read_pool(view, 0, POOL_L1, &total), 0);
	while (table_next(view, &cursor, &allocation)) {
		assert_int_equal(allocation.size, size_of(allocation.id, allocation.time_ns));
		assert_int_equal(allocation.device, 0);
		assert_int_equal(allocation.pool, POOL_L1);
		listed += allocation.size;
		count++;
	}
	assert_int_equal(cursor.changing + cursor.invalid, 0);
	held = total.allocs - total.frees;
	assert_true(count + 1 >= held && held + 1 >= count);
	assert_true(listed <= total.now_bytes + 4096 && total.now_bytes <= listed + 4096);
	*ret_events = total.allocs + total.frees;
}

static void table_is_whole_after_every_instruction_of_a_writer(void **state)
{
	struct tracker *tracker = tracker_memory();
	uint64_t events = 0, before = 0;
	struct reader reader;
	long steps = 0;
	pid_t pid;
	int fd;

	(void)state;
	assert_int_equal(tracker_init(tracker, 2048, 0, 0, 1, &fd), 0);
	assert_int_equal(tracker_identify(tracker, 0, &(struct table_device){ 0 }), 0);
	/* The child needs the table: the test is about stores, not about fork. */
	madvise(tracker->header, tracker->mapped, MADV_DOFORK);
	madvise(tracker->devices[0].index.lines, 4096, MADV_DOFORK);
	madvise(tracker->devices[0].index.overflow, 4096, MADV_DOFORK);
	madvise(tracker->devices[0].freed, TRACKER_FREED * sizeof(uint64_t), MADV_DOFORK);
	assert_int_equal(reader_map(&reader, fd), 0);
	pid = fork();
	if (pid == 0) {
		trace_me();
		writer_play(tracker);
		_exit(0);
	}
	while (step_wait(pid)) {
		table_check(&reader.view, &events);
		assert_true(events >= before);
		before = events;
		assert_true(++steps < STEPS_MAX);
		assert_int_equal(ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL), 0);
	}
	assert_true(events > REPORTS / 2);
	assert_true(steps > 20 * REPORTS);
	reader_done(&reader);
	close(fd);
	tracker_done(tracker);
	free(tracker);
}

struct shared {
	struct table_header header;
	struct table_device_cell devices[TABLE_DEVICES];
	struct table_slot slot;
	struct {
		int result;
		struct table_pool_total total;
		bool found;
		struct table_allocation allocation;
	} read[READS];
	uint64_t reads;
};

static void shared_init(struct shared *shared)
{
	shared->header = (struct table_header){ .magic = TABLE_MAGIC, .slots_used = 1 };
	table_header_lay_out(&shared->header, 1);
}

static void reader_play(struct shared *shared)
{
	struct table_view view;

	CHECK_EQUAL(table_view_init(&view, shared, TABLE_SLOT_OFFSET + sizeof(shared->slot)), 0);
	for (uint64_t i = 0; i < READS; i++) {
		struct table_cursor cursor = { 0 };

		shared->read[i].result = table_read_pool(&view, 0, POOL_L1, &shared->read[i].total);
		shared->read[i].found = table_next(&view, &cursor, &shared->read[i].allocation);
		word_store(&shared->reads, i + 1);
	}
}

/* All words are the same number in each change, and the slot is freed and filled with it. */
static void change_make(struct shared *shared, uint64_t n)
{
	struct table_pool_cell *cell = &shared->devices[0].pool[POOL_L1];
	const uint64_t word[TABLE_POOL_WORDS] = { n, n, n, 0, n, n };

	seqlock_write(&cell->seq, cell->copy[0], TABLE_POOL_WORDS, word);
	word_store(&shared->slot.meta, 2 * n);
	word_store(&shared->slot.id, n);
	word_store(&shared->slot.size, n);
	word_store(&shared->slot.time, n);
	word_store(&shared->slot.meta, 2 * n + 1);
}

static int slots_check(const struct shared *shared)
{
	int found = 0;

	for (int i = 0; i < READS; i++) {
		const struct table_allocation *allocation = &shared->read[i].allocation;

		if (!shared->read[i].found)
			continue;
		assert_int_equal(allocation->id, allocation->size);
		assert_int_equal(allocation->id, allocation->time_ns);
		found++;
	}
	return found;
}

static void reads_check(const struct shared *shared)
{
	int good = 0, given_up = 0;

	for (int i = 0; i < READS; i++) {
		const struct table_pool_total *total = &shared->read[i].total;

		if (shared->read[i].result == -EAGAIN) {
			given_up++;
			continue;
		}
		assert_int_equal(shared->read[i].result, 0);
		assert_int_equal(total->now_bytes, total->peak_bytes);
		assert_int_equal(total->now_bytes, total->allocs);
		assert_int_equal(total->now_bytes, total->failures);
		assert_int_equal(total->now_bytes, total->changed_ns);
		good++;
	}
	assert_true(good > 5);
	assert_true(slots_check(shared) > 5);
	assert_true(given_up > 0);
}

static void reader_never_mixes_two_changes(void **state)
{
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	long steps = 0, length = 0;
	uint64_t n = 0;
	pid_t pid;

	(void)state;
	assert_true(shared != MAP_FAILED);
	shared_init(shared);
	pid = fork();
	if (pid == 0) {
		trace_me();
		reader_play(shared);
		_exit(0);
	}
	while (step_wait(pid)) {
		long reads = (long)word_load(&shared->reads);

		/* How long a read is depends on the compiler: the second one is measured. */
		if (reads == 1)
			length++;
		/* From one change per instruction to one per two reads. */
		if (reads > 1 && ++steps % (1 + 2 * length * (reads - 2) / (READS - 2)) == 0)
			change_make(shared, ++n);
		assert_int_equal(ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL), 0);
	}
	reads_check(shared);
	munmap(shared, sizeof(*shared));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_is_whole_after_every_instruction_of_a_writer),
		cmocka_unit_test(reader_never_mixes_two_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
