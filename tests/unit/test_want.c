/* The fields to read, from the fields shown. */
#include "model/want.h"

#include "model/reuse.h"
#include "model/snapshot.h"
#include "unit.h"

static const struct field_table *const all_tables[] = {
	&host_fields, &device_fields, &process_fields, &usage_fields, &accounted_fields,
};

static const struct field_table *find_table(enum fields_of of)
{
	for (size_t t = 0; t < ARRAY_SIZE(all_tables); t++)
		if (all_tables[t]->of == of)
			return all_tables[t];
	return NULL;
}

static void assert_valid(const struct field_ref *list)
{
	for (; list && list->of != OF_NOTHING; list++) {
		const struct field_table *table = find_table(list->of);

		if (list->of == OF_PART) {
			assert_in_range(list->index, 0, PART_N - 1);
			continue;
		}
		/* Only devices and processes have sets of wanted fields: nothing else may be
		 * needed. */
		assert_true(list->of == OF_DEVICE || list->of == OF_PROCESS);
		assert_in_range(list->index, 0, table->count - 1);
	}
}

TEST(needs_name_fields_that_exist)
{
	for (size_t t = 0; t < ARRAY_SIZE(all_tables); t++) {
		assert_ptr_equal(find_table(all_tables[t]->of), all_tables[t]);
		assert_valid(all_tables[t]->needs);
		for (size_t i = 0; i < all_tables[t]->count; i++)
			assert_valid(all_tables[t]->fields[i].needs);
	}
}

static bool has(const struct want *want, const struct field_ref *ref)
{
	struct want more = *want;

	want_add(&more, ref->of, ref->index);
	return memcmp(&more, want, sizeof(more)) == 0;
}

static void assert_has_all(const struct want *want, const struct field_ref *list)
{
	for (; list && list->of != OF_NOTHING; list++)
		assert_true(has(want, list));
}

TEST(a_want_is_closed_under_needs)
{
	for (size_t t = 0; t < ARRAY_SIZE(all_tables); t++)
		for (unsigned i = 0; i < all_tables[t]->count; i++) {
			struct want want;

			memset(&want, 0, sizeof(want));
			want_add(&want, all_tables[t]->of, i);
			assert_has_all(&want, all_tables[t]->needs);
			assert_has_all(&want, all_tables[t]->fields[i].needs);
			for (unsigned f = 0; f < device_fields.count; f++)
				if (fieldset_has(&want.device, f))
					assert_has_all(&want, device_fields.fields[f].needs);
			for (unsigned f = 0; f < process_fields.count; f++)
				if (fieldset_has(&want.process, f))
					assert_has_all(&want, process_fields.fields[f].needs);
		}
}

TEST(the_fields_that_a_field_is_checked_against_are_read)
{
	struct want want = { 0 };

	want_add(&want, OF_USAGE, USE_L1);
	assert_true(want.processes);
	assert_true(fieldset_has(&want.process, PROC_ROLE));
	assert_false(
		fieldset_has(&want.process, PROC_NS_PID)); /* needed only for TT-Metal's files */
	assert_true(fieldset_has(&want.device, DEV_L1_TOTAL));
	assert_true(fieldset_has(&want.device, DEV_FW_BUNDLE));
	assert_true(fieldset_has(&want.device, DEV_BOARD));
	assert_false(want.utilization);
	want_add_list(&want, FIELDS(PART(SHM_IDS)));
	assert_true(fieldset_has(&want.process, PROC_NS_PID));
	assert_true(fieldset_has(&want.process, PROC_UID));
}

TEST(health_needs_two_samples_and_temperature_does_not)
{
	struct want want = { 0 };

	want_add(&want, OF_DEVICE, DEV_TEMPERATURE);
	assert_int_equal(want.pair_ms, 0);
	want_add(&want, OF_DEVICE, DEV_HEALTH);
	assert_int_equal(want.pair_ms, 350);
	assert_true(fieldset_has(&want.device, DEV_HEARTBEAT));
	assert_true(fieldset_has(&want.device, DEV_THERMAL_TRIPS));
	assert_true(fieldset_has(&want.device, DEV_TEMPERATURE_LIMIT));
	assert_false(want.processes);
}

TEST(only_needed_fields_are_read)
{
	struct want want = { 0 };

	want_add_list(&want, FIELDS(DEVICE_FIELD(DRAM_TOTAL), DEVICE_FIELD(ID)));
	assert_false(want.processes || want.utilization || want.accounts || want.shm_ids);
	assert_false(fieldset_has(&want.device, DEV_FW_BUNDLE));
	assert_false(fieldset_has(&want.device, DEV_TEMPERATURE));
	want_add(&want, OF_DEVICE, DEV_COMPUTE);
	assert_true(want.utilization && want.processes);
	assert_false(want.allocations || want.reporters || want.host);
}

TEST(processes_are_shared_for_less_than_a_second)
{
	const int64_t now = INT64_C(7000000000), recent = now - INT64_C(899999999);
	struct snapshot last = { .asked_ns = recent };
	struct want want = { .processes = true, .low_rate = true }, asked = want;

	assert_true(reuse_is_due(&last, &asked, &want, now));
	assert_false(reuse_is_due(NULL, &asked, &want, now));
	last.asked_ns--;
	assert_false(reuse_is_due(&last, &asked, &want, now));
	last.asked_ns = recent;
	want_add(&want, OF_PROCESS, PROC_UID);
	assert_false(reuse_is_due(&last, &asked, &want, now));
	asked = want = (struct want){ .processes = true, .low_rate = false };
	assert_false(reuse_is_due(&last, &asked, &want, now));
	asked = want = (struct want){ .processes = true, .low_rate = true, .allocations = true };
	assert_false(reuse_is_due(&last, &asked, &want, now));
}

TEST(a_sample_between_two_readings_of_processes_has_devices_only)
{
	struct want want = { .host = true };

	want_add_list(&want, FIELDS(DEVICE_FIELD(TEMPERATURE), PART(ALLOCATIONS), PART(REPORTERS),
				    PART(ACCOUNTS), PART(UTILIZATION)));
	reuse_want_devices(&want);
	assert_false(want.processes || want.utilization || want.accounts || want.allocations ||
		     want.reporters);
	assert_true(fieldset_has(&want.device, DEV_TEMPERATURE) && want.host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(needs_name_fields_that_exist),
		cmocka_unit_test(a_want_is_closed_under_needs),
		cmocka_unit_test(the_fields_that_a_field_is_checked_against_are_read),
		cmocka_unit_test(health_needs_two_samples_and_temperature_does_not),
		cmocka_unit_test(only_needed_fields_are_read),
		cmocka_unit_test(processes_are_shared_for_less_than_a_second),
		cmocka_unit_test(a_sample_between_two_readings_of_processes_has_devices_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
