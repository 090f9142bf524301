/* Files of a process that block, and how often its descriptors are read. */
#include "sampler_tree.h"

#include <fcntl.h>
#include <unistd.h>

static int count_thread(const char *name, void *arg)
{
	(void)name;
	++*(unsigned *)arg;
	return 0;
}

static unsigned count_threads(void)
{
	unsigned count = 0;

	assert_int_equal(directory_each(AT_FDCWD, "/proc/self/task", count_thread, &count), 0);
	return count;
}

static bool process_is_shown(void)
{
	return now->n_processes == 1 && device_knows(&now->devices[0], DEV_TEMPERATURE);
}

/* While a file of the process blocks, it is shown, and one thread hangs. Then it recovers. */
static void assert_one_thread_hangs(const char *name)
{
	unsigned threads, shown = 0;

	held_ns = 0;
	put_holder();
	sample();
	assert_int_equal(pipe(gate), 0);
	hanging = name;
	sample();
	sample(); /* another worker takes over */
	threads = count_threads();
	for (unsigned turn = 0; turn < 20; turn++) {
		sample();
		shown += process_is_shown();
	}
	assert_true(shown > 10);
	assert_true(count_threads() < threads + 10); /* one per sample would be many more */
	hanging = NULL;
	close(gate[1]);
	for (unsigned turn = 0; turn < 3000; turn++) {
		const struct process *process = &now->processes[0];

		if (process->holding == HOLDING_SEEN && process_knows(process, PROC_COMMAND))
			break;
		usleep(10000);
		sample();
	}
	assert_string_equal(now->processes[0].command, "worker");
	assert_int_equal(now->processes[0].holding, HOLDING_SEEN);
	close(gate[0]);
}

TEST(a_process_whose_command_line_hangs_costs_one_thread)
{
	assert_one_thread_hangs("proc/4242/cmdline");
}

TEST(a_process_whose_descriptors_hang_costs_one_thread)
{
	assert_one_thread_hangs("proc/4242/fd");
}

/* Takes the given number of samples, and returns how many descriptor directories were read. */
static unsigned count_looks(unsigned samples)
{
	unsigned begin = looks;

	for (unsigned i = 0; i < samples; i++) {
		sample();
		assert_int_equal(now->n_processes, 1);
		assert_int_equal(now->processes[0].holding, HOLDING_SEEN);
	}
	return looks - begin;
}

TEST(descriptors_are_read_again_when_their_number_changes)
{
	put_holder();
	want.reporters = false; /* else all processes are scanned as well */
	sampler_want(sampler, &want);
	assert_int_equal(count_looks(5), 5);
	want.low_rate = true;
	sampler_want(sampler, &want);
	count_looks(2);
	assert_int_equal(count_looks(32), 0);
	held_ns += 16 * NS_PER_S;
	assert_int_equal(count_looks(32), 1); /* every 16 seconds, as a precaution */
	usleep(20000);			      /* the clock of a file system ticks slowly */
	assert_int_equal(symlinkat("/dev/null", root.fd, "proc/4242/fd/4"), 0);
	assert_int_equal(count_looks(1), 1);
	usleep(20000);
	put("proc/4242/maps", "");
	drop("proc/4242/fd/3");
	sample();
	assert_int_equal(now->n_processes, 0);
	assert_int_equal(now->devices[0].lost_openers, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_TREE(a_process_whose_command_line_hangs_costs_one_thread),
		ON_TREE(a_process_whose_descriptors_hang_costs_one_thread),
		ON_TREE(descriptors_are_read_again_when_their_number_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
