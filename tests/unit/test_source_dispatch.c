/*
 * How the source reads the tracer's text of compute utilisation: process, device and age of each
 * line, and the figures of devices. Devices and processes are given; the text is in a tree.
 */
#include "basic/clock.h"
#include "source_tree.h"

#define FILE_PATH    "run/tt-smi/bpf/dispatch"
#define WATCHER_PATH "run/tt-smi/trace.watcher"
#define GROUP_PATH   "sys/bus/pci/devices/0000:01:00.0/iommu_group"
#define HEAD                                                                          \
	"PID Comm CHIP START DEVICE BUSY WINDOW BOUND PROGRAMS RUNNING LAST UPDATED " \
	"STATE OPERATION\n- -\n"

static const char *const folders[] = {
	"run",	   "run/tt-smi",  "run/tt-smi/bpf",	 "sys",
	"sys/bus", "sys/bus/pci", "sys/bus/pci/devices", "sys/bus/pci/devices/0000:01:00.0",
};

/* A process that has the devices from first to last open. */
static struct process *add_process(int32_t pid, unsigned first, unsigned last)
{
	return start_process(pid, 100, first, last - first + 1);
}

/* Four devices; process 10 has the first two open, and the others none. */
static int make(void **state)
{
	(void)state;
	want.processes = want.utilization = true;
	if (make_tree(&source_dispatch, folders, ARRAY_SIZE(folders)) < 0)
		return -1;
	write_file(WATCHER_PATH, "1 1\n");
	add_devices(4);
	add_process(10, 0, 1);
	return 0;
}

static int unmake(void **state)
{
	(void)state;
	return remove_tree(&source_dispatch);
}

/* Each @ becomes the current time, less age. */
static void read_aged(const char *lines, int64_t age)
{
	char text[4096];
	size_t length = (size_t)snprintf(text, sizeof(text), HEAD);

	for (; *lines; lines++) {
		if (*lines == '@')
			length += (size_t)snprintf(text + length, sizeof(text) - length, "%lld",
						   (long long)(clock_now(CLOCK_MONOTONIC) - age));
		else
			text[length++] = *lines;
		text[length] = '\0';
		assert_true(length < sizeof(text) - 32);
	}
	write_file(FILE_PATH, text);
	assert_int_equal(source_dispatch.sample(state_of_source, &sample), 0);
}

static void read_lines(const char *lines)
{
	read_aged(lines, 0);
}

static const struct usage *usage_of(int32_t pid, size_t device)
{
	const struct usage *usage =
		process_find_usage(snapshot_find_process(sample.snapshot, pid), device);

	assert_non_null(usage);
	return usage;
}

static void assert_usage(int32_t pid, size_t device, double share, enum utilization_bound bound)
{
	const struct usage *usage = usage_of(pid, device);

	assert_int_equal(usage->why[USE_UTILIZATION], KNOWN);
	assert_int_equal(usage->why[USE_BOUND], KNOWN);
	assert_near(usage->utilization.share, share);
	assert_int_equal(usage->utilization.bound, bound);
}

static void assert_unknown(int32_t pid, size_t device, enum reason why)
{
	assert_int_equal(usage_of(pid, device)->why[USE_UTILIZATION], why);
}

static struct device *device_at(size_t i)
{
	return &sample.snapshot->devices[i];
}

static void assert_device(size_t i, double share, enum utilization_bound bound)
{
	assert_int_equal(device_at(i)->why[DEV_DISPATCH], KNOWN);
	assert_int_equal(device_at(i)->why[DEV_BOUND], KNOWN);
	assert_near(device_at(i)->utilization.share, share);
	assert_int_equal(device_at(i)->utilization.bound, bound);
}

TEST(without_the_file_nothing_is_known)
{
	assert_int_equal(source_dispatch.sample(state_of_source, &sample), 0);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(device_at(i)->why[DEV_DISPATCH], NOT_TRACED);
	assert_unknown(10, 0, NOT_TRACED);
	assert_int_equal(sample.snapshot->n_problems, 0);
}

TEST(every_figure_of_a_line_is_taken)
{
	const struct utilization *now;

	read_lines("10 job 1 100 - 500000000 2000000000 lower 8 12000000000 3000000000 @ ok "
		   "ttnn::add\n");
	assert_usage(10, 1, 0.25, BOUND_LOWER);
	assert_device(1, 0.25, BOUND_LOWER);
	now = &device_at(1)->utilization;
	assert_near(now->programs, 4);
	assert_near(now->running, 12);
	assert_near(now->last_program, 3);
	assert_string_equal(now->operation, "ttnn::add");
	assert_unknown(10, 0, NOT_TRACED);
}

TEST(the_tracer_may_name_the_device)
{
	read_lines("10 job 7 100 1 5 10 exact 1 - - @ ok -\n");
	assert_usage(10, 1, 0.5, BOUND_EXACT);
	assert_int_equal(device_at(1)->why[DEV_RUNNING], NOT_APPLICABLE);
	assert_int_equal(device_at(1)->why[DEV_LAST_PROGRAM], NOT_REPORTED);
}

TEST(a_chip_that_is_not_found_may_be_any_without_a_line)
{
	read_lines("10 job 0 100 - 5 10 exact 1 - - @ ok -\n"
		   "10 job 9 100 - 5 10 exact 1 - - @ ok -\n"
		   "10 job - 100 - - - - - - - @ no-records -\n");
	assert_usage(10, 0, 0.5, BOUND_EXACT);
	assert_unknown(10, 1, UNMATCHED_CHIP);
}

TEST(lines_of_an_earlier_process_with_the_same_pid_are_not_taken)
{
	read_lines("10 job 0 99 - 5 10 exact 1 - - @ ok -\n");
	assert_unknown(10, 0, NOT_TRACED);
	assert_int_equal(device_at(0)->why[DEV_DISPATCH], NOT_TRACED);
}

TEST(a_line_older_than_two_seconds_is_stale)
{
	read_aged("10 job 0 100 - 5 10 exact 1 - - @ ok -\n0 - - 0 1 5 10 exact 1 - - @ ok -\n",
		  3 * NS_PER_S);
	assert_unknown(10, 0, STALE);
	assert_int_equal(device_at(0)->why[DEV_DISPATCH], STALE);
	assert_int_equal(device_at(1)->why[DEV_DISPATCH], NOT_TRACED);
	sample.snapshot->recorded = true; /* its clock is not ours */
	assert_int_equal(source_dispatch.sample(state_of_source, &sample), 0);
	assert_usage(10, 0, 0.5, BOUND_EXACT);
}

TEST(a_line_for_all_chips_is_for_those_without_one)
{
	read_lines("10 job 0 100 - 5 10 exact 1 - - @ ok -\n"
		   "10 job - 100 - - - - - - - @ slow-dispatch -\n");
	assert_usage(10, 0, 0.5, BOUND_EXACT);
	assert_unknown(10, 1, UNMEASURED_SLOW_DISPATCH);
	assert_int_equal(device_at(1)->why[DEV_DISPATCH], UNMEASURED_SLOW_DISPATCH);
}

TEST(why_the_profiler_does_not_cover_a_chip)
{
	static const char line[] = "10 job - 100 - - - - - - - @ not-covered -\n";

	device_at(0)->type = board_by_name("n300");
	device_at(0)->arch = ARCH_WORMHOLE;
	device_at(1)->type = board_by_name("n150");
	device_at(1)->arch = ARCH_WORMHOLE;
	read_lines(line);
	assert_unknown(10, 0, ETHERNET_DISPATCH);
	assert_unknown(10, 1, UNMEASURED_NOT_COVERED);
	device_at(0)->type = board_by_name("p150a");
	device_at(0)->arch = ARCH_BLACKHOLE;
	read_lines(line);
	assert_unknown(10, 0, NO_IOMMU);
	write_file(GROUP_PATH, "");
	read_lines(line);
	assert_unknown(10, 0, UNMEASURED_NOT_COVERED);
	device_at(1)->remote = true;
	read_lines(line);
	assert_unknown(10, 1, NO_PCIE);
	assert_int_equal(device_at(1)->why[DEV_DISPATCH], NO_PCIE);
}

TEST(a_device_that_no_job_holds_is_idle)
{
	read_lines("");
	assert_device(3, 0, BOUND_EXACT);
	assert_int_equal(device_at(0)->why[DEV_DISPATCH], NOT_TRACED);
	device_at(3)->unseen_holders = 1;
	device_at(2)->holders_known = false;
	device_at(2)->holders_why = DENIED;
	read_lines("");
	assert_int_equal(device_at(3)->why[DEV_DISPATCH], OTHER_NAMESPACE);
	assert_int_equal(device_at(2)->why[DEV_DISPATCH], DENIED);
}

TEST(without_the_tracers_process_nothing_is_idle)
{
	unlinkat(root.fd, WATCHER_PATH, 0);
	read_lines("");
	assert_int_equal(device_at(3)->why[DEV_DISPATCH], NOT_TRACED);
}

TEST(a_monitor_does_not_count)
{
	struct process *monitor = add_process(20, 0, 3);

	monitor->evidence.role =
		(struct role_evidence){ .reported = ROLE_REPORTED_MONITOR, .reported_start = 100 };
	read_lines("10 job 0 100 - 5 10 exact 1 - - @ ok -\n");
	assert_device(0, 0.5, BOUND_EXACT);
	assert_device(3, 0, BOUND_EXACT);
}

TEST(a_job_without_a_line_leaves_a_lower_bound)
{
	add_process(20, 0, 1);
	read_lines("10 job 0 100 - 5 10 exact 1 - - @ ok -\n"
		   "10 job 1 100 - 5 10 upper 1 - - @ ok -\n");
	assert_device(0, 0.5, BOUND_LOWER);
	assert_usage(10, 0, 0.5, BOUND_EXACT);
	assert_int_equal(device_at(1)->why[DEV_DISPATCH], NOT_TRACED);
}

TEST(an_upper_bound_has_the_reason_why_nothing_is_measured)
{
	read_lines("10 job 0 100 - 5 10 upper 0 - - @ unknown-layout -\n"
		   "10 job 1 100 - 5 10 upper 0 - - @ ok -\n");
	assert_usage(10, 0, 0.5, BOUND_UPPER);
	assert_int_equal(usage_of(10, 0)->utilization.unmeasured, UNMEASURED_UNKNOWN_LAYOUT);
	assert_int_equal(usage_of(10, 1)->utilization.unmeasured, KNOWN);
}

TEST(the_line_of_the_device_is_the_union)
{
	static const char lines[] = "10 job 0 100 - 5 10 exact 1 - - @ ok -\n"
				    "20 job 0 100 - 3 10 exact 1 - - @ ok -\n"
				    "0 - - 0 0 7 10 exact 2 - - @ ok -\n";

	add_process(20, 0, 0);
	read_lines(lines);
	assert_device(0, 0.7, BOUND_EXACT);
	add_process(30, 0, 0);
	read_lines(lines);
	assert_device(0, 0.7, BOUND_LOWER);
}

TEST(a_line_of_a_device_without_a_figure_leaves_those_of_its_processes)
{
	read_lines(
		"10 job 0 100 - 5 10 lower 1 - - @ ok -\n0 - - 0 0 - - - - - - @ no-records -\n");
	assert_device(0, 0.5, BOUND_LOWER);
}

TEST(of_several_processes_without_a_union_the_largest_is_a_lower_bound)
{
	add_process(20, 0, 0);
	read_lines("10 job 0 100 - 5 10 exact 1 - - @ ok -\n"
		   "20 job 0 100 - 3 10 exact 1 - - @ ok -\n");
	assert_device(0, 0.5, BOUND_LOWER);
}

TEST(a_text_that_is_not_understood_is_reported)
{
	read_lines("10 job 0 100 - 5 10 exact 1 - - soon ok -\n");
	assert_int_equal(sample.snapshot->n_problems, 1);
	assert_non_null(strstr(sample.snapshot->problems[0].text, "not understood"));
	assert_int_equal(device_at(0)->why[DEV_DISPATCH], NOT_TRACED);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, make, unmake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(without_the_file_nothing_is_known),
		WITH(every_figure_of_a_line_is_taken),
		WITH(the_tracer_may_name_the_device),
		WITH(a_chip_that_is_not_found_may_be_any_without_a_line),
		WITH(lines_of_an_earlier_process_with_the_same_pid_are_not_taken),
		WITH(a_line_older_than_two_seconds_is_stale),
		WITH(a_line_for_all_chips_is_for_those_without_one),
		WITH(why_the_profiler_does_not_cover_a_chip),
		WITH(a_device_that_no_job_holds_is_idle),
		WITH(without_the_tracers_process_nothing_is_idle),
		WITH(a_monitor_does_not_count),
		WITH(a_job_without_a_line_leaves_a_lower_bound),
		WITH(an_upper_bound_has_the_reason_why_nothing_is_measured),
		WITH(the_line_of_the_device_is_the_union),
		WITH(a_line_of_a_device_without_a_figure_leaves_those_of_its_processes),
		WITH(of_several_processes_without_a_union_the_largest_is_a_lower_bound),
		WITH(a_text_that_is_not_understood_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
