/* All kinds of fork and exec, also while threads report. */
#include "reader.h"

#include "ttalloc.h"

#include <pthread.h>
#include <spawn.h>
#include <sys/syscall.h>

static uint64_t dram_of(pid_t pid)
{
	struct table_pool_total total;
	struct reader reader;

	CHECK_EQUAL(reader_open(&reader, pid), 0);
	CHECK_EQUAL(table_read_pool(&reader.view, 0, POOL_DRAM, &total), 0);
	reader_done(&reader);
	return total.now_bytes;
}

static pid_t fork_libc(void)
{
	return fork();
}

/* Bypasses the C library: no handler runs. */
static pid_t fork_raw(void)
{
	return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static void child_wait(pid_t pid)
{
	int status;

	CHECK(pid > 0);
	CHECK_EQUAL(waitpid(pid, &status, 0), pid);
	CHECK_EQUAL(status, 0);
}

static bool table_is_mapped(void)
{
	char line[512];
	bool found = false;
	FILE *maps = fopen("/proc/self/maps", "r");

	while (fgets(line, sizeof(line), maps))
		found |= strstr(line, "/memfd:" TABLE_NAME) != NULL;
	fclose(maps);
	return found;
}

/* Allocations belong to the parent; the child reports for itself. */
static void child_play(int inherited)
{
	CHECK(!table_is_mapped());
	CHECK_EQUAL(tables_count(NULL), inherited);
	CHECK_EQUAL(ttalloc_report_free(0, TTALLOC_DRAM, 1), -ENOENT);
	CHECK_EQUAL(tables_count(NULL), 1);
	CHECK_EQUAL(ttalloc_report_alloc(0, TTALLOC_DRAM, 1, 7), 0);
	CHECK_EQUAL(dram_of(getpid()), 7);
	CHECK_EQUAL(ttalloc_get_misuse(TTALLOC_UNKNOWN_FREE), 1);
	_exit(0);
}

static void fork_play(pid_t (*make)(void), int inherited)
{
	pid_t pid;

	CHECK_EQUAL(ttalloc_report_alloc(0, TTALLOC_DRAM, 1, 100), 0);
	CHECK(table_is_mapped());
	pid = make();
	if (pid == 0)
		child_play(inherited);
	child_wait(pid);
	CHECK_EQUAL(dram_of(getpid()), 100);
	CHECK_EQUAL(ttalloc_get_misuse(TTALLOC_UNKNOWN_FREE), 0);
	CHECK_EQUAL(ttalloc_report_free(0, TTALLOC_DRAM, 1), 0);
	CHECK_EQUAL(dram_of(getpid()), 0);
}

static void child_of_fork_has_its_own_table_body(void)
{
	fork_play(fork_libc, 0);
}

static void child_of_clone_has_its_own_table_body(void)
{
	fork_play(fork_raw,
		  1); /* the child inherits the descriptor and closes it at its first report */
}

/* Descriptors of the parent are recognised by inode, not by number. */
static void child_that_closed_everything_keeps_its_own_files_body(void)
{
	pid_t pid;

	CHECK_EQUAL(ttalloc_report_alloc(0, TTALLOC_DRAM, 1, 100), 0);
	pid = fork_raw();
	if (pid == 0) {
		for (int fd = 3; fd < 200; fd++)
			close(fd);
		for (int fd = 3; fd < 200; fd++)
			CHECK(dup2(2, fd) == fd);
		CHECK_EQUAL(ttalloc_report_alloc(0, TTALLOC_DRAM, 1, 7), 0);
		for (int fd = 3; fd < 200; fd++)
			CHECK(fcntl(fd, F_GETFD) >= 0);
		_exit(0);
	}
	child_wait(pid);
}

static void grandchildren_have_their_own_too_body(void)
{
	for (int generation = 0; generation < 4; generation++) {
		pid_t pid;

		CHECK_EQUAL(ttalloc_report_alloc(0, TTALLOC_DRAM, 1, 1 + (uint64_t)generation), 0);
		pid = generation % 2 ? fork_raw() : fork_libc();
		if (pid > 0) {
			child_wait(pid);
			CHECK_EQUAL(dram_of(getpid()), generation + 1);
			_exit(0);
		}
	}
}

static void *report_run(void *stop)
{
	for (uint64_t i = 0; !__atomic_load_n((bool *)stop, __ATOMIC_RELAXED); i++) {
		ttalloc_report_alloc(1, TTALLOC_L1, i % 64, 1);
		ttalloc_report_free(1, TTALLOC_L1, i % 64);
	}
	return NULL;
}

/*
 * The lock is held by another thread in half of these forks; isolated() has an alarm.
 *
 * Skipped with thread sanitizer: in the child it still remembers accesses of the parent's threads
 * to memory that the kernel has wiped since.
 */
static void fork_between_reports_of_threads_body(void)
{
	pthread_t thread[2];
	bool stop = false;

	ttalloc_report_alloc(0, TTALLOC_DRAM, 1, 100);
	for (int i = 0; i < 2; i++)
		CHECK_EQUAL(pthread_create(&thread[i], NULL, report_run, &stop), 0);
	for (int i = 0; i < 200; i++) {
		pid_t pid = i % 2 ? fork_raw() : fork_libc();

		if (pid == 0) {
			int r = ttalloc_report_alloc(0, TTALLOC_DRAM, 1, 7);

			_exit(r == 0 ? 0 : 1);
		}
		child_wait(pid);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	CHECK_EQUAL(dram_of(getpid()), 100);
}

/* posix_spawn() creates its child without fork handlers: close-on-exec must be sufficient. */
static void program_executed_inherits_nothing_body(void)
{
	char shell[] = "sh", option[] = "-c";
	char command[] = "! ls -l /proc/self/fd | grep -q memfd:ttalloc";
	char *argv[] = { shell, option, command, NULL };
	pid_t pid;

	ttalloc_report_alloc(0, TTALLOC_DRAM, 1, 100);
	CHECK_EQUAL(posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ), 0);
	child_wait(pid);
	CHECK_EQUAL(dram_of(getpid()), 100);
}

ISOLATED(child_of_fork_has_its_own_table)
ISOLATED(child_of_clone_has_its_own_table)
ISOLATED(child_that_closed_everything_keeps_its_own_files)
ISOLATED(grandchildren_have_their_own_too)

static void fork_between_reports_of_threads(void **state)
{
	(void)state;
	if (UNDER_TSAN)
		skip();
	isolated(fork_between_reports_of_threads_body);
}

ISOLATED(program_executed_inherits_nothing)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(child_of_fork_has_its_own_table),
		cmocka_unit_test(child_of_clone_has_its_own_table),
		cmocka_unit_test(child_that_closed_everything_keeps_its_own_files),
		cmocka_unit_test(grandchildren_have_their_own_too),
		cmocka_unit_test(fork_between_reports_of_threads),
		cmocka_unit_test(program_executed_inherits_nothing),
	};

	setenv("TT_ALLOCD_SOCKET", "/nonexistent", 1);
	setenv("TT_SMI_ROOT", "/nonexistent", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
