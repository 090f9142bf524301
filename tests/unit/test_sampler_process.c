/* Which files of processes that hold a device are read, cached and read again. */
#include "sampler_tree.h"

#include <stdio.h>
#include <unistd.h>

/* Seconds since 1970. */
static int64_t wall(void)
{
	return clock_now(CLOCK_REALTIME) / NS_PER_S;
}

static void put_boot(int64_t seconds)
{
	char text[64];

	snprintf(text, sizeof(text), "cpu 1 2 3\nbtime %lld\nprocesses 5\n", (long long)seconds);
	put("proc/stat", text);
}

TEST(the_start_time_is_ticks_after_boot)
{
	int64_t boot = wall() - 1000, begin;
	const struct process *process;

	put_holder();
	put_boot(boot);
	begin = wall();
	sample();
	process = &now->processes[0];
	assert_int_equal(process->why[PROC_START_TIME], KNOWN);
	assert_int_equal(process->why[PROC_ELAPSED], KNOWN);
	assert_near(process->start_time, (double)boot + 194.0 / (double)sysconf(_SC_CLK_TCK));
	assert_true(process->elapsed >= (double)(begin - boot) - 2);
	assert_true(process->elapsed <= (double)(wall() + 1 - boot) - 1.9);
	assert_int_equal(process->start_ticks, 194);
	assert_int_equal(process->cpu_ticks, 4);
	assert_int_equal(process->host_memory, 7 * sysconf(_SC_PAGESIZE));
}

TEST(the_age_of_a_process_is_never_negative)
{
	put_holder();
	put_boot(wall() + 1000); /* the clock was set back */
	sample();
	assert_near(now->processes[0].elapsed, 0);
}

TEST(without_the_time_of_boot_no_time_is_guessed)
{
	put_holder();
	sample();
	assert_int_equal(now->processes[0].why[PROC_START_TIME], NOT_OFFERED);
	assert_int_equal(now->processes[0].why[PROC_ELAPSED], NOT_OFFERED);
	assert_int_equal(now->processes[0].why[PROC_CPU], NOT_OFFERED);
	/* It is read as soon as that is possible. */
	put_boot(wall() - 1000);
	sample();
	assert_int_equal(now->processes[0].why[PROC_START_TIME], KNOWN);
}

/* A process that has the device open; all have the same comm. */
static void put_process(int pid, const char *word, unsigned start)
{
	char path[64], text[128];

	snprintf(path, sizeof(path), "proc/%d/stat", pid);
	snprintf(text, sizeof(text),
		 "%d (python3) S 1 1 1 0 -1 0 0 0 0 0 1 3 0 0 20 0 1 0 %u 5 7 0\n", pid, start);
	put(path, text);
	snprintf(path, sizeof(path), "proc/%d/cmdline", pid);
	put(path, word);
	snprintf(path, sizeof(path), "proc/%d/fd/", pid);
	make_folders(path);
	snprintf(path, sizeof(path), "proc/%d/fd/3", pid);
	unlinkat(root.fd, path, 0);
	assert_int_equal(symlinkat("/dev/tenstorrent/0", root.fd, path), 0);
}

/* The driver lists these processes; their names and commands are these words. */
static void assert_processes(const char *pids, const char *words)
{
	char text[256] = "";

	put("proc/driver/tenstorrent/0/pids", pids);
	sample();
	for (size_t i = 0; i < now->n_processes; i++) {
		assert_string_equal(now->processes[i].name, now->processes[i].command);
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%d=%s ",
			 now->processes[i].pid, now->processes[i].name);
	}
	assert_string_equal(text, words);
}

TEST(cached_data_of_a_process_belongs_to_its_pid)
{
	want.low_rate = true;
	want.reporters = false; /* only those that are listed */
	sampler_want(sampler, &want);
	put_process(10, "ten", 1);
	put_process(20, "twenty", 1);
	put_process(30, "thirty", 1);
	put_process(40, "forty", 1);
	assert_processes("10\n20\n30\n40\n", "10=ten 20=twenty 30=thirty 40=forty ");
	/* The first, one in the middle and the last exit; others start. */
	assert_processes("20\n30\n40\n", "20=twenty 30=thirty 40=forty ");
	assert_processes("10\n20\n40\n", "10=ten 20=twenty 40=forty ");
	assert_processes("10\n20\n30\n", "10=ten 20=twenty 30=thirty ");
	assert_processes("30\n40\n", "30=thirty 40=forty ");
	assert_processes("40\n", "40=forty ");
	assert_processes("10\n", "10=ten ");
	assert_processes("", "");
	assert_processes("10\n20\n30\n40\n", "10=ten 20=twenty 30=thirty 40=forty ");
}

TEST(a_reused_pid_is_read_again_at_a_low_rate)
{
	want.low_rate = true;
	want.reporters = false;
	sampler_want(sampler, &want);
	put_process(10, "ten", 1);
	put_process(20, "twenty", 1);
	assert_processes("10\n20\n", "10=ten 20=twenty ");
	/* A command is cached for a while. */
	put("proc/20/cmdline", "other");
	sample();
	assert_string_equal(now->processes[1].command, "twenty");
	/* The pid was reused, by a process with the same name and program. */
	put_process(20, "twenty", 2);
	put("proc/20/cmdline", "again");
	sample();
	assert_string_equal(now->processes[1].command, "again");
	assert_string_equal(now->processes[0].command, "ten");
	/* Another program of the same name has its stack elsewhere. */
	put("proc/20/stat",
	    "20 (python3) S 1 1 1 0 -1 0 0 0 0 0 1 3 0 0 20 0 1 0 2 5 7 0 0 0 99\n");
	put("proc/20/cmdline", "executed");
	sample();
	assert_string_equal(now->processes[1].command, "executed");
	/* After half a minute, it is read again in any case. */
	put("proc/20/cmdline", "later");
	held_ns += 31 * NS_PER_S;
	sample();
	assert_string_equal(now->processes[1].command, "later");
	/* Without low_rate everything is read every time. */
	want.low_rate = false;
	sampler_want(sampler, &want);
	put("proc/20/cmdline", "now");
	sample();
	assert_string_equal(now->processes[1].command, "now");
	put("proc/20/cmdline", "and now");
	sample();
	assert_string_equal(now->processes[1].command, "and now");
}

TEST(a_new_name_is_another_program)
{
	want.low_rate = true;
	want.reporters = false;
	sampler_want(sampler, &want);
	put_process(10, "ten", 1);
	assert_processes("10\n", "10=ten ");
	/* exec() keeps pid and start time. */
	put("proc/10/stat", "10 (busybox) S 1 1 1 0 -1 0 0 0 0 0 1 3 0 0 20 0 1 0 1 5 7 0\n");
	put("proc/10/cmdline", "other");
	assert_processes("10\n", "10=other ");
}

/* A member of a thousand groups, and of a hundred hierarchies of control groups. */
TEST(long_files_of_a_process_are_read_completely)
{
	CLEANUP_BUF struct buf status = { 0 }, cgroup = { 0 };

	put_holder();
	want.process = (struct fieldset){ 0 };
	fieldset_add(&want.process, PROC_NS_PID);
	fieldset_add(&want.process, PROC_OWNER);
	sampler_want(sampler, &want);
	buf_puts(&status, "Name:\tworker\nUid:\t77\t77\t77\t77\nGroups:\t");
	for (unsigned i = 0; i < 1000; i++)
		buf_printf(&status, "%u ", 100000 + i);
	buf_puts(&status, "\nNSpid:\t4242\t17\t3\n");
	put("proc/4242/status", buf_text(&status));
	for (unsigned i = 100; i > 0; i--)
		buf_printf(&cgroup, "%u:name=hierarchy-%u:/\n", i, i);
	buf_puts(&cgroup, "0::/system.slice/train.service\n");
	put("proc/4242/cgroup", buf_text(&cgroup));
	sample();
	assert_int_equal(now->processes[0].why[PROC_NS_PID], KNOWN);
	assert_int_equal(now->processes[0].ns_pid, 3);
	assert_int_equal(now->processes[0].why[PROC_UNIT], KNOWN);
	assert_string_equal(now->processes[0].owner.unit, "train.service");
}

#define CONTAINER "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define POD_UID	  "0b5a31a2-8ee0-4a0f-9b52-52c9a8a4c1d7"

/* Kubelet makes its links after the container has started, so they are found in a later sample. */
TEST(a_pod_has_the_names_of_kubelets_links)
{
	const struct owner_texts *owner;

	put_holder();
	want.low_rate = true;
	sampler_want(sampler, &want);
	put("proc/4242/cgroup", "0::/kubepods/burstable/pod" POD_UID "/" CONTAINER "\n");
	sample();
	assert_int_equal(now->processes[0].why[PROC_POD], KNOWN);
	assert_int_equal(now->processes[0].why[PROC_POD_NAME], NOT_OFFERED);
	put("var/log/pods/team_train-0_" POD_UID "/x", "");
	put("var/log/containers/train-0_team_worker-" CONTAINER ".log", "");
	held_ns += 6 * NS_PER_S;
	sample();
	owner = &now->processes[0].owner;
	assert_int_equal(now->processes[0].why[PROC_POD_NAME], KNOWN);
	assert_string_equal(owner->pod_name, "train-0");
	assert_string_equal(owner->namespace, "team");
	assert_string_equal(owner->container_name, "worker");
	assert_string_equal(owner->text, "pod team/train-0");
}

TEST(a_job_has_the_name_of_its_environment)
{
	static const char variables[] =
		"A=b\0SLURM_JOB_ID=12\0SLURM_JOB_NAME=train\0SLURM_JOB_USER=ada";

	put_holder();
	put("proc/4242/cgroup", "0::/system.slice/slurmd.service\n");
	put_bytes("proc/4242/environ", variables, sizeof(variables));
	sample();
	assert_string_equal(now->processes[0].owner.slurm_job, "12");
	assert_string_equal(now->processes[0].owner.slurm_name, "train");
	assert_string_equal(now->processes[0].owner.slurm_user, "ada");
	assert_string_equal(now->processes[0].owner.text, "slurm 12");
}

#define CHECKPOINT "var/lib/kubelet/plugins/tenstorrent.com/checkpoint.json"

TEST(a_device_has_the_claim_that_it_is_prepared_for)
{
	sample();
	assert_int_equal(now->devices[0].why[DEV_CLAIM], NOT_APPLICABLE);
	put(CHECKPOINT,
	    "{\"v1\":{\"preparedClaims\":{\"" POD_UID "\":[{\"DeviceName\":\"tt-0\"}]}}}");
	sample();
	assert_int_equal(now->devices[0].why[DEV_CLAIM], KNOWN);
	assert_string_equal(now->devices[0].claim, POD_UID);
	put(CHECKPOINT,
	    "{\"v1\":{\"preparedClaims\":{\"" POD_UID "\":[{\"DeviceName\":\"tt-1\"}]}}}");
	sample();
	assert_int_equal(now->devices[0].why[DEV_CLAIM], UNMATCHED_CLAIM);
	assert_string_not_equal(snapshot_problem(now, "dra"), "");
	put(CHECKPOINT, "{\"v1\":");
	sample();
	assert_int_equal(now->devices[0].why[DEV_CLAIM], MALFORMED);
}

TEST(an_owner_that_cannot_be_read_is_unknown_in_every_part)
{
	put_holder();
	put("proc/4242/status", "Name:\tworker\nUid:\t77\t77\t77\t77\nNSpid:\t4242\n");
	sample();
	for (unsigned i = PROC_OWNER; i <= PROC_UNIT; i++)
		assert_int_equal(now->processes[0].why[i], NOT_OFFERED);
	assert_int_equal(now->processes[0].why[PROC_HOLDING], KNOWN);
}

/* Data of other sources is kept if the process ends meanwhile. */
TEST(a_process_that_cannot_be_read_keeps_what_is_known)
{
	put_holder();
	drop("proc/4242/stat");
	sample();
	assert_int_equal(now->n_processes, 1);
	assert_int_equal(now->processes[0].pid, 4242);
	assert_int_equal(now->processes[0].why[PROC_PID], KNOWN);
	assert_int_equal(now->processes[0].why[PROC_HOLDING], KNOWN);
	assert_int_not_equal(now->processes[0].why[PROC_STATE], KNOWN);
}

TEST(newly_requested_fields_are_read_for_cached_processes)
{
	want.low_rate = true;
	want.reporters = false;
	want.process = (struct fieldset){ 0 };
	sampler_want(sampler, &want);
	put_process(10, "ten", 1);
	put("proc/10/status", "Name:\tpython3\nUid:\t77\t77\t77\t77\nNSpid:\t10\n");
	assert_processes("10\n", "10=ten ");
	assert_int_not_equal(now->processes[0].why[PROC_UID], KNOWN);
	fieldset_add(&want.process, PROC_UID);
	sampler_want(sampler, &want);
	sample();
	assert_int_equal(now->processes[0].why[PROC_UID], KNOWN);
	assert_int_equal(now->processes[0].uid, 77);
}

TEST(a_command_of_any_length_is_complete)
{
	static char command[70001];

	put_holder();
	for (size_t length = 1; length <= 65536; length *= 16) {
		for (size_t less = 0; less < 2; less++) {
			size_t n = length + 1 - less;

			memset(command, 'x', n);
			command[n - 1] = '\0';
			put_bytes("proc/4242/cmdline", command, n);
			sample();
			if (n == 1)
				continue; /* an empty command has no text */
			assert_non_null(now->processes[0].command);
			assert_int_equal(strlen(now->processes[0].command), n - 1);
		}
	}
	/* A zombie has no command line, only the name that the kernel keeps. */
	put("proc/4242/cmdline", "");
	sample();
	assert_int_equal(now->processes[0].why[PROC_COMMAND], NOT_APPLICABLE);
	assert_string_equal(now->processes[0].name, "worker");
	put_bytes("proc/4242/cmdline", "\0\0", 2);
	sample();
	assert_string_equal(now->processes[0].name, "worker");
}

TEST(a_title_is_the_command_and_not_the_name)
{
	put_holder();
	put("proc/4242/cmdline", "worker: of /dev/shm");
	sample();
	assert_int_equal(now->n_processes, 1);
	assert_string_equal(now->processes[0].name, "worker");
	assert_string_equal(now->processes[0].command, "worker: of /dev/shm");
}

TEST(holders_of_a_lost_card_are_not_taken_from_the_cache)
{
	put_holder();
	sample();
	assert_int_equal(now->n_processes, 1);
	assert_int_equal(now->processes[0].holding, HOLDING_SEEN);
	assert_int_equal(renameat(root.fd, "sys/class/tenstorrent/tenstorrent!0", root.fd,
				  "sys/class/tenstorrent/away"),
			 0);
	drop("proc/4242/fd/3");
	assert_int_equal(symlinkat("/dev/tenstorrent/0 (deleted)", root.fd, "proc/4242/fd/3"), 0);
	sample();
	assert_int_equal(now->n_processes, 0);
}

TEST(a_scan_keeps_processes_that_closed_a_device_but_have_it_mapped)
{
	put_holder();
	drop("proc/driver/tenstorrent/0/pids");
	sample();
	assert_int_equal(now->n_processes, 1);
	drop("proc/4242/fd/3");
	put("proc/4242/maps",
	    "7f0000000000-7f0000001000 rw-s 00000000 00:05 9 /dev/tenstorrent/0\n");
	sample();
	assert_int_equal(now->n_processes, 1);
	assert_int_equal(now->processes[0].holding, HOLDING_SEEN);
	put("proc/4242/maps", "7f0000000000-7f0000001000 rw-s 00000000 00:05 9 /dev/zero\n");
	assert_int_equal(symlinkat("/dev/zero", root.fd, "proc/4242/fd/3"), 0);
	sample();
	assert_int_equal(now->n_processes, 0);
}

TEST(processes_are_sorted_by_pid)
{
	put_holder();
	put("proc/driver/tenstorrent/0/pids", "4244\n4242\n4244\n4243\n4242\n");
	make_folders("proc/4243/fd/");
	make_folders("proc/4244/fd/");
	assert_int_equal(symlinkat("/dev/tenstorrent/0", root.fd, "proc/4243/fd/5"), 0);
	assert_int_equal(symlinkat("/dev/tenstorrent/0", root.fd, "proc/4244/fd/5"), 0);
	sample();
	assert_int_equal(now->n_processes, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(now->processes[i].pid, 4242 + i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_TREE(the_start_time_is_ticks_after_boot),
		ON_TREE(the_age_of_a_process_is_never_negative),
		ON_TREE(without_the_time_of_boot_no_time_is_guessed),
		ON_TREE(cached_data_of_a_process_belongs_to_its_pid),
		ON_TREE(a_reused_pid_is_read_again_at_a_low_rate),
		ON_TREE(a_new_name_is_another_program),
		ON_TREE(long_files_of_a_process_are_read_completely),
		ON_TREE(a_pod_has_the_names_of_kubelets_links),
		ON_TREE(a_job_has_the_name_of_its_environment),
		ON_TREE(a_device_has_the_claim_that_it_is_prepared_for),
		ON_TREE(an_owner_that_cannot_be_read_is_unknown_in_every_part),
		ON_TREE(a_process_that_cannot_be_read_keeps_what_is_known),
		ON_TREE(newly_requested_fields_are_read_for_cached_processes),
		ON_TREE(a_command_of_any_length_is_complete),
		ON_TREE(a_title_is_the_command_and_not_the_name),
		ON_TREE(holders_of_a_lost_card_are_not_taken_from_the_cache),
		ON_TREE(a_scan_keeps_processes_that_closed_a_device_but_have_it_mapped),
		ON_TREE(processes_are_sorted_by_pid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
