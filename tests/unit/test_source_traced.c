/*
 * Processing of the tracer's text: the processes and devices of the lines, and how far they can be
 * trusted. Devices and processes are given; the text is in a tree.
 */
#include "source_tree.h"

#define PATH "run/tt-smi/bpf/allocations"
#define HEAD "PID Comm DRAM L1 L1_SMALL TRACE BUFFERS SYSTEM CHIP START STATE\n- -\n"
#define TAIL "\nTOTAL - 0 0 0 0 0 0 - - -\n"

static const char *const folders[] = { "run", "run/tt-smi", "run/tt-smi/bpf" };

/*
 * Three devices. Process 10 has all of them open, 11 and 12, which began in the same tick, the
 * first two, 13 the first, 14 none.
 */
static int make(void **state)
{
	(void)state;
	want.processes = true;
	if (make_tree(&source_traced, folders, ARRAY_SIZE(folders)) < 0)
		return -1;
	add_devices(3);
	start_process(10, 100, 0, 3);
	start_process(11, 110, 0, 2);
	start_process(12, 110, 0, 2);
	start_process(13, 130, 0, 1);
	start_process(14, 140, 0, 0);
	return 0;
}

static int unmake(void **state)
{
	(void)state;
	return remove_tree(&source_traced);
}

static void read_lines(const char *lines)
{
	char text[4096];
	int length = snprintf(text, sizeof(text), HEAD "%s" TAIL, lines);

	assert_true(length < (int)sizeof(text));
	write_file(PATH, text);
	assert_int_equal(source_traced.sample(state_of_source, &sample), 0);
}

static size_t count_reports(int32_t pid)
{
	size_t count = 0;

	for (size_t i = 0; i < sample.n_reports; i++)
		count += sample.reports[i].pid == pid;
	return count;
}

/* The only report of a process for a device. */
static const struct memory_report *report_of(int32_t pid, size_t device)
{
	const struct memory_report *found = NULL;

	for (size_t i = 0; i < sample.n_reports; i++) {
		if (sample.reports[i].pid != pid || sample.reports[i].device != device)
			continue;
		assert_null(found);
		found = &sample.reports[i];
	}
	if (!found)
		fail_msg("process %d, device %zu: no report", pid, device);
	return found;
}

static void assert_reason(int32_t pid, size_t device, enum reason why)
{
	const struct process *process = snapshot_find_process(sample.snapshot, pid);
	const struct usage *usage = process_find_usage(process, device);

	assert_non_null(usage);
	assert_int_equal(usage->why[USE_DRAM], why);
}

TEST(every_figure_of_a_line_is_reported)
{
	const struct memory_report *report;

	read_lines("13 job 1 2 3 4 5 6 0 130 exact\n");
	assert_int_equal(sample.n_reports, 1);
	report = report_of(13, 0);
	assert_int_equal(report->start_ticks, 130);
	assert_int_equal(report->source, TRACKING_TRACED);
	assert_int_equal(report->bytes[POOL_DRAM], 1);
	assert_int_equal(report->bytes[POOL_L1], 2);
	assert_int_equal(report->bytes[POOL_L1_SMALL], 3);
	assert_int_equal(report->bytes[POOL_TRACE], 4);
	assert_int_equal(report->held, 5);
	assert_int_equal(report->bytes[POOL_SYSTEM], 6);
	assert_true(report->has_held && !report->low && !report->has_counts && !report->has_peak);
}

/* Lines are in any order, and as many as fit into the array. */
TEST(each_process_has_its_own_lines)
{
	read_lines("12 c 40 0 0 0 1 0 1 110 exact\n"
		   "10 a 10 0 0 0 1 0 1 100 exact\n"
		   "12 c 30 0 0 0 1 0 0 110 exact\n"
		   "10 a 20 0 0 0 1 0 2 100 exact\n"
		   "10 a 50 0 0 0 1 0 0 100 exact\n"
		   "11 b 60 0 0 0 1 0 1 110 exact\n"
		   "11 b 70 0 0 0 1 0 0 110 exact\n"
		   "13 d 80 0 0 0 1 0 0 130 exact\n");
	assert_int_equal(sample.n_reports, 8);
	assert_int_equal(report_of(10, 0)->bytes[POOL_DRAM], 50);
	assert_int_equal(report_of(10, 1)->bytes[POOL_DRAM], 10);
	assert_int_equal(report_of(10, 2)->bytes[POOL_DRAM], 20);
	assert_int_equal(report_of(11, 0)->bytes[POOL_DRAM], 70);
	assert_int_equal(report_of(11, 1)->bytes[POOL_DRAM], 60);
	assert_int_equal(report_of(12, 0)->bytes[POOL_DRAM], 30);
	assert_int_equal(report_of(12, 1)->bytes[POOL_DRAM], 40);
	assert_int_equal(report_of(13, 0)->bytes[POOL_DRAM], 80);
}

TEST(lines_of_an_earlier_process_with_the_same_pid_are_not_counted)
{
	read_lines("11 new 5 0 0 0 1 0 0 110 exact\n"
		   "11 old 7 0 0 0 1 0 1 109 unreliable:mesh\n"
		   "11 next 9 0 0 0 1 0 1 111 since-attach\n"
		   "99 unknown 1 0 0 0 1 0 0 1 exact\n");
	assert_int_equal(sample.n_reports, 2);
	assert_int_equal(report_of(11, 0)->bytes[POOL_DRAM], 5);
	assert_int_equal(report_of(11, 1)->bytes[POOL_DRAM], 0);
	assert_false(report_of(11, 0)->low || report_of(11, 1)->low);
}

TEST(a_device_without_a_line_has_no_memory)
{
	read_lines("10 a 7 0 0 0 1 0 1 100 exact\n"
		   "11 b 0 0 0 0 0 0 - 110 exact\n"
		   "14 e 0 0 0 0 0 0 - 140 exact\n");
	assert_int_equal(count_reports(10), 3);
	assert_int_equal(report_of(10, 0)->bytes[POOL_DRAM], 0);
	assert_int_equal(report_of(10, 1)->bytes[POOL_DRAM], 7);
	assert_int_equal(report_of(10, 2)->bytes[POOL_DRAM], 0);
	assert_int_equal(count_reports(11), 2);
	assert_int_equal(report_of(11, 0)->held, 0);
	assert_int_equal(report_of(11, 1)->held, 0);
	assert_int_equal(count_reports(12) + count_reports(13) + count_reports(14), 0);
	assert_int_equal(sample.snapshot->n_problems, 0);
}

TEST(a_fault_in_one_line_affects_its_process_only)
{
	static const char *const lines[] = {
		"10 a 1 0 0 0 1 0 0 100 unreliable:mesh\n"
		"10 a 1 0 0 0 1 0 1 100 exact\n"
		"10 a 1 0 0 0 1 0 2 100 exact\n",
		"10 a 1 0 0 0 1 0 0 100 exact\n"
		"10 a 1 0 0 0 1 0 1 100 unreliable:mesh\n"
		"10 a 1 0 0 0 1 0 2 100 exact\n",
		"10 a 1 0 0 0 1 0 0 100 exact\n"
		"10 a 1 0 0 0 1 0 1 100 exact\n"
		"10 a 1 0 0 0 1 0 2 100 unreliable:mesh\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		char text[1024];

		snprintf(text, sizeof(text),
			 "%s"
			 "11 b 2 0 0 0 1 0 0 110 exact\n",
			 lines[i]);
		sample_done(&sample);
		sample.reports = NULL;
		sample.n_reports = 0;
		read_lines(text);
		assert_int_equal(count_reports(10), 0);
		assert_int_equal(count_reports(11), 2);
		for (size_t device = 0; device < 3; device++)
			assert_reason(10, device, TRACE_MESH);
		assert_reason(11, 0, NO_TRACKER);
	}
}

TEST(one_line_since_the_attach_makes_all_of_them_lower_bounds)
{
	read_lines("10 a 1 0 0 0 1 0 0 100 exact\n"
		   "10 a 1 0 0 0 1 0 1 100 since-attach\n"
		   "11 b 1 0 0 0 1 0 0 110 since-attach\n"
		   "12 c 1 0 0 0 1 0 0 110 exact\n");
	assert_int_equal(sample.n_reports, 7);
	assert_true(report_of(10, 0)->low && report_of(10, 1)->low && report_of(10, 2)->low);
	assert_true(report_of(11, 0)->low && report_of(11, 1)->low);
	assert_false(report_of(12, 0)->low || report_of(12, 1)->low);
}

TEST(a_chip_that_is_listed_twice_counts_once)
{
	read_lines("10 a 5 0 0 0 1 0 0 100 exact\n"
		   "10 a 7 0 0 0 1 0 1 100 exact\n"
		   "10 a 7 0 0 0 1 0 1 100 exact\n");
	assert_int_equal(report_of(10, 0)->bytes[POOL_DRAM], 5);
	assert_int_equal(report_of(10, 1)->bytes[POOL_DRAM], 7);
	assert_int_equal(report_of(10, 1)->held, 1);
}

/* The unidentified chip may be any device without a line: none of these is 0 then. */
TEST(with_an_unidentified_chip_no_device_is_empty)
{
	read_lines("11 b 5 0 0 0 1 0 0 110 exact\n"
		   "11 b 9 0 0 0 1 0 2 110 exact\n"
		   "12 c 5 0 0 0 1 0 1 110 exact\n");
	assert_int_equal(count_reports(11), 1);
	assert_int_equal(report_of(11, 0)->bytes[POOL_DRAM], 5);
	assert_int_equal(count_reports(12), 2);
	assert_int_equal(sample.snapshot->n_problems, 1);
	assert_non_null(strstr(sample.snapshot->problems[0].text, "process 11: its chip 2"));
}

static void report_before(int32_t pid, enum tracking source)
{
	assert_int_equal(sample_report(&sample, &(struct memory_report){ .pid = pid,
									 .source = source,
									 .bytes[POOL_DRAM] = 1 }),
			 0);
}

TEST(the_servers_report_of_traced_processes_is_kept)
{
	report_before(12, TRACKING_TRACED);
	report_before(11, TRACKING_TABLE);
	report_before(10, TRACKING_TRACED);
	read_lines("10 a 5 0 0 0 1 0 0 100 exact\n"
		   "11 b 7 0 0 0 1 0 1 110 exact\n"
		   "12 c 9 0 0 0 1 0 0 110 exact\n");
	assert_int_equal(count_reports(10), 1);
	assert_int_equal(count_reports(11), 3);
	assert_int_equal(report_of(11, 1)->bytes[POOL_DRAM], 7);
	assert_int_equal(count_reports(12), 1);
}

TEST(a_malformed_text_is_reported_and_gives_no_reports)
{
	read_lines("10 a 5 0 0 0 1 0 64 100 exact\n");
	assert_int_equal(sample.n_reports, 0);
	assert_int_equal(sample.snapshot->n_problems, 1);
	assert_non_null(strstr(sample.snapshot->problems[0].text, "not understood"));
	assert_reason(10, 0, NO_TRACKER);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, make, unmake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(every_figure_of_a_line_is_reported),
		WITH(each_process_has_its_own_lines),
		WITH(lines_of_an_earlier_process_with_the_same_pid_are_not_counted),
		WITH(a_device_without_a_line_has_no_memory),
		WITH(a_fault_in_one_line_affects_its_process_only),
		WITH(one_line_since_the_attach_makes_all_of_them_lower_bounds),
		WITH(a_chip_that_is_listed_twice_counts_once),
		WITH(with_an_unidentified_chip_no_device_is_empty),
		WITH(the_servers_report_of_traced_processes_is_kept),
		WITH(a_malformed_text_is_reported_and_gives_no_reports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
