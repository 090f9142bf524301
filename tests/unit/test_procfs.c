/* Parsers of procfs texts, which other programs can influence. */
#include "source/procfs.h"
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* A /proc/PID/stat as observed, with this name. */
static void make_stat(char *text, size_t size, const char *comm)
{
	snprintf(text, size,
		 "110 (%s) S 108 107 107 0 -1 4194304 58 0 0 0 1 3 0 0 20 0 1 0 194 5402624 7 "
		 "18446744073709551615 4198400 4792897 140732228602784 0 0 0 0 6 0 1 0 0 17 1 0 0 "
		 "0 0 0 4977200 5001936 855396352 140732228607870 140732228607888 140732228607888 "
		 "140732228607980 0\n",
		 comm);
}

TEST(stat_gives_name_state_and_times)
{
	struct procfs_stat stat;
	char text[512];

	make_stat(text, sizeof(text), "worker");
	assert_int_equal(procfs_parse_stat(text, &stat), 0);
	assert_string_equal(stat.comm, "worker");
	assert_int_equal(stat.state, 'S');
	assert_int_equal(stat.cpu_ticks, 4);
	assert_int_equal(stat.start_ticks, 194);
	assert_int_equal(stat.rss_pages, 7);
}

TEST(a_name_may_contain_brackets_blanks_and_newlines)
{
	static const char *const names[] = { "a b",	  "(",	      ")",	  ") R 1 2 3",
					     "((()))",	  "",	      " ",	  "x\ny",
					     "a) S 1 (b", "\033[31m", "\xFF\xFE", "%s %n" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct procfs_stat stat;
		char text[512];

		make_stat(text, sizeof(text), names[i]);
		assert_int_equal(procfs_parse_stat(text, &stat), 0);
		assert_string_equal(stat.comm, names[i]);
		assert_int_equal(stat.state, 'S');
		assert_int_equal(stat.start_ticks, 194);
	}
}

TEST(a_long_name_is_truncated)
{
	struct procfs_stat stat;
	char name[200], text[1024];

	memset(name, 'k', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	make_stat(text, sizeof(text), name);
	assert_int_equal(procfs_parse_stat(text, &stat), 0);
	assert_int_equal(strlen(stat.comm), sizeof(stat.comm) - 1);
}

TEST(a_truncated_stat_is_rejected)
{
	struct procfs_stat stat = { .start_ticks = 99 };
	char text[512];
	size_t enough;

	make_stat(text, sizeof(text), "worker");
	enough = (size_t)(strstr(text, " 18446744073709551615") - text);
	for (size_t length = 0; length < enough - 1; length++) {
		char cut[512];

		memcpy(cut, text, length);
		cut[length] = '\0';
		if (procfs_parse_stat(cut, &stat) == 0)
			assert_true(length >= enough - 1);
	}
	assert_int_equal(stat.start_ticks, 99);
	assert_int_equal(procfs_parse_stat("", &stat), -EBADMSG);
	assert_int_equal(procfs_parse_stat(")(", &stat), -EBADMSG);
	assert_int_equal(procfs_parse_stat("1 (x)", &stat), -EBADMSG);
	assert_int_equal(
		procfs_parse_stat("1 (x) S a b c d e f g h i j k l m n o p q r s t u v\n", &stat),
		-EBADMSG);
	/* Negative and huge ticks are rejected. */
	assert_int_equal(
		procfs_parse_stat("1 (x) S 0 0 0 0 0 0 0 0 0 0 -1 0 0 0 0 0 0 0 5 0 0 0\n", &stat),
		-EBADMSG);
	assert_int_equal(procfs_parse_stat("1 (x) S 0 0 0 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 "
					   "99999999999999999999999 0 0 0\n",
					   &stat),
			 -EBADMSG);
}

TEST(status_gives_the_effective_user_and_every_pid)
{
	struct procfs_status status;

	assert_int_equal(
		procfs_parse_status("Name:\tworker\nUmask:\t0022\nState:\tS (sleeping)\n"
				    "Uid:\t1000\t1001\t1002\t1003\nGid:\t5\t6\t7\t8\n"
				    "NStgid:\t4711\t17\t3\nNSpid:\t4711\t17\t3\nNSsid:\t1\n",
				    &status),
		0);
	assert_int_equal(status.uid, 1001);
	assert_int_equal(status.ns_depth, 3);
	assert_int_equal(status.ns_pids[0], 4711);
	assert_int_equal(status.ns_pids[1], 17);
	assert_int_equal(status.ns_pids[2], 3);
}

TEST(an_old_kernel_has_no_namespace_pids)
{
	struct procfs_status status;

	assert_int_equal(procfs_parse_status("Name:\tx\nUid:\t0\t0\t0\t0\n", &status), 0);
	assert_int_equal(status.ns_depth, 0);
}

TEST(a_process_is_roots_if_all_its_users_are)
{
	static const struct {
		const char *text;
		bool is_root;
	} cases[] = {
		{ "Uid:\t0\t0\t0\t0\n", true },	    { "Uid:\t1000\t0\t0\t0\n", false },
		{ "Uid:\t0\t1000\t0\t0\n", false }, { "Uid:\t0\t0\t1000\t0\n", false },
		{ "Uid:\t0\t0\t0\t1000\n", false }, { "Uid:\t1000\t1000\t1000\t1000\n", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct procfs_status status;

		assert_int_equal(procfs_parse_status(cases[i].text, &status), 0);
		assert_int_equal(status.is_root, cases[i].is_root);
	}
}

TEST(deeply_nested_namespaces_are_truncated)
{
	struct procfs_status status;
	char text[512] = "Uid:\t1\t2\t3\t4\nNSpid:";

	for (int i = 1; i <= 32; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "\t%d", i);
	assert_int_equal(procfs_parse_status(text, &status), 0);
	assert_int_equal(status.ns_depth, ARRAY_SIZE(status.ns_pids));
	assert_int_equal(status.ns_pids[7], 8);
}

TEST(a_status_without_a_user_is_rejected)
{
	static const char *const bad[] = { "",
					   "Name:\tx\n",
					   "Uid:\n",
					   "Uid:\t\n",
					   "Uid:\t1\n",
					   "Uid:\t1\tx\t3\n",
					   "Uid:\t1\t4294967296\t3\t4\n",
					   "Uid:\t1\t-1\t3\t4\n",
					   "xUid:\t1\t2\t3\t4\n",
					   "Uid: 1 2 3 4\n" };
	struct procfs_status status = { .uid = 99 };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(procfs_parse_status(bad[i], &status), -EBADMSG);
	assert_int_equal(status.uid, 99);
}

static void assert_cmdline(const char *data, size_t length, const char *name, const char *command)
{
	char found_name[32], found_command[64];
	char *exact = malloc(length ? length : 1); /* so that an overrun is noticed */

	assert_non_null(exact);
	memcpy(exact, data, length);
	procfs_program_name(exact, length, found_name, sizeof(found_name));
	procfs_join_arguments(exact, length, found_command, sizeof(found_command));
	free(exact);
	assert_string_equal(found_name, name);
	assert_string_equal(found_command, command);
}

#define CMDLINE(data, name, command) assert_cmdline(data, sizeof(data) - 1, name, command)

TEST(a_command_line_is_joined_and_its_program_found)
{
	CMDLINE("/usr/bin/python3\0train.py\0--lr\0"
		"1\0",
		"python3", "/usr/bin/python3 train.py --lr 1");
	CMDLINE("worker\0", "worker", "worker");
	CMDLINE("worker", "worker", "worker");
	CMDLINE("a\0\0b\0", "a", "a  b");
	CMDLINE("", "", "");
	CMDLINE("\0\0\0", "", "");
	CMDLINE("\0x\0", "", " x");
	CMDLINE("/\0", "/", "/");
	CMDLINE("/usr/bin/\0", "bin/", "/usr/bin/");
	CMDLINE("a\0/b/c\0", "a", "a /b/c");
	CMDLINE("a/b\0\0\0c\0\0", "b", "a/b   c");
	CMDLINE("-bash\0", "-bash", "-bash");
}

TEST(long_names_and_commands_are_truncated)
{
	char data[300], name[8], command[16];

	memset(data, 'a', sizeof(data));
	procfs_program_name(data, sizeof(data), name, sizeof(name));
	procfs_join_arguments(data, sizeof(data), command, sizeof(command));
	assert_int_equal(strlen(name), 7);
	assert_int_equal(strlen(command), 15);
}

TEST(a_title_is_not_the_name_of_a_program)
{
	assert_true(procfs_is_title("nginx: worker process", "nginx: worker process", "nginx"));
	assert_true(procfs_is_title("sshd: root@pts/0", "0", "sshd"));
	assert_true(procfs_is_title("python3 serve.py --port 1", "python3 serve.py --port 1",
				    "python3"));
	assert_true(procfs_is_title("-bash", "-bash", "bash"));
	assert_false(procfs_is_title("ray::IDLE", "ray::IDLE", "ray::IDLE"));
	assert_false(procfs_is_title("/usr/bin/python3", "python3", "pt_main_thread"));
	assert_false(procfs_is_title("/opt/My App/train", "train", "train"));
	assert_false(procfs_is_title("/opt/My App/a_long_program_name", "a_long_program_name",
				     "a_long_program_"));
}

struct list {
	int32_t pids[16];
	size_t count;
};

static void take(int32_t pid, void *arg)
{
	struct list *list = arg;

	assert_true(pid >= 0);
	assert_true(list->count < ARRAY_SIZE(list->pids));
	list->pids[list->count++] = pid;
}

static int parse_pids(const char *text, struct list *list)
{
	*list = (struct list){ .count = 0 };
	return procfs_parse_pids(text, take, list);
}

TEST(pids_are_one_per_line_with_doubles_and_zeros)
{
	struct list list;

	assert_int_equal(parse_pids("306759\n306759\n4211\n0\n", &list), 0);
	assert_int_equal(list.count, 4);
	assert_int_equal(list.pids[0], 306759);
	assert_int_equal(list.pids[2], 4211);
	assert_int_equal(list.pids[3], 0);
	assert_int_equal(parse_pids("", &list), 0);
	assert_int_equal(list.count, 0);
	assert_int_equal(parse_pids("2147483647\n", &list), 0);
}

TEST(a_malformed_pid_ends_the_list_with_an_error)
{
	static const char *const bad[] = {
		"1\nx\n",  "1\n\n2\n",	      "1\n2 3\n",
		"1\n-2\n", "1\n2147483648\n", "1\n2",
		"1\n 2\n", "1\n2\t\n",	      "1\n99999999999999999999999\n",
		"1\n2\r\n"
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct list list;

		assert_int_equal(parse_pids(bad[i], &list), -EBADMSG);
		assert_int_equal(list.count, 1);
		assert_int_equal(list.pids[0], 1);
	}
}

TEST(the_drivers_number_is_found_among_the_devices)
{
	uint32_t major = 7;

	assert_true(procfs_parse_devices("Character devices:\n  1 mem\n246 tenstorrent\n247 cxl\n\n"
					 "Block devices:\n259 blkext\n",
					 &major));
	assert_int_equal(major, 246);
	assert_true(procfs_parse_devices("  9 tenstorrent\n", &major));
	assert_int_equal(major, 9);
	assert_false(
		procfs_parse_devices("246 tenstorrent2\n246 xtenstorrent\ntenstorrent\n", &major));
	assert_false(procfs_parse_devices("7\t9 tenstorrent\n", &major));
	assert_false(procfs_parse_devices("", &major));
	assert_false(procfs_parse_devices("246 tenstorrent", &major)); /* truncated */
	assert_int_equal(major, 9);
}

TEST(the_boot_time_is_a_line_of_its_own)
{
	int64_t seconds = 0;

	assert_true(procfs_parse_btime("cpu  1 2 3\nctxt 5\nbtime 1763240000\nprocesses 9\n",
				       &seconds));
	assert_true(seconds == 1763240000);
	assert_false(procfs_parse_btime("cpu 1\nxbtime 5\n", &seconds));
	assert_false(procfs_parse_btime("btime \n", &seconds));
	assert_false(procfs_parse_btime("btime -5\n", &seconds));
	assert_false(procfs_parse_btime("btime 18446744073709551615\n", &seconds));
	assert_false(procfs_parse_btime("", &seconds));
}

static int node_of(const char *text, const char *prefix)
{
	uint32_t index = 0;

	return procfs_names_node(text, prefix, &index) ? (int)index : -1;
}

TEST(a_link_or_a_line_of_maps_names_a_node)
{
	assert_int_equal(node_of("/dev/tenstorrent/0", ""), 0);
	assert_int_equal(node_of("/dev/tenstorrent/31", ""), 31);
	assert_int_equal(
		node_of("7f1e2c000000-7f1e2c100000 rw-s 09c00000 00:05 231                        "
			"/dev/tenstorrent/3\n",
			""),
		3);
	assert_int_equal(node_of("/tmp/tree/dev/tenstorrent/2", "/tmp/tree"), 2);
	assert_int_equal(
		node_of("7f1e-7f1f rw-s 0 00:05 231  /tmp/tree/dev/tenstorrent/2\n", "/tmp/tree"),
		2);
	assert_int_equal(node_of("/dev/tenstorrent/2", "/tmp/tree"), 2); /* a recorded tree */
}

TEST(texts_similar_to_a_node_are_rejected)
{
	static const char *const other[] = {
		"/dev/tenstorrent/0 (deleted)",
		"7f1e-7f1f rw-s 0 00:05 231  /dev/tenstorrent/0 (deleted)\n",
		"/dev/tenstorrent/",
		"/dev/tenstorrent/by-id/wormhole-2F9C2B4A51D01A2B",
		"/dev/tenstorrent/0x",
		"/dev/tenstorrent/-1",
		"/dev/tenstorrent/0/1",
		"/dev/tenstorrent/99999999999999999999999999",
		"/dev/tenstorrent/4294967296",
		"/tmp/dev/tenstorrent/0",
		"/dev/tenstorrent/4\n/elsewhere",
		"/dev/null",
		"socket:[123]",
		"",
	};

	for (size_t i = 0; i < ARRAY_SIZE(other); i++)
		assert_int_equal(node_of(other[i], ""), -1);
	assert_int_equal(node_of("/other/tmp/tree/dev/tenstorrent/2", "/tmp/tree"), -1);
	assert_int_equal(node_of("/tree/dev/tenstorrent/2", "/tmp/tree"), -1);
}

TEST(a_variable_is_found_by_its_whole_name)
{
	static const char data[] = "A=1\0AB=2\0NO\0B=\0AB=3"; /* as the kernel has it */

	assert_string_equal(procfs_find_variable(data, sizeof(data), "A"), "1");
	assert_string_equal(procfs_find_variable(data, sizeof(data), "AB"), "2");
	assert_string_equal(procfs_find_variable(data, sizeof(data), "B"), "");
	assert_null(procfs_find_variable(data, sizeof(data), "NO"));
	assert_null(procfs_find_variable(data, sizeof(data), "C"));
	assert_null(procfs_find_variable(data, 0, "A"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_variable_is_found_by_its_whole_name),
		cmocka_unit_test(stat_gives_name_state_and_times),
		cmocka_unit_test(a_name_may_contain_brackets_blanks_and_newlines),
		cmocka_unit_test(a_long_name_is_truncated),
		cmocka_unit_test(a_truncated_stat_is_rejected),
		cmocka_unit_test(status_gives_the_effective_user_and_every_pid),
		cmocka_unit_test(an_old_kernel_has_no_namespace_pids),
		cmocka_unit_test(a_process_is_roots_if_all_its_users_are),
		cmocka_unit_test(deeply_nested_namespaces_are_truncated),
		cmocka_unit_test(a_status_without_a_user_is_rejected),
		cmocka_unit_test(a_command_line_is_joined_and_its_program_found),
		cmocka_unit_test(long_names_and_commands_are_truncated),
		cmocka_unit_test(a_title_is_not_the_name_of_a_program),
		cmocka_unit_test(pids_are_one_per_line_with_doubles_and_zeros),
		cmocka_unit_test(a_malformed_pid_ends_the_list_with_an_error),
		cmocka_unit_test(the_drivers_number_is_found_among_the_devices),
		cmocka_unit_test(the_boot_time_is_a_line_of_its_own),
		cmocka_unit_test(a_link_or_a_line_of_maps_names_a_node),
		cmocka_unit_test(texts_similar_to_a_node_are_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
