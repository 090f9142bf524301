/*
 * Job or monitor: every rule, and how a hostile user can influence each. In the model of the
 * attacker everything that a user can choose is chosen to deceive; only what needs root is correct.
 */
#include "model/role.h"
#include "unit.h"

#include <stdio.h>

/* A collector that root has installed and runs, examined with all privileges. */
static const struct role_evidence collector = {
	.uid_is_root = true,
	.comm_listed = true,
	.exe_read = true,
	.exe_listed = true,
	.exe_protected = true,
	.code_read = true,
};

/* The same collector, run by a service's own user. */
static const struct role_evidence service = {
	.comm_listed = true,
	.exe_read = true,
	.exe_listed = true,
	.exe_protected = true,
	.code_read = true,
};

/* Root's collector, examined by a user who may not read its /proc files. */
static const struct role_evidence unreadable = { .uid_is_root = true, .comm_listed = true };

#define WITH(base, ...)                              \
	({                                           \
		struct role_evidence with_ = (base); \
		__VA_ARGS__;                         \
		role_judge(&with_);                  \
	})
#define SET(member, to) (with_.member = (to))

TEST(without_evidence_a_process_is_a_job)
{
	assert_int_equal(role_judge(&(struct role_evidence){ 0 }), ROLE_JOB);
}

TEST(a_collector_is_a_monitor)
{
	assert_int_equal(role_judge(&collector), ROLE_MONITOR);
	assert_int_equal(role_judge(&service), ROLE_MONITOR);
	assert_int_equal(role_judge(&unreadable), ROLE_MONITOR);
}

TEST(a_name_that_is_not_on_the_list_is_a_job)
{
	assert_int_equal(WITH(collector, SET(exe_listed, false)), ROLE_JOB);
	assert_int_equal(WITH(unreadable, SET(comm_listed, false)), ROLE_JOB);
}

/* cp job ~/bin/tt-smi; ~/bin/tt-smi */
TEST(the_name_of_an_executable_that_others_may_write_does_not_count)
{
	assert_int_equal(WITH(service, SET(exe_protected, false)), ROLE_JOB);
	assert_int_equal(WITH(collector, SET(exe_protected, false)), ROLE_JOB);
}

/* prctl(PR_SET_NAME, "tt-smi") */
TEST(a_comm_counts_for_root_only_and_where_the_executable_cannot_be_read)
{
	assert_int_equal(WITH(unreadable, SET(uid_is_root, false)), ROLE_JOB);
	assert_int_equal(WITH(collector, SET(exe_listed, false)), ROLE_JOB);
}

/* python3 tt-smi */
TEST(a_script_counts_for_root_only)
{
	struct role_evidence script = collector;

	script.exe_listed = false;
	script.comm_listed = false;
	script.script_listed = true;
	assert_int_equal(role_judge(&script), ROLE_MONITOR);
	script.exe_protected = false; /* an interpreter of a virtual environment */
	assert_int_equal(role_judge(&script), ROLE_MONITOR);
	script.uid_is_root = false;
	assert_int_equal(role_judge(&script), ROLE_JOB);
	assert_int_equal(WITH(unreadable, SET(comm_listed, false), SET(script_listed, true)),
			 ROLE_MONITOR);
}

TEST(code_of_TT_Metal_is_a_job)
{
	assert_int_equal(WITH(collector, SET(code_is_metal, true)), ROLE_JOB);
	assert_int_equal(WITH(service, SET(code_is_metal, true)), ROLE_JOB);
	assert_int_equal(WITH(unreadable, SET(code_read, true), SET(code_is_metal, true)),
			 ROLE_JOB);
}

/* The files of a process may block, or be too many to examine. */
TEST(unexamined_code_proves_nothing)
{
	assert_int_equal(WITH(collector, SET(code_read, false)), ROLE_JOB);
	assert_int_equal(WITH(service, SET(code_read, false)), ROLE_JOB);
}

/* LD_PRELOAD=~/job.so tt_telemetry_collector */
TEST(a_process_with_its_users_code_is_a_job)
{
	assert_int_equal(WITH(service, SET(code_unprotected, true)), ROLE_JOB);
	assert_int_equal(WITH(collector, SET(code_unprotected, true)), ROLE_MONITOR);
}

TEST(a_process_that_reports_memory_is_a_job)
{
	assert_int_equal(WITH(collector, SET(reports, true)), ROLE_JOB);
	assert_int_equal(WITH(unreadable, SET(reports, true)), ROLE_JOB);
	assert_int_equal(WITH(unreadable, SET(reports, true), SET(reported, ROLE_REPORTED_MONITOR)),
			 ROLE_JOB);
}

TEST(a_reported_role_counts_if_the_process_is_unreadable)
{
	const struct role_evidence nothing = { 0 };

	assert_int_equal(WITH(nothing, SET(reported, ROLE_REPORTED_MONITOR)), ROLE_MONITOR);
	assert_int_equal(WITH(unreadable, SET(reported, ROLE_REPORTED_JOB)), ROLE_JOB);
	assert_int_equal(WITH(collector, SET(reported, ROLE_REPORTED_JOB)), ROLE_MONITOR);
	assert_int_equal(
		WITH(service, SET(exe_protected, false), SET(reported, ROLE_REPORTED_MONITOR)),
		ROLE_JOB);
}

TEST(a_role_reported_for_an_earlier_process_does_not_count)
{
	const struct role_evidence reported = { .reported = ROLE_REPORTED_MONITOR,
						.reported_start = 7 };

	assert_int_equal(WITH(reported, SET(start_ticks, 7)), ROLE_MONITOR);
	assert_int_equal(WITH(reported, SET(start_ticks, 8)), ROLE_JOB);
	assert_int_equal(WITH(reported, SET(start_ticks, 0)), ROLE_MONITOR);
	assert_int_equal(WITH(reported, SET(reported_start, 0), SET(start_ticks, 8)), ROLE_MONITOR);
}

/* All combinations of evidence that a user can forge. */
TEST(nothing_that_a_user_can_choose_makes_a_monitor)
{
	for (unsigned bits = 0; bits < 64; bits++) {
		const struct role_evidence evidence = {
			.comm_listed = bits & 1,
			.script_listed = bits & 2,
			.exe_read = bits & 4,
			.exe_listed = bits & 8,
			.code_read = bits & 16,
			.code_unprotected = bits & 32,
		};

		assert_int_equal(role_judge(&evidence), ROLE_JOB);
	}
}

TEST(only_candidates_are_examined)
{
	struct role_evidence late = collector;

	late.code_read = false;
	assert_true(role_is_candidate(&late));
	late.exe_protected = false;
	assert_false(role_is_candidate(&late));
}

TEST(names_are_words)
{
	assert_string_equal(role_names[ROLE_JOB], "job");
	assert_string_equal(role_names[ROLE_MONITOR], "monitor");
}

/* ---- the list ---- */

TEST(the_built_in_names)
{
	static const char *const names[] = { "tt_telemetry_collector",
					     "tt-telemetry",
					     "tt-smi",
					     "tt-mgmtd",
					     "tt-flash",
					     "tt-topology",
					     "tt_smi",
					     "tt_allocd" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_true(monitor_names_have(NULL, names[i]));
	assert_false(monitor_names_have(NULL, "tt-sm"));
	assert_false(monitor_names_have(NULL, "tt-smi2"));
	assert_false(monitor_names_have(NULL, ""));
	assert_false(monitor_names_have(NULL, "python3"));
}

TEST(a_comm_is_truncated_to_fifteen_bytes)
{
	assert_true(monitor_names_have_comm(NULL, "tt_telemetry_co"));
	assert_false(monitor_names_have_comm(NULL, "tt_telemetry_c"));
	assert_false(monitor_names_have_comm(NULL, "tt_telemetry_cx"));
	assert_true(monitor_names_have_comm(NULL, "tt-smi"));
	assert_false(monitor_names_have_comm(NULL, "tt-sm"));
	assert_false(monitor_names_have_comm(NULL, ""));
	assert_false(monitor_names_have(NULL, "tt_telemetry_co"));
}

TEST(a_file_adds_names)
{
	struct monitor_names names = { 0 };
	unsigned bad = 7;

	assert_int_equal(monitor_names_parse(&names,
					     "# ours\n\n  site-collector\t\r\nwatch.py\n"
					     "a_very_long_name_of_a_program",
					     &bad),
			 0);
	assert_int_equal(bad, 0);
	assert_int_equal(names.count, 3);
	assert_true(monitor_names_have(&names, "site-collector"));
	assert_true(monitor_names_have(&names, "watch.py"));
	assert_true(monitor_names_have_comm(&names, "a_very_long_nam"));
	assert_true(monitor_names_have(&names, "tt-smi"));
	assert_false(monitor_names_have(&names, "# ours"));
	assert_false(monitor_names_have(&names, ""));
	monitor_names_done(&names);
}

TEST(invalid_lines_are_skipped_and_the_first_is_returned)
{
	char text[256];
	struct monitor_names names = { 0 };
	unsigned bad = 0;

	snprintf(text, sizeof(text), "first\n/usr/bin/second\ntwo words\n%0100d\nlast\n", 0);
	assert_int_equal(monitor_names_parse(&names, text, &bad), 0);
	assert_int_equal(bad, 2);
	assert_int_equal(names.count, 2);
	assert_true(monitor_names_have(&names, "last"));
	assert_false(monitor_names_have(&names, "second"));
	monitor_names_done(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_evidence_a_process_is_a_job),
		cmocka_unit_test(a_collector_is_a_monitor),
		cmocka_unit_test(a_name_that_is_not_on_the_list_is_a_job),
		cmocka_unit_test(the_name_of_an_executable_that_others_may_write_does_not_count),
		cmocka_unit_test(
			a_comm_counts_for_root_only_and_where_the_executable_cannot_be_read),
		cmocka_unit_test(a_script_counts_for_root_only),
		cmocka_unit_test(code_of_TT_Metal_is_a_job),
		cmocka_unit_test(unexamined_code_proves_nothing),
		cmocka_unit_test(a_process_with_its_users_code_is_a_job),
		cmocka_unit_test(a_process_that_reports_memory_is_a_job),
		cmocka_unit_test(a_reported_role_counts_if_the_process_is_unreadable),
		cmocka_unit_test(a_role_reported_for_an_earlier_process_does_not_count),
		cmocka_unit_test(nothing_that_a_user_can_choose_makes_a_monitor),
		cmocka_unit_test(only_candidates_are_examined),
		cmocka_unit_test(names_are_words),
		cmocka_unit_test(the_built_in_names),
		cmocka_unit_test(a_comm_is_truncated_to_fifteen_bytes),
		cmocka_unit_test(a_file_adds_names),
		cmocka_unit_test(invalid_lines_are_skipped_and_the_first_is_returned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
