/* Tips: the remedy for what is on the screen. */
#include "render/tips.h"
#include "unit.h"

static struct snapshot *machine;

static int make_machine(void **state)
{
	struct device dev;

	(void)state;
	if (snapshot_new(&machine) < 0)
		return -1;
	device_init(&dev, 0);
	return snapshot_add_device(machine, &dev) ? 0 : -1;
}

static int drop_machine(void **state)
{
	(void)state;
	machine = snapshot_free(machine);
	return 0;
}

/* A process whose memory is unknown for this reason, or KNOWN. */
static struct process *add_process(int32_t pid, enum reason why)
{
	struct process *process = snapshot_add_process(machine, pid);
	struct usage *usage;

	assert_non_null(process);
	usage = process_use(process, 0);
	assert_non_null(usage);
	usage->why[USE_DRAM] = (uint8_t)why;
	usage->tracking = why == KNOWN ? TRACKING_METAL : TRACKING_NONE;
	return process;
}

static void assert_tips(const char *expected)
{
	const struct render_options options = { .command = "./build/tt_smi", .can_trace = true };
	CLEANUP_BUF struct buf out = { 0 };

	tips_put(&out, &options, machine);
	assert_string_equal(buf_text(&out), expected);
}

#define DOCTOR "   Run ./build/tt_smi doctor to see why memory is unknown and how to fix it\n"

TEST(a_process_without_a_tracker_can_be_run_or_traced)
{
	add_process(10, NO_TRACKER);
	add_process(11, KNOWN);
	assert_tips("\nTIP: 1 process without memory tracking\n"
		    "   The next time: ./build/tt_smi run -- COMMAND\n"
		    "   Without a restart: sudo ./build/tt_smi trace start\n" DOCTOR);
}

TEST(where_the_tracer_runs_or_is_not_built_it_is_no_remedy)
{
	const struct render_options without = { .command = "tt_smi" };
	CLEANUP_BUF struct buf out = { 0 };

	add_process(10, NO_TRACKER);
	add_process(11, TRACE_MISSED_FREE);
	assert_tips("\nTIP: 2 processes without memory tracking\n"
		    "   The next time: ./build/tt_smi run -- COMMAND\n" DOCTOR);
	snapshot_find_process(machine, 11)->usages[0].why[USE_DRAM] = NO_TRACKER;
	tips_put(&out, &without, machine);
	assert_string_equal(
		buf_text(&out),
		"\nTIP: 2 processes without memory tracking\n"
		"   The next time: tt_smi run -- COMMAND\n"
		"   Run tt_smi doctor to see why memory is unknown and how to fix it\n");
}

TEST(processes_of_other_users_need_root_or_a_server)
{
	add_process(10, DENIED);
	assert_tips("\nTIP: 1 process of other users, whose memory only root may read\n"
		    "   Once:          sudo ./build/tt_smi\n"
		    "   For all users: sudo ./build/tt_allocd\n" DOCTOR);
	add_process(11, NO_TRACKER)->evidence.why_hidden = DENIED;
	machine->server_pid = 5;
	assert_tips("\nTIP: 2 processes of other users, whose memory only root may read\n"
		    "   Once:          sudo ./build/tt_smi\n" DOCTOR);
}

/* A second server could not listen beside it. */
TEST(a_silent_server_is_named_first_and_no_other_is_advised)
{
	add_process(10, DENIED);
	machine->server_unresponsive = true;
	assert_tips("\nTIP: The allocation server does not answer\n"
		    "\nTIP: 1 process of other users, whose memory only root may read\n"
		    "   Once:          sudo ./build/tt_smi\n" DOCTOR);
}

TEST(an_unknown_metal_needs_a_newer_version)
{
	add_process(10, UNKNOWN_VERSION);
	add_process(11, TRACE_UNKNOWN_SHAPE);
	assert_tips("\nTIP: 2 processes with a TT-Metal that this version does not know\n"
		    "   Install a newer tt_smi, or report memory: man 3 libttalloc\n" DOCTOR);
}

TEST(an_unclear_list_of_devices_needs_addresses)
{
	add_process(10, DEVICE_LIST_AMBIGUOUS);
	assert_tips("\nTIP: 1 process with an ambiguous TT_VISIBLE_DEVICES\n"
		    "   Use full PCI addresses, such as 0000:01:00.0\n" DOCTOR);
}

TEST(there_is_no_tip_where_nothing_helps)
{
	add_process(10, KNOWN);
	add_process(11, OTHER_NAMESPACE);
	add_process(12, RESETTING);
	add_process(13, NO_TRACKER)->holding = HOLDING_OPENER_GONE;
	process_set_role(add_process(14, NO_TRACKER), ROLE_MONITOR);
	machine->server_unresponsive = true;
	assert_tips("");
}

#define TIPS_TEST(name) cmocka_unit_test_setup_teardown(name, make_machine, drop_machine)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TIPS_TEST(a_process_without_a_tracker_can_be_run_or_traced),
		TIPS_TEST(where_the_tracer_runs_or_is_not_built_it_is_no_remedy),
		TIPS_TEST(processes_of_other_users_need_root_or_a_server),
		TIPS_TEST(a_silent_server_is_named_first_and_no_other_is_advised),
		TIPS_TEST(an_unknown_metal_needs_a_newer_version),
		TIPS_TEST(an_unclear_list_of_devices_needs_addresses),
		TIPS_TEST(there_is_no_tip_where_nothing_helps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
