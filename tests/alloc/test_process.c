/*
 * The library in a host process: what it creates and leaves alone, and which failures it survives.
 */
#include "reader.h"

#include "alloc/process.h"
#include "ttalloc.h"

#include <signal.h>
#include <sys/resource.h>

#define MIB (1 << 20)

static struct ttalloc_usage dram(void)
{
	struct ttalloc_usage usage;

	CHECK_EQUAL(ttalloc_get_usage(0, TTALLOC_DRAM, &usage, sizeof(usage)), 0);
	return usage;
}

static uint64_t dram_in_table(void)
{
	struct table_pool_total total;
	struct reader reader;

	CHECK_EQUAL(reader_open(&reader, getpid()), 0);
	CHECK_EQUAL(table_read_pool(&reader.view, 0, POOL_DRAM, &total), 0);
	reader_done(&reader);
	return total.now_bytes;
}

static void turned_off_does_nothing_body(void)
{
	setenv("TT_ALLOC_TRACKING_ENABLED", "0", 1);
	CHECK_EQUAL(ttalloc_report_alloc(0, TTALLOC_DRAM, 1, 10), 0);
	CHECK_EQUAL(ttalloc_report_free(0, TTALLOC_DRAM, 99), 0);
	CHECK_EQUAL(ttalloc_set_program("x"), 0);
	ttalloc_poll();
	CHECK_EQUAL(ttalloc_get_state(), TTALLOC_OFF);
	CHECK_EQUAL(dram().now_bytes, 0);
	CHECK_EQUAL(ttalloc_get_misuse(TTALLOC_UNKNOWN_FREE), 0);
	CHECK_EQUAL(tables_count(NULL), 0);
}

static void table_has_seals_and_identity_body(void)
{
	char text[1024], *at;
	unsigned long long ticks;
	struct reader reader;
	int fd = -1;
	FILE *stat;

	CHECK_EQUAL(ttalloc_report_alloc(0, TTALLOC_DRAM, 1, 10), 0);
	CHECK_EQUAL(reader_open(&reader, getpid()), 0);
	CHECK_EQUAL(reader.view.pid, getpid());
	stat = fopen("/proc/self/stat", "r");
	CHECK(fgets(text, sizeof(text), stat));
	fclose(stat);
	at = strrchr(text, ')');
	CHECK_EQUAL(sscanf(at + 2,
			   "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d "
			   "%*d %*d %llu",
			   &ticks),
		    1);
	CHECK_EQUAL(reader.view.start_ticks, ticks);
	CHECK_EQUAL(tables_count(&fd), 1);
	CHECK(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED);
	CHECK_EQUAL(errno, EPERM); /* no process can write, not even this one again */
	CHECK_EQUAL(ftruncate(fd, 0), -1);
	CHECK_EQUAL(ftruncate(fd, 1 << 30), -1);
}

static void errno_is_left_alone_body(void)
{
	errno = 4711;
	ttalloc_report_alloc(0, TTALLOC_DRAM, 1, 10);
	CHECK_EQUAL(errno, 4711);
	ttalloc_report_free(0, TTALLOC_DRAM, 2);
	ttalloc_bind_bdf(0, "nonsense");
	ttalloc_poll();
	CHECK_EQUAL(errno, 4711);
}

/* A table in place of standard output would be written to by printf(). */
static void standard_descriptors_are_never_taken_body(void)
{
	close(0);
	close(1);
	ttalloc_report_alloc(0, TTALLOC_DRAM, 1, 10);
	CHECK_EQUAL(fcntl(0, F_GETFD), -1);
	CHECK_EQUAL(fcntl(1, F_GETFD), -1);
	CHECK_EQUAL(tables_count(NULL), 1);
}

/* Programs that close all descriptors, and reuse the numbers, must not lose their files. */
static void stolen_descriptor_is_not_touched_body(void)
{
	char path[] = "/tmp/ttalloc-test-XXXXXX", data[16] = { 0 };
	int fd = mkstemp(path), ours = -1;

	CHECK(fd >= 0);
	unlink(path);
	CHECK_EQUAL(write(fd, "precious", 8), 8);
	ttalloc_report_alloc(0, TTALLOC_DRAM, 1, 10);
	CHECK_EQUAL(tables_count(&ours), 1);
	CHECK_EQUAL(dup2(fd, ours), ours);
	for (uint64_t i = 2; i < 20000; i++)
		CHECK_EQUAL(ttalloc_report_alloc(0, TTALLOC_DRAM, i, 10), 0);
	sleep(1); /* long enough for the library to look for a server again */
	ttalloc_poll();
	CHECK_EQUAL(dram().allocs, 19999);
	CHECK_EQUAL(pread(ours, data, sizeof(data), 0), 8);
	CHECK_EQUAL(strcmp(data, "precious"), 0);
}

static void limit_on_files_gives_a_smaller_table_body(void)
{
	struct rlimit limit = { .rlim_cur = MIB, .rlim_max = MIB };
	struct reader reader;

	CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0); /* beyond: SIGXFSZ, which kills */
	CHECK_EQUAL(ttalloc_report_alloc(0, TTALLOC_DRAM, 1, 10), 0);
	CHECK_EQUAL(ttalloc_get_state(), TTALLOC_LOCAL);
	CHECK_EQUAL(reader_open(&reader, getpid()), 0);
	CHECK(reader.length < MIB);
	CHECK(reader.view.slot_capacity >= 2048);
}

static void no_descriptor_left_is_no_harm_body(void)
{
	struct rlimit limit = { .rlim_cur = 3, .rlim_max = 3 };

	CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &limit), 0);
	CHECK_EQUAL(ttalloc_report_alloc(0, TTALLOC_DRAM, 1, 10), 0);
	CHECK_EQUAL(ttalloc_get_state(), TTALLOC_UNAVAILABLE);
}

static void a_million_allocations_are_listed_body(void)
{
	struct table_allocation allocation;
	struct table_cursor cursor = { 0 };
	struct reader reader;
	uint64_t count = 0, bytes = 0;

	for (uint64_t i = 0; i < 1000000; i++)
		CHECK_EQUAL(ttalloc_report_alloc(0, TTALLOC_DRAM, i * 4096, 1 + i % 3), 0);
	CHECK_EQUAL(reader_open(&reader, getpid()), 0);
	CHECK(table_list_is_complete(&reader.view));
	while (table_next(&reader.view, &cursor, &allocation)) {
		count++;
		bytes += allocation.size;
	}
	CHECK_EQUAL(count, 1000000);
	CHECK_EQUAL(bytes, dram().now_bytes);
}

static void binding_is_checked_and_seen_body(void)
{
	struct table_device device;
	struct reader reader;

	CHECK_EQUAL(ttalloc_bind_node(64, 0), -ENODEV);
	CHECK_EQUAL(ttalloc_bind_node(0, 1 << 20), -EINVAL);
	CHECK_EQUAL(ttalloc_bind_bdf(0, NULL), -EINVAL);
	CHECK_EQUAL(ttalloc_bind_bdf(0, "0000:01:00"), -EINVAL);
	CHECK_EQUAL(ttalloc_bind_bdf(0, "0000:01:00.8"), -EINVAL);
	CHECK_EQUAL(ttalloc_bind_bdf(0, "0000:01:00.0 "), -EINVAL);
	CHECK_EQUAL(ttalloc_bind_bdf(5, "0001:c1:1f.7"), 0);
	CHECK_EQUAL(ttalloc_bind_node(5, 31), 0);
	CHECK_EQUAL(ttalloc_bind_asic(5, 0x123456789abcdef0), 0);
	CHECK_EQUAL(ttalloc_set_program(NULL), -EINVAL);
	CHECK_EQUAL(reader_open(&reader, getpid()), 0);
	CHECK_EQUAL(table_read_device(&reader.view, 5, &device), 0);
	CHECK_EQUAL(device.known, TABLE_HAS_NODE | TABLE_HAS_BDF | TABLE_HAS_ASIC | TABLE_STATED);
	CHECK_EQUAL(device.bdf, 1 << 16 | 0xc1 << 8 | 0x1f << 3 | 7);
	CHECK_EQUAL(device.node, 31);
	CHECK_EQUAL(device.asic, 0x123456789abcdef0);
}

/* A report that has to wait for another device would never return here. */
static void devices_do_not_wait_for_each_other_body(void)
{
	struct process_table *process;
	enum phase phase;

	CHECK_EQUAL(ttalloc_report_alloc(0, TTALLOC_DRAM, 1, 10), 0);
	process = process_get(&phase);
	lock_take(&process->tracker.devices[0].lock);
	lock_take(&process->lock);
	CHECK_EQUAL(ttalloc_report_alloc(1, TTALLOC_DRAM, 1, 10), 0);
	CHECK_EQUAL(ttalloc_report_free(1, TTALLOC_DRAM, 2), -ENOENT);
	CHECK_EQUAL(ttalloc_report_failure(63, TTALLOC_L1), 0);
	CHECK_EQUAL(ttalloc_bind_node(2, 1), 0);
	CHECK_EQUAL(ttalloc_get_misuse(TTALLOC_UNKNOWN_FREE), 1);
	ttalloc_poll();
}

static void usage_may_be_asked_by_an_older_program_body(void)
{
	struct ttalloc_usage usage;

	memset(&usage, 0xff, sizeof(usage));
	ttalloc_report_alloc(0, TTALLOC_DRAM, 1, 10);
	CHECK_EQUAL(ttalloc_get_usage(0, TTALLOC_DRAM, &usage, 16), 0);
	CHECK_EQUAL(usage.now_bytes, 10);
	CHECK_EQUAL(usage.peak_bytes, 10);
	CHECK_EQUAL(usage.allocs, UINT64_MAX);
	CHECK_EQUAL(ttalloc_get_usage(64, TTALLOC_DRAM, &usage, sizeof(usage)), -ENODEV);
	CHECK_EQUAL(ttalloc_get_usage(0, (enum ttalloc_pool)7, &usage, sizeof(usage)), -EINVAL);
	CHECK_EQUAL(ttalloc_get_misuse((enum ttalloc_misuse)99), 0);
}

static void reports_reach_the_table_body(void)
{
	CHECK_EQUAL(ttalloc_report_alloc(0, TTALLOC_DRAM, 1, 10), 0);
	CHECK_EQUAL(dram_in_table(), 10);
	CHECK_EQUAL(ttalloc_report_alloc(0, TTALLOC_DRAM, 1, 30), -EEXIST);
	CHECK_EQUAL(dram_in_table(), 30);
	CHECK_EQUAL(ttalloc_report_failure(0, TTALLOC_DRAM), 0);
	CHECK_EQUAL(dram().failures, 1);
	CHECK_EQUAL(ttalloc_report_alloc(64, TTALLOC_DRAM, 1, 10), -ENODEV);
	CHECK_EQUAL(ttalloc_report_failure(99, TTALLOC_DRAM), -ENODEV);
	CHECK_EQUAL(ttalloc_report_alloc(0, (enum ttalloc_pool) - 1, 1, 10), -EINVAL);
	CHECK_EQUAL(ttalloc_report_free(0, TTALLOC_DRAM, 1), 0);
	CHECK_EQUAL(dram_in_table(), 0);
	CHECK_EQUAL(ttalloc_get_misuse(TTALLOC_DUPLICATE), 1);
	CHECK_EQUAL(ttalloc_get_misuse(TTALLOC_UNKNOWN_DEVICE), 2);
	CHECK_EQUAL(ttalloc_get_misuse(TTALLOC_UNKNOWN_POOL), 1);
}

ISOLATED(turned_off_does_nothing)
ISOLATED(table_has_seals_and_identity)
ISOLATED(errno_is_left_alone)
ISOLATED(standard_descriptors_are_never_taken)
ISOLATED(stolen_descriptor_is_not_touched)
ISOLATED(limit_on_files_gives_a_smaller_table)
ISOLATED(no_descriptor_left_is_no_harm)
ISOLATED(a_million_allocations_are_listed)
ISOLATED(binding_is_checked_and_seen)
ISOLATED(devices_do_not_wait_for_each_other)
ISOLATED(usage_may_be_asked_by_an_older_program)
ISOLATED(reports_reach_the_table)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(turned_off_does_nothing),
		cmocka_unit_test(table_has_seals_and_identity),
		cmocka_unit_test(errno_is_left_alone),
		cmocka_unit_test(standard_descriptors_are_never_taken),
		cmocka_unit_test(stolen_descriptor_is_not_touched),
		cmocka_unit_test(limit_on_files_gives_a_smaller_table),
		cmocka_unit_test(no_descriptor_left_is_no_harm),
		cmocka_unit_test(a_million_allocations_are_listed),
		cmocka_unit_test(binding_is_checked_and_seen),
		cmocka_unit_test(devices_do_not_wait_for_each_other),
		cmocka_unit_test(usage_may_be_asked_by_an_older_program),
		cmocka_unit_test(reports_reach_the_table),
	};

	/* No server and no card of this machine must be used. */
	setenv("TT_ALLOCD_SOCKET", "/nonexistent", 1);
	setenv("TT_SMI_ROOT", "/nonexistent", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
