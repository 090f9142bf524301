/* Owners of processes: which processes count for the same owner, and which owners are left out. */
#include "model/owner_list.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

static struct snapshot *snapshot;
static struct owner_list owners;
static int32_t last_pid;

static int begin(void **state)
{
	struct device dev;

	(void)state;
	assert_int_equal(snapshot_new(&snapshot), 0);
	for (uint32_t i = 0; i < 4; i++) {
		device_init(&dev, i);
		assert_non_null(snapshot_add_device(snapshot, &dev));
	}
	last_pid = 100;
	return 0;
}

static int end(void **state)
{
	(void)state;
	owner_list_done(&owners);
	snapshot_free(snapshot);
	return 0;
}

/* A process of a user on a device. */
static struct process *add(uint32_t uid, const struct owner *owner, size_t device, uint64_t dram)
{
	struct process *process = snapshot_add_process(snapshot, ++last_pid);
	struct usage *usage;

	assert_non_null(process);
	process->uid = uid;
	process->why[PROC_UID] = KNOWN;
	process->quiet = 10;
	process->why[PROC_QUIET] = KNOWN;
	process_set_owner(process, owner);
	usage = process_use(process, device);
	assert_non_null(usage);
	usage->bytes[POOL_DRAM] = dram;
	usage->why[USE_DRAM] = KNOWN;
	return process;
}

static void make(size_t limit)
{
	owner_list_done(&owners);
	assert_int_equal(owner_list_make(snapshot, limit, &owners), 0);
}

static const struct owner none, job = { .slurm_job = "7" },
				pod = { .pod = "aa", .container = "c1", .runtime = "cri" },
				sidecar = { .pod = "aa", .container = "c2", .runtime = "cri" },
				docker = { .container = "c1", .runtime = "docker" };

TEST(processes_of_one_owner_are_added_up_per_device)
{
	add(1, &job, 0, 100);
	add(1, &job, 2, 10);
	add(1, &job, 0, 1)->quiet = 3;
	make(64);
	assert_int_equal(owners.count, 1);
	assert_int_equal(owners.list[0].kind, OWNER_SLURM);
	assert_int_equal(owners.list[0].n_uses, 2);
	assert_int_equal(owners.list[0].uses[0].device, 0);
	assert_int_equal(owners.list[0].uses[0].processes, 2);
	assert_int_equal(owners.list[0].uses[0].bytes[0], 101);
	assert_true(owners.list[0].uses[0].known[0]);
	assert_false(owners.list[0].uses[0].known[1]);
	assert_int_equal(owners.list[0].uses[1].device, 2);
	assert_int_equal(owners.list[0].uses[1].bytes[0], 10);
	assert_int_equal(owners.list[0].bytes, 111);
	assert_true(owners.list[0].quiet_known && owners.list[0].quiet == 3);
	assert_int_equal(owners.dropped, 0);
}

TEST(kinds_containers_and_users_are_distinguished)
{
	add(1, &none, 0, 1);
	add(2, &none, 0, 1);
	add(1, &docker, 0, 1);
	add(1, &sidecar, 0, 1);
	add(1, &pod, 0, 1);
	add(1, &job, 0, 1);
	make(64);
	assert_int_equal(owners.count, 6);
	assert_int_equal(owners.list[0].kind, OWNER_SLURM);
	assert_string_equal(owners.list[1].process->owner.container, "c1");
	assert_string_equal(owners.list[2].process->owner.container, "c2");
	assert_int_equal(owners.list[3].kind, OWNER_CONTAINER);
	assert_int_equal(owners.list[4].process->uid, 1);
	assert_int_equal(owners.list[5].process->uid, 2);
}

/* Kept apart, they would have series with the same labels, which Prometheus refuses. */
TEST(pods_of_one_name_are_one_owner)
{
	struct owner first = { .pod = "aa",
			       .pod_name = "web-0",
			       .namespace = "prod",
			       .container = "c1",
			       .container_name = "main",
			       .runtime = "cri" };
	struct owner again = first, sidecar_too = first, elsewhere = first;

	strcpy(again.pod, "bb");
	strcpy(again.container, "c9");
	strcpy(sidecar_too.container_name, "proxy");
	strcpy(elsewhere.namespace, "test");
	add(1, &first, 0, 1);
	add(1, &again, 0, 2);
	add(1, &sidecar_too, 0, 4);
	add(1, &elsewhere, 0, 8);
	make(64);
	assert_int_equal(owners.count, 3);
	assert_int_equal(owners.list[0].bytes, 1 + 2);
	assert_int_equal(owners.list[0].uses[0].processes, 2);
	assert_int_equal(owners.list[1].bytes, 4);
	assert_int_equal(owners.list[2].bytes, 8);
}

TEST(monitors_and_stale_figures_do_not_count)
{
	process_set_role(add(1, &none, 0, 5), ROLE_MONITOR);
	add(2, &none, 0, 5)->usages[0].stale = true;
	make(64);
	assert_int_equal(owners.count, 0);
}

TEST(quiet_is_unknown_unless_it_is_known_of_all)
{
	add(1, &job, 0, 1);
	add(1, &job, 1, 1)->why[PROC_QUIET] = NEEDS_TWO_SAMPLES;
	make(64);
	assert_false(owners.list[0].quiet_known);
}

/* A user with twenty large containers does not displace another user's small one. */
TEST(users_take_turns_where_there_are_too_many)
{
	struct owner many = { .runtime = "docker" };

	for (unsigned i = 0; i < 20; i++) {
		snprintf(many.container, sizeof(many.container), "many%02u", i);
		add(1, &many, 0, 1000 + i);
	}
	add(2, &none, 0, 1);
	make(3);
	assert_int_equal(owners.count, 3);
	assert_string_equal(owners.list[0].process->owner.container, "many18");
	assert_string_equal(owners.list[1].process->owner.container, "many19");
	assert_int_equal(owners.list[2].process->uid, 2);
	/* Each owner has four series: processes and memory on a device, number of devices, quiet
	 * time. */
	assert_int_equal(owners.dropped, 18 * 4);
	make(0);
	assert_int_equal(owners.count, 0);
	assert_int_equal(owners.dropped, 21 * 4);
}

#define ON_MACHINE(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_MACHINE(processes_of_one_owner_are_added_up_per_device),
		ON_MACHINE(kinds_containers_and_users_are_distinguished),
		ON_MACHINE(pods_of_one_name_are_one_owner),
		ON_MACHINE(monitors_and_stale_figures_do_not_count),
		ON_MACHINE(quiet_is_unknown_unless_it_is_known_of_all),
		ON_MACHINE(users_take_turns_where_there_are_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
