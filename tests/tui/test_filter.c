/* Filter expressions, the order of processes, the tree, the search. */
#include "tui/process_list.h"

#include "../unit/shared_copy.h"
#include "../unit/unit.h"
#include "render/format.h"

#include <errno.h>
#include <stdio.h>

static struct snapshot *machine;

struct person {
	int32_t pid, parent;
	const char *user, *command;
	uint64_t dram;
	bool tracked;
	double elapsed;
};

static void add_person(const struct person *person, size_t device)
{
	struct process *process = snapshot_add_process(machine, person->pid);
	struct usage *usage;

	assert_non_null(process);
	snprintf(process->user, sizeof(process->user), "%s", person->user);
	process->command = shared_copy(person->command);
	process->why[PROC_USER] = process->why[PROC_COMMAND] = process->why[PROC_ELAPSED] = KNOWN;
	process->state = PROCESS_SLEEPING;
	process->why[PROC_STATE] = KNOWN;
	process->elapsed = person->elapsed;
	process->parent = person->parent;
	usage = process_use(process, device);
	assert_non_null(usage);
	usage->bytes[POOL_DRAM] = person->dram;
	usage->tracking = TRACKING_TABLE;
	usage->why[USE_DRAM] = person->tracked ? KNOWN : NO_TRACKER;
}

static int make_machine(void **state)
{
	static const struct person persons[] = {
		{ 10, 1, "root", "python3 serve.py", 2ULL << 30, true, 100 },
		{ 11, 10, "alice", "worker --rank 0", 1ULL << 30, true, 50 },
		{ 12, 11, "alice", "worker --rank 1", 1ULL << 30, true, 7200 },
		{ 13, 1, "bob", "bench", 0, false, 5 },
	};
	struct device dev;

	(void)state;
	if (snapshot_new(&machine) < 0)
		return -1;
	for (uint32_t i = 0; i < 2; i++) {
		device_init(&dev, i);
		if (!snapshot_add_device(machine, &dev))
			return -1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(persons); i++)
		add_person(&persons[i], i % 2);
	return 0;
}

static int drop_machine(void **state)
{
	(void)state;
	machine = snapshot_free(machine);
	return 0;
}

static const char *text_of(const struct process *process, enum process_column column)
{
	static char copy[64];
	CLEANUP_BUF struct buf text = { 0 };

	process_column_text(&text, &(struct process_scope){ .snapshot = machine }, process, column,
			    false);
	snprintf(copy, sizeof(copy), "%s", buf_text(&text));
	return copy;
}

/* The pids that match an expression, as text, sorted. */
static const char *keeps(const char *expression)
{
	static char text[64];
	struct filter filter = { 0 };
	char problem[128];

	assert_int_equal(filter_parse(&filter, expression, problem, sizeof(problem)), 0);
	text[0] = '\0';
	for (size_t i = 0; i < machine->n_processes; i++)
		if (filter_holds(&filter, &(struct process_scope){ .snapshot = machine },
				 &machine->processes[i]))
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%d ",
				 machine->processes[i].pid);
	return text;
}

TEST(lower_bounds_are_marked_in_every_column)
{
	struct process *process = snapshot_find_process(machine, 10);
	struct usage *usage = &process->usages[0];

	usage->why[USE_L1] = usage->why[USE_PEAK_DRAM] = usage->why[USE_EXACT] = KNOWN;
	usage->peak[POOL_DRAM] = 3ULL << 30;
	usage->exact = true;
	assert_string_equal(text_of(process, COL_PEAK), "3.0GB");
	usage->exact = false;
	assert_string_equal(text_of(process, COL_DRAM), ">=2.0GB");
	assert_string_equal(text_of(process, COL_PEAK), ">=3.0GB");
	assert_string_equal(text_of(process, COL_L1), ">=0B");
	assert_string_equal(text_of(process, COL_PID), "10");
}

TEST(terms_compare_columns)
{
	assert_string_equal(keeps(""), "10 11 12 13 ");
	assert_string_equal(keeps("dram>1G"), "10 ");
	assert_string_equal(keeps("dram>=1G"), "10 11 12 ");
	assert_string_equal(keeps("dram<1.5g"), "11 12 ");
	assert_string_equal(keeps("dram=1024m"), "11 12 ");
	assert_string_equal(keeps("user=alice"), "11 12 ");
	assert_string_equal(keeps("USER!=alice"), "10 13 ");
	assert_string_equal(keeps("command~rank"), "11 12 ");
	assert_string_equal(keeps("time>1h"), "12 ");
	assert_string_equal(keeps("pid<=11"), "10 11 ");
	assert_string_equal(keeps("dev=1"), "11 13 ");
	assert_string_equal(keeps("dev!=1"), "10 12 ");
}

/* Ids in the form in which the list shows them: "0", "0,2", "0-2". */
TEST(devices_are_filtered_by_the_ids_that_are_shown)
{
	struct device third;

	device_init(&third, 2);
	assert_non_null(snapshot_add_device(machine, &third));
	assert_non_null(process_use(&machine->processes[1], 2));
	assert_non_null(process_use(&machine->processes[2], 1));
	assert_non_null(process_use(&machine->processes[2], 2));
	assert_string_equal(keeps("dev=0"), "10 12 ");
	assert_string_equal(keeps("dev=1,2"), "11 12 ");
	assert_string_equal(keeps("dev=0-2"), "12 ");
	assert_string_equal(keeps("dev!=1,2"), "10 13 ");
	assert_string_equal(keeps("dev=0,7"), "");
	assert_string_equal(keeps("dev~-"), "12 ");
	assert_string_equal(keeps("dev~0"), "10 12 ");
}

TEST(amounts_use_the_units_of_the_screen)
{
	format_set_units(UNITS_DECIMAL);
	assert_string_equal(keeps("dram>1G"), "10 11 12 ");
	assert_string_equal(keeps("dram>1Gi"), "10 ");
	assert_string_equal(keeps("dram=1GiB"), "11 12 ");
	assert_string_equal(keeps("dram>=1073MB"), "10 11 12 ");
	format_set_units(UNITS_IEC);
	assert_string_equal(keeps("dram>1G"), "10 ");
	format_set_units(UNITS_BINARY);
}

TEST(all_terms_must_hold)
{
	assert_string_equal(keeps("dram>=1G user=alice"), "11 12 ");
	assert_string_equal(keeps("dram>=1G & user=alice & time<1m"), "11 ");
	assert_string_equal(keeps("  &  "), "10 11 12 13 ");
}

TEST(a_word_is_searched_in_command_and_user)
{
	assert_string_equal(keeps("RANK"), "11 12 ");
	assert_string_equal(keeps("bob"), "13 ");
	assert_string_equal(keeps("nothing"), "");
}

TEST(unknown_values_match_no_comparison)
{
	assert_string_equal(keeps("dram<1T"), "10 11 12 ");
	assert_string_equal(keeps("dram!=0 bench"), "");
}

TEST(quotes_hold_blanks_together)
{
	assert_string_equal(keeps("command=\"worker --rank 0\""), "11 ");
	assert_string_equal(keeps("\"rank 1\" user=alice"), "12 ");
	assert_string_equal(keeps("command~\"k 0\"&user=\"alice\""), "11 ");
}

TEST(every_column_filters)
{
	for (int i = 0; i < PROCESS_COLUMNS; i++) {
		const struct process *process = &machine->processes[0];
		CLEANUP_BUF struct buf text = { 0 }, expression = { 0 };

		/* The text of a column, used as a filter, finds that process. */
		process_column_text(&text, &(struct process_scope){ .snapshot = machine }, process,
				    (enum process_column)i, false);
		assert_true(text.length > 0);
		buf_printf(&expression, "%s%s\"%s\"", process_columns[i].key,
			   process_column_kind((enum process_column)i) == KIND_TEXT ? "=" : "~",
			   buf_text(&text));
		if (!strstr(keeps(buf_text(&expression)), "10 "))
			fail_msg("not found by %s", buf_text(&expression));
	}
}

TEST(a_device_has_its_processes_with_their_memory_on_it)
{
	const struct process_scope scope = { .snapshot = machine, .dev = &machine->devices[1] };
	const struct process_order by_memory = { .column = COL_DRAM, .down = true };
	const struct filter all = { 0 };
	struct process *process = snapshot_find_process(machine, 10);
	struct usage *usage = process_use(process, 1);
	struct process_list list = { 0 };
	CLEANUP_BUF struct buf text = { 0 };

	assert_non_null(usage);
	usage->bytes[POOL_DRAM] = 512 << 20;
	usage->why[USE_DRAM] = KNOWN;
	usage->tracking = TRACKING_TABLE;
	assert_string_equal(text_of(process, COL_DRAM), "2.5GB");
	process_column_text(&text, &scope, process, COL_DRAM, false);
	assert_string_equal(buf_text(&text), "512.0MB");
	assert_int_equal(process_list_make(&list, &scope, &all, &by_memory), 0);
	assert_int_equal(list.count, 3); /* 10, 11 and 13; 12 is on the other one */
	assert_int_equal(list.hidden, 0);
	assert_int_equal(list.rows[0].process->pid, 11);
	assert_int_equal(list.rows[1].process->pid, 10);
	process_list_done(&list);
}

TEST(a_monitor_is_marked_in_the_memory_column)
{
	struct process *monitor = &machine->processes[3];
	CLEANUP_BUF struct buf dram = { 0 }, l1 = { 0 };

	process_set_role(monitor, ROLE_MONITOR);
	process_column_text(&dram, &(struct process_scope){ .snapshot = machine }, monitor,
			    COL_DRAM, false);
	process_column_text(&l1, &(struct process_scope){ .snapshot = machine }, monitor, COL_L1,
			    false);
	assert_string_equal(buf_text(&dram), "monitor");
	assert_string_equal(buf_text(&l1), "-");
	assert_string_equal(keeps("status~monitor"), "13 ");
}

/* The expression after its term for a column was replaced. */
static const char *replaced(const char *expression, enum process_column column, const char *value)
{
	static char text[64];

	snprintf(text, sizeof(text), "%s", expression);
	if (!filter_replace(text, sizeof(text), column, value))
		return "no room";
	return text;
}

TEST(a_term_can_be_replaced)
{
	assert_string_equal(replaced("", COL_USER, "bob"), "user=bob");
	assert_string_equal(replaced("dram>1G user=al", COL_USER, "bob"), "dram>1G user=bob");
	assert_string_equal(replaced("USER=a & user!=c x", COL_USER, "b"), "user!=c x user=b");
	assert_string_equal(replaced("owner=\"a b\" x", COL_OWNER, "slurm 1.0"),
			    "x owner=\"slurm 1.0\"");
	assert_string_equal(replaced("user=a x", COL_USER, NULL), "x");
	assert_string_equal(replaced("x", COL_OWNER,
				     "a name that is far too long for what there is left of room"),
			    "no room");
}

TEST(invalid_filters_are_rejected_and_change_nothing)
{
	static const char *const bad[] = { "dram>",	    "drum>1G",	"dram>1X",    "user>bob",
					   "dram!1",	    "=1",	"pid=twelve", "time>5q",
					   "dram>1G user=", "user=\"a", "\"",	      "user=a\"b\"",
					   "user=\"\"" };
	struct filter filter = { .count = 0 };
	char problem[128], before[sizeof(filter)];

	memcpy(before, &filter, sizeof(before));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		problem[0] = '\0';
		assert_int_equal(filter_parse(&filter, bad[i], problem, sizeof(problem)), -EINVAL);
		assert_true(problem[0]);
		assert_memory_equal(before, &filter, sizeof(before));
	}
	assert_int_equal(filter_parse(&filter, "a b c d e f g h i", problem, sizeof(problem)),
			 -EINVAL);
	assert_int_equal(filter_parse(&filter, "dram >1G", problem, sizeof(problem)), -EINVAL);
	assert_string_equal(problem, "no column before \">1G\": write terms without blanks");
}

/* The pids in the order of the list, with a mark for each level of the tree. */
static const char *order(const struct process_order *wanted)
{
	static char text[128];
	const struct filter all = { 0 };
	struct process_list list = { 0 };

	assert_int_equal(process_list_make(&list, &(struct process_scope){ .snapshot = machine },
					   &all, wanted),
			 0);
	text[0] = '\0';
	for (size_t i = 0; i < list.count; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%.*s%d ",
			 (int)list.rows[i].depth, "....", list.rows[i].process->pid);
	process_list_done(&list);
	return text;
}

TEST(the_second_key_decides_among_equals)
{
	struct process_order wanted = { .column = COL_TIME, .down = true, .second = COL_PID };

	process_order_choose(&wanted, COL_DRAM);
	assert_string_equal(order(&wanted), "10 12 11 13 ");
	wanted.second_down = false;
	assert_string_equal(order(&wanted), "10 11 12 13 ");
}

static void set_owner(int32_t pid, const char *owner)
{
	struct process *process = snapshot_find_process(machine, pid);
	struct owner of = { 0 };

	snprintf(of.unit, sizeof(of.unit), "%s", owner);
	process_set_owner(process, &of);
}

TEST(unknown_values_come_last_in_both_directions)
{
	struct process_order wanted = { .column = COL_PID };

	process_order_choose(&wanted, COL_DRAM);
	assert_true(wanted.down);
	assert_string_equal(order(&wanted), "10 11 12 13 ");
	process_order_choose(&wanted, COL_DRAM);
	assert_false(wanted.down);
	assert_string_equal(order(&wanted), "11 12 10 13 ");
	set_owner(11, "slurm 2");
	set_owner(13, "docker 1");
	process_order_choose(&wanted, COL_OWNER);
	assert_string_equal(order(&wanted), "13 11 12 10 ");
	process_order_choose(&wanted, COL_OWNER);
	assert_string_equal(order(&wanted), "11 13 12 10 ");
}

static void set_compute(int32_t pid, double share, enum utilization_bound bound, double programs)
{
	struct process *process = snapshot_find_process(machine, pid);
	struct utilization_figure figure = utilization_unknown(NOT_REPORTED);

	figure.why[UTIL_SHARE] = figure.why[UTIL_BOUND] = figure.why[UTIL_PROGRAMS] = KNOWN;
	figure.value = (struct utilization){ share, bound, .programs = programs };
	usage_set_utilization(&process->usages[0], &figure);
}

/* A bound is sorted by its number, and a program that has not ended is above all shares. */
TEST(processes_are_sorted_by_compute)
{
	struct process_order wanted = { .column = COL_PID };

	set_compute(11, 0.4, BOUND_EXACT, 100);
	set_compute(12, 0.9, BOUND_LOWER, 100);
	set_compute(13, 0.6, BOUND_UPPER, 0);
	process_order_choose(&wanted, COL_COMPUTE);
	assert_true(wanted.down);
	assert_string_equal(order(&wanted), "12 13 11 10 ");
	process_order_choose(&wanted, COL_COMPUTE);
	assert_string_equal(order(&wanted), "11 13 12 10 ");
	set_compute(11, 0, BOUND_LOWER, 0);
	snapshot_find_process(machine, 11)->usages[0].why[USE_RUNNING] = KNOWN;
	snapshot_find_process(machine, 11)->usages[0].utilization.running = 1;
	assert_string_equal(text_of(snapshot_find_process(machine, 11), COL_COMPUTE), "run 1s");
	assert_string_equal(order(&wanted), "13 12 11 10 ");
	process_order_choose(&wanted, COL_COMPUTE);
	assert_string_equal(order(&wanted), "11 12 13 10 ");
}

TEST(every_column_sorts)
{
	struct process_order wanted = { .column = COL_PID };

	for (int i = 0; i < PROCESS_COLUMNS; i++) {
		wanted.column = (enum process_column)i;
		assert_int_equal(strlen(order(&wanted)), strlen("10 11 12 13 "));
	}
}

TEST(the_tree_has_children_below_their_parents)
{
	struct process_order wanted = { .column = COL_DRAM, .tree = true };

	assert_string_equal(order(&wanted), "10 .11 ..12 13 ");
}

TEST(a_deep_tree_is_shown_completely)
{
	enum { FIRST = 1000, COUNT = 3000 };
	const struct process_order wanted = { .column = COL_PID, .tree = true };
	struct filter filter = { 0 };
	struct process_list list = { 0 };
	char problem[128];

	for (int i = 0; i < COUNT; i++) {
		const struct person person = {
			FIRST + i, FIRST + i - 1, "eve", "link", 0, true, 1
		};

		add_person(&person, 0);
	}
	assert_int_equal(filter_parse(&filter, "link pid!=1001", problem, sizeof(problem)), 0);
	assert_int_equal(process_list_make(&list, &(struct process_scope){ .snapshot = machine },
					   &filter, &wanted),
			 0);
	assert_int_equal(list.count, COUNT - 1);
	/* A process whose parent is not in the list starts a new tree. */
	assert_int_equal(list.rows[1].depth, 0);
	assert_int_equal(list.rows[COUNT - 2].depth, COUNT - 3);
	process_list_done(&list);
}

TEST(a_cycle_of_parents_loses_no_process)
{
	struct process_order wanted = { .column = COL_PID, .tree = true };

	snapshot_find_process(machine, 10)->parent = 12;
	assert_int_equal(strlen(order(&wanted)), strlen("10 11 12 13 "));
	snapshot_find_process(machine, 10)->parent = 10;
	assert_string_equal(order(&wanted), "10 .11 ..12 13 ");
}

TEST(the_search_wraps_around)
{
	const struct process_order by_pid = { .column = COL_PID };
	const struct filter all = { 0 };
	struct process_list list = { 0 };

	assert_int_equal(process_list_make(&list, &(struct process_scope){ .snapshot = machine },
					   &all, &by_pid),
			 0);
	assert_int_equal(process_list_search(&list, &(struct process_scope){ .snapshot = machine },
					     "rank", 0, true),
			 1);
	assert_int_equal(process_list_search(&list, &(struct process_scope){ .snapshot = machine },
					     "rank", 3, true),
			 1);
	assert_int_equal(process_list_search(&list, &(struct process_scope){ .snapshot = machine },
					     "rank", 0, false),
			 2);
	assert_int_equal(process_list_search(&list, &(struct process_scope){ .snapshot = machine },
					     "13", 0, true),
			 3);
	assert_int_equal(process_list_search(&list, &(struct process_scope){ .snapshot = machine },
					     "nobody", 0, true),
			 -1);
	assert_int_equal(process_list_find(&list, 12), 2);
	assert_int_equal(process_list_find(&list, 99), -1);
	process_list_done(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lower_bounds_are_marked_in_every_column,
						make_machine, drop_machine),
		cmocka_unit_test_setup_teardown(terms_compare_columns, make_machine, drop_machine),
		cmocka_unit_test_setup_teardown(devices_are_filtered_by_the_ids_that_are_shown,
						make_machine, drop_machine),
		cmocka_unit_test_setup_teardown(amounts_use_the_units_of_the_screen, make_machine,
						drop_machine),
		cmocka_unit_test_setup_teardown(all_terms_must_hold, make_machine, drop_machine),
		cmocka_unit_test_setup_teardown(a_word_is_searched_in_command_and_user,
						make_machine, drop_machine),
		cmocka_unit_test_setup_teardown(unknown_values_match_no_comparison, make_machine,
						drop_machine),
		cmocka_unit_test_setup_teardown(quotes_hold_blanks_together, make_machine,
						drop_machine),
		cmocka_unit_test_setup_teardown(every_column_filters, make_machine, drop_machine),
		cmocka_unit_test_setup_teardown(a_device_has_its_processes_with_their_memory_on_it,
						make_machine, drop_machine),
		cmocka_unit_test_setup_teardown(a_monitor_is_marked_in_the_memory_column,
						make_machine, drop_machine),
		cmocka_unit_test(a_term_can_be_replaced),
		cmocka_unit_test(invalid_filters_are_rejected_and_change_nothing),
		cmocka_unit_test_setup_teardown(the_second_key_decides_among_equals, make_machine,
						drop_machine),
		cmocka_unit_test_setup_teardown(unknown_values_come_last_in_both_directions,
						make_machine, drop_machine),
		cmocka_unit_test_setup_teardown(processes_are_sorted_by_compute, make_machine,
						drop_machine),
		cmocka_unit_test_setup_teardown(every_column_sorts, make_machine, drop_machine),
		cmocka_unit_test_setup_teardown(the_tree_has_children_below_their_parents,
						make_machine, drop_machine),
		cmocka_unit_test_setup_teardown(a_deep_tree_is_shown_completely, make_machine,
						drop_machine),
		cmocka_unit_test_setup_teardown(a_cycle_of_parents_loses_no_process, make_machine,
						drop_machine),
		cmocka_unit_test_setup_teardown(the_search_wraps_around, make_machine,
						drop_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
