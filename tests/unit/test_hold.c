/*
 * Which processes hold a device: every combination of evidence that the sources can record, and the
 * result for entries of the driver's list whose process does not have the device open.
 */
#include "model/hold.h"
#include "unit.h"

#include <stdio.h>

/* The device to judge, and another one, evidence on which must not count. */
enum { DEVICE = 70, OTHER = 71 };

struct hold_case {
	const char *what;
	bool driver, kernel, open;
	enum hold_access access;
	bool foreign;
	enum hold_state expected;
};

static const struct hold_case cases[] = {
	{ "nothing is known", .expected = HOLD_NONE },
	{ "the descriptors show it", .open = true, .access = HOLD_READ, .expected = HOLD_SEEN },
	{ "listed, and the descriptors show it", .driver = true, .open = true, .access = HOLD_READ,
	  .expected = HOLD_SEEN },
	{ "seen under a pid that the driver has from another namespace", .driver = true,
	  .open = true, .access = HOLD_READ, .foreign = true, .expected = HOLD_SEEN },
	{ "read, and not open", .access = HOLD_READ, .expected = HOLD_NONE },
	{ "exited, and not listed", .access = HOLD_NO_PROCESS, .expected = HOLD_NONE },

	{ "the kernel lists it, its descriptors were not read", .kernel = true,
	  .expected = HOLD_SEEN },
	{ "the kernel lists it, and its descriptors cannot be read", .kernel = true,
	  .access = HOLD_HIDDEN, .expected = HOLD_SEEN },
	{ "both list it, and its descriptors cannot be read", .driver = true, .kernel = true,
	  .access = HOLD_HIDDEN, .expected = HOLD_SEEN },
	{ "the kernel lists it under a pid that the driver has from another namespace",
	  .driver = true, .kernel = true, .access = HOLD_HIDDEN, .foreign = true,
	  .expected = HOLD_SEEN },
	{ "closed since the kernel listed it", .kernel = true, .access = HOLD_READ,
	  .expected = HOLD_NONE },
	{ "exited since the kernel listed it", .kernel = true, .access = HOLD_NO_PROCESS,
	  .expected = HOLD_NONE },

	{ "listed, its descriptors were not read", .driver = true, .expected = HOLD_LISTED },
	{ "listed, and its descriptors cannot be read", .driver = true, .access = HOLD_HIDDEN,
	  .expected = HOLD_LISTED },
	{ "listed by a pid of another namespace", .driver = true, .access = HOLD_HIDDEN,
	  .foreign = true, .expected = HOLD_FOREIGN },

	{ "listed, and exited", .driver = true, .access = HOLD_NO_PROCESS,
	  .expected = HOLD_OPENER_EXITED },
	{ "listed and exited, but its pid is of another namespace", .driver = true,
	  .access = HOLD_NO_PROCESS, .foreign = true, .expected = HOLD_OPENER_UNKNOWN },
	{ "listed, and its pid is another process's by now", .driver = true, .access = HOLD_READ,
	  .expected = HOLD_OPENER_UNKNOWN },
	{ "the kernel's list is older than the descriptors", .driver = true, .kernel = true,
	  .access = HOLD_READ, .expected = HOLD_OPENER_UNKNOWN },
};

static struct hold_evidence evidence_of(const struct hold_case *test, uint32_t index)
{
	struct hold_evidence evidence = { .access = test->access, .foreign_pids = test->foreign };

	if (test->driver)
		device_set_add(&evidence.driver_lists, index);
	if (test->kernel)
		device_set_add(&evidence.kernel_lists, index);
	if (test->open)
		device_set_add(&evidence.open, index);
	return evidence;
}

TEST(each_combination_is_judged)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct hold_evidence evidence = evidence_of(&cases[i], DEVICE);

		print_message("%s\n", cases[i].what);
		assert_int_equal(hold_judge(&evidence, DEVICE), cases[i].expected);
	}
}

TEST(evidence_on_another_device_does_not_count)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct hold_evidence evidence = evidence_of(&cases[i], OTHER);

		assert_int_equal(hold_judge(&evidence, DEVICE), HOLD_NONE);
	}
}

/* Properties that must hold for all evidence. */
TEST(an_open_device_is_held_and_nothing_is_held_without_evidence)
{
	for (unsigned bits = 0; bits < 64; bits++) {
		const struct hold_case test = {
			.driver = bits & 1,
			.kernel = bits & 2,
			.open = bits & 4,
			.foreign = bits & 8,
			.access = (enum hold_access)(bits >> 4),
		};
		struct hold_evidence evidence = evidence_of(&test, DEVICE);
		struct device_set named = hold_named_devices(&evidence);
		enum hold_state judged = hold_judge(&evidence, DEVICE);

		if (test.open)
			assert_int_equal(judged, HOLD_SEEN);
		if (!test.open && !test.driver && !test.kernel)
			assert_int_equal(judged, HOLD_NONE);
		if (judged == HOLD_LISTED || judged == HOLD_FOREIGN || hold_is_orphan(judged))
			assert_true(test.driver);
		if (judged != HOLD_NONE)
			assert_true(device_set_has(&named, DEVICE));
		if (hold_is_orphan(judged))
			assert_true(hold_may_have_orphans(&evidence));
	}
}

TEST(an_index_beyond_the_set_is_never_held)
{
	struct hold_evidence evidence = { 0 };

	device_set_add(&evidence.open, DEVICE_SET_MAX);
	assert_true(device_set_is_empty(&evidence.open));
	assert_int_equal(hold_judge(&evidence, DEVICE_SET_MAX), HOLD_NONE);
	device_set_add(&evidence.open, DEVICE_SET_MAX - 1);
	assert_int_equal(hold_judge(&evidence, DEVICE_SET_MAX - 1), HOLD_SEEN);
}

TEST(an_orphan_is_explained_only_if_everything_was_seen)
{
	static const struct {
		enum hold_state state;
		bool has_holder, saw_all;
		enum hold_orphan expected;
	} orphans[] = {
		{ HOLD_OPENER_EXITED, false, false, ORPHAN_STANDS_IN },
		{ HOLD_OPENER_EXITED, false, true, ORPHAN_STANDS_IN },
		{ HOLD_OPENER_EXITED, true, false, ORPHAN_UNKNOWN },
		{ HOLD_OPENER_EXITED, true, true, ORPHAN_EXPLAINED },
		{ HOLD_OPENER_UNKNOWN, false, false, ORPHAN_UNKNOWN },
		{ HOLD_OPENER_UNKNOWN, false, true, ORPHAN_UNKNOWN },
		{ HOLD_OPENER_UNKNOWN, true, false, ORPHAN_UNKNOWN },
		{ HOLD_OPENER_UNKNOWN, true, true, ORPHAN_EXPLAINED },
	};

	for (size_t i = 0; i < ARRAY_SIZE(orphans); i++)
		assert_int_equal(hold_judge_orphan(orphans[i].state, orphans[i].has_holder,
						   orphans[i].saw_all),
				 orphans[i].expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_combination_is_judged),
		cmocka_unit_test(evidence_on_another_device_does_not_count),
		cmocka_unit_test(an_open_device_is_held_and_nothing_is_held_without_evidence),
		cmocka_unit_test(an_index_beyond_the_set_is_never_held),
		cmocka_unit_test(an_orphan_is_explained_only_if_everything_was_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
