/* Names of pods by kubelet's links, and Slurm jobs by the environment. */
#include "source/kubelet.h"
#include "source/procfs.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

#define ID  "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define UID "0b5a31a2-8ee0-4a0f-9b52-52c9a8a4c1d7"

TEST(a_link_names_pod_namespace_and_container)
{
	struct pod_names names;

	assert_true(kubelet_parse_container("train-0_ml-team_worker-" ID ".log", &names));
	assert_string_equal(names.pod, "train-0");
	assert_string_equal(names.namespace, "ml-team");
	assert_string_equal(names.container, "worker");
	assert_string_equal(names.id, ID);
	assert_true(kubelet_parse_container("a.b_c_d-e-" ID ".log", &names));
	assert_string_equal(names.container, "d-e");
}

TEST(a_directory_names_namespace_pod_and_uid)
{
	struct pod_names names;

	assert_true(kubelet_parse_pod("ml-team_train-0_" UID, &names));
	assert_string_equal(names.pod, "train-0");
	assert_string_equal(names.namespace, "ml-team");
	assert_string_equal(names.uid, UID);
	assert_true(kubelet_parse_pod("kube-system_etcd_0123456789abcdef0123456789abcdef", &names));
}

TEST(other_names_are_ignored)
{
	static const char *const wrong[] = {
		"",
		"_",
		"__",
		"train_ns_c.log",
		"train_ns_c-" ID,
		"train_ns_c-" ID ".log.1",
		"train_ns_-" ID ".log",
		"_ns_c-" ID ".log",
		"train__c-" ID ".log",
		"TRAIN_ns_c-" ID ".log",
		"tr ain_ns_c-" ID ".log",
		"tr\"ain_ns_c-" ID ".log",
		"-x_ns_c-" ID ".log",
		"train_ns_c_d-" ID ".log",
		"train_ns_c-" ID "0.log",
		"ns_pod_",
		"ns_pod_0123",
		"ns_pod_" UID "-",
		"../_pod_" UID,
		"ns_pod_" UID "_" UID,
	};
	struct pod_names names;

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		if (kubelet_parse_container(wrong[i], &names) ||
		    kubelet_parse_pod(wrong[i], &names))
			fail_msg("%s is accepted", wrong[i]);
}

TEST(names_longer_than_kubernetes_allows_are_ignored)
{
	struct pod_names names;
	char text[600];

	snprintf(text, sizeof(text), "%0253d_ns_c-" ID ".log", 1);
	assert_true(kubelet_parse_container(text, &names));
	snprintf(text, sizeof(text), "%0254d_ns_c-" ID ".log", 1);
	assert_false(kubelet_parse_container(text, &names));
	snprintf(text, sizeof(text), "p_%064d_c-" ID ".log", 1);
	assert_false(kubelet_parse_container(text, &names));
}

#define ENVIRON(text) text, sizeof(text)

TEST(the_environment_names_the_job)
{
	struct owner owner = { .unit = "slurmd.service" };

	assert_true(procfs_may_be_job(&owner));
	procfs_parse_job(ENVIRON("HOME=/\0SLURM_JOB_ID=77\0SLURM_JOB_NAME=train me\0"
				 "SLURM_JOB_USER=ada\0X=1"),
			 &owner);
	assert_string_equal(owner.slurm_job, "77");
	assert_string_equal(owner.slurm_name, "train me");
	assert_string_equal(owner.slurm_user, "ada");
}

TEST(the_cgroup_is_believed_before_the_environment)
{
	struct owner owner = { .slurm_job = "78" };

	assert_true(procfs_may_be_job(&owner));
	procfs_parse_job(ENVIRON("SLURM_JOB_ID=77\0SLURM_JOB_NAME=other"), &owner);
	assert_string_equal(owner.slurm_job, "78");
	assert_string_equal(owner.slurm_name, "");
	procfs_parse_job(ENVIRON("SLURM_JOB_ID=78\0SLURM_JOB_NAME=this"), &owner);
	assert_string_equal(owner.slurm_name, "this");
}

TEST(an_environment_without_a_job_names_none)
{
	struct owner owner = { .unit = "" }, none = owner;

	procfs_parse_job("", 0, &owner);
	procfs_parse_job(ENVIRON("SLURM_JOB_NAME=x\0SLURM_JOB_USER=ada"), &owner);
	procfs_parse_job(ENVIRON("SLURM_JOB_ID=\0SLURM_JOB_NAME=x"), &owner);
	procfs_parse_job(ENVIRON("SLURM_JOB_ID=7x\0SLURM_JOB_NAME=x"), &owner);
	procfs_parse_job(ENVIRON("SLURM_JOB_ID=123456789012345678901234567890"), &owner);
	assert_memory_equal(&owner, &none, sizeof(owner));
}

/* Their variables of Slurm may come from the shell that has submitted the job. */
TEST(containers_and_sessions_are_no_jobs)
{
	const struct owner session = { .unit = "session-4.scope" }, pod = { .pod = UID },
			   container = { .container = ID }, none = { .unit = "" };

	assert_false(procfs_may_be_job(&session));
	assert_false(procfs_may_be_job(&pod));
	assert_false(procfs_may_be_job(&container));
	assert_true(procfs_may_be_job(&none));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_link_names_pod_namespace_and_container),
		cmocka_unit_test(a_directory_names_namespace_pod_and_uid),
		cmocka_unit_test(other_names_are_ignored),
		cmocka_unit_test(names_longer_than_kubernetes_allows_are_ignored),
		cmocka_unit_test(the_environment_names_the_job),
		cmocka_unit_test(the_cgroup_is_believed_before_the_environment),
		cmocka_unit_test(an_environment_without_a_job_names_none),
		cmocka_unit_test(containers_and_sessions_are_no_jobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
