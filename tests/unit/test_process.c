/* Processes: their names, owners and devices. */
#include "model/process.h"
#include "shared_copy.h"
#include "unit.h"

#include <stdio.h>

static struct process process;

static int make_process(void **state)
{
	(void)state;
	process_init(&process, 42);
	return 0;
}

static int free_process(void **state)
{
	(void)state;
	process_done(&process);
	return 0;
}

static void assert_label(const char *name, const char *command, const char *expected)
{
	char text[64];

	snprintf(process.name, sizeof(process.name), "%s", name);
	process.why[PROC_NAME] = KNOWN;
	shared_text_unref(process.command);
	process.command = command ? shared_copy(command) : NULL;
	process.why[PROC_COMMAND] = command ? KNOWN : NOT_APPLICABLE;
	process_label(&process, text, sizeof(text));
	assert_string_equal(text, expected);
}

TEST(an_interpreter_is_labelled_by_its_script)
{
	assert_label("python3", "python3 train.py --lr 1", "python3 train.py");
	assert_label("python3.10", "/usr/bin/python3.10 -u /home/a/b/train.py",
		     "python3.10 train.py");
	assert_label("python3", "python3 -m vllm.server", "python3 vllm.server");
	assert_label("bash", "bash", "bash");
	assert_label("bash", NULL, "bash");
	assert_label("python3", "python3 -", "python3");
	assert_label("python3", "python3 /", "python3");
	assert_label("python3", "python3  x", "python3");
	assert_label("pythonista", "pythonista a.py", "pythonista");
	assert_label("worker", "worker --x", "worker");
}

TEST(a_label_is_truncated_to_its_buffer)
{
	char text[10];

	snprintf(process.name, sizeof(process.name), "python3");
	process.why[PROC_NAME] = process.why[PROC_COMMAND] = KNOWN;
	process.command = shared_copy("python3 a_very_long_script_name_indeed.py");
	process_label(&process, text, sizeof(text));
	assert_string_equal(text, "python3 a");
}

TEST(a_process_without_a_name_has_a_label)
{
	char text[64];

	process_label(&process, text, sizeof(text));
	assert_string_equal(text, "?");
	process_done(&process);
	process_init(&process, 0);
	assert_int_equal(process.why[PROC_PID], OTHER_NAMESPACE);
	process_label(&process, text, sizeof(text));
	assert_string_equal(text, "(outside this pid namespace)");
}

TEST(the_most_specific_owner_is_the_one_shown)
{
	struct owner owner = { .unit = "docker.service" };

	process_set_owner(&process, &owner);
	assert_string_equal(process.owner.text, "docker.service");
	snprintf(owner.container, sizeof(owner.container), "%s", "0123456789abcdef0123");
	snprintf(owner.runtime, sizeof(owner.runtime), "docker");
	process_set_owner(&process, &owner);
	assert_string_equal(process.owner.text, "docker 0123456789ab");
	snprintf(owner.pod, sizeof(owner.pod), "1a2b");
	process_set_owner(&process, &owner);
	assert_string_equal(process.owner.text, "pod 1a2b");
	snprintf(owner.slurm_job, sizeof(owner.slurm_job), "77");
	process_set_owner(&process, &owner);
	assert_string_equal(process.owner.text, "slurm 77");
	snprintf(owner.slurm_step, sizeof(owner.slurm_step), "batch");
	process_set_owner(&process, &owner);
	assert_string_equal(process.owner.text, "slurm 77.batch");
	assert_int_equal(process.why[PROC_SLURM_STEP], KNOWN);
}

TEST(no_owner_is_not_applicable)
{
	struct owner owner = { .unit = "" };

	process_set_owner(&process, &owner);
	for (unsigned i = PROC_OWNER; i <= PROC_UNIT; i++)
		assert_int_equal(process.why[i], NOT_APPLICABLE);
}

TEST(usages_are_one_per_device_in_order)
{
	static const size_t order[] = { 5, 0, 3, 5, 1, 0 };

	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		assert_int_equal(process_use(&process, order[i])->device, order[i]);
	assert_int_equal(process.n_usages, 4);
	for (size_t i = 1; i < process.n_usages; i++)
		assert_true(process.usages[i - 1].device < process.usages[i].device);
	assert_null(process_find_usage(&process, 2));
	assert_int_equal(process.usages[0].why[USE_DRAM], NO_TRACKER);
	assert_int_equal(process.usages[0].why[USE_TRACKING], KNOWN);
}

#define ON(test) cmocka_unit_test_setup_teardown(test, make_process, free_process)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON(an_interpreter_is_labelled_by_its_script),
		ON(a_label_is_truncated_to_its_buffer),
		ON(a_process_without_a_name_has_a_label),
		ON(the_most_specific_owner_is_the_one_shown),
		ON(no_owner_is_not_applicable),
		ON(usages_are_one_per_device_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
