/* The memory monitor's JSON of a snapshot made by hand: the age of each allocation. */
#include "unit/unit.h"

#include "basic/clock.h"
#include "render/mem.h"

#define S NS_PER_S

static struct snapshot *snapshot;
static struct history *history;

/* One process on one device, with a list of its allocations. */
static int make_machine(void **state)
{
	struct process *process;
	struct usage *usage;
	struct device dev;

	(void)state;
	assert_int_equal(snapshot_new(&snapshot), 0);
	assert_int_equal(history_new(&history, HISTORY_DEVICE_MEMORY | HISTORY_PROCESS_MEMORY), 0);
	snapshot->taken_ns = snapshot->asked_ns = 100 * S;
	snapshot->wall_ns = 5000 * S; /* another clock */
	device_init(&dev, 0);
	assert_non_null(snapshot_add_device(snapshot, &dev));
	process = snapshot_add_process(snapshot, 12);
	assert_non_null(process);
	usage = process_use(process, 0);
	assert_non_null(usage);
	usage->list.why = KNOWN;
	return history_add(history, snapshot, 2 * NS_PER_S);
}

static int free_machine(void **state)
{
	(void)state;
	snapshot_free(snapshot);
	history_free(history);
	return 0;
}

static void allocate(uint64_t id, int64_t time_ns)
{
	const struct allocation allocation = { .id = id, .size = 64, .time_ns = time_ns };

	assert_int_equal(allocation_list_add(&snapshot->processes[0].usages[0].list, &allocation),
			 0);
}

static void assert_written(const char *text)
{
	const struct mem_view view = { .snapshot = snapshot, .history = history };
	const struct render_options options = { .utf8 = true, .version = "1" };
	CLEANUP_BUF struct buf out = { 0 };

	mem_json_render(&out, &options, &view, false, NULL, NULL);
	if (!strstr(buf_text(&out), text))
		fail_msg("%s is not in %s", text, buf_text(&out));
}

TEST(age_is_seconds_before_the_sample_with_milliseconds)
{
	allocate(1, 98 * S + S / 2);
	assert_written("\"id\":1,\"size\":64,\"age\":1.5}");
	allocate(2, 100 * S - 1234567890);
	assert_written("\"id\":2,\"size\":64,\"age\":1.234}");
	allocate(3, 1);
	assert_written("\"id\":3,\"size\":64,\"age\":99.999}");
}

TEST(age_is_never_negative_and_unknown_without_a_time)
{
	allocate(1, 100 * S + S / 2); /* made while the sample was taken */
	assert_written("\"id\":1,\"size\":64,\"age\":0}");
	allocate(2, 0);
	assert_written("\"id\":2,\"size\":64,\"age\":null}");
}

TEST(a_list_says_whether_it_is_complete)
{
	allocate(1, S);
	assert_written("\"list_complete\":true,\"list_unavailable\":null");
	snapshot->processes[0].usages[0].list.cut = true;
	assert_written("\"list_complete\":false,\"list_unavailable\":null");
	allocation_list_reset(&snapshot->processes[0].usages[0].list, DENIED);
	assert_written("\"list\":null,\"list_complete\":null,"
		       "\"list_unavailable\":\"permission_denied\"");
}

#define ON(test) cmocka_unit_test_setup_teardown(test, make_machine, free_machine)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON(age_is_seconds_before_the_sample_with_milliseconds),
		ON(age_is_never_negative_and_unknown_without_a_time),
		ON(a_list_says_whether_it_is_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
