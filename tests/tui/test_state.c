/* The state of the screen without a screen: pause and step, tags, effects of keys. */
#include "model/metric.h"
#include "tui/actions.h"
#include "tui/ui_update.h"
#include "tui/view_wants.h"

#include "../unit/unit.h"

#include <curses.h>

static struct ui ui;

/* A sample of no device and some processes, from this pid on; its time is its number. */
static void take_crowd(int64_t number, int32_t pid, uint64_t start_ticks, int32_t count)
{
	struct frame *frame = calloc(1, sizeof(*frame));

	assert_non_null(frame);
	frame->refs = 1;
	assert_int_equal(snapshot_new(&frame->snapshot), 0);
	frame->snapshot->taken_ns = number;
	for (int32_t i = 0; i < count; i++) {
		struct process *process = snapshot_add_process(frame->snapshot, pid + i);

		assert_non_null(process);
		process->start_ticks = start_ticks;
	}
	ui_take_frame(&ui, frame);
}

static void take_sample_of(int64_t number, int32_t pid, uint64_t start_ticks)
{
	take_crowd(number, pid, start_ticks, 1);
}

static void take_sample(int64_t number)
{
	take_sample_of(number, 10, 100);
}

static int open_screen(void **state)
{
	(void)state;
	ui = (struct ui){ 0 };
	settings_init(&ui.settings);
	ui.settings.view = VIEW_PROCESSES;
	if (history_new(&ui.history, HISTORY_PROCESS_MEMORY) < 0)
		return -1;
	ui_resize(&ui, 24, 80);
	take_sample(1);
	return 0;
}

static int close_screen(void **state)
{
	(void)state;
	ui_done(&ui);
	return 0;
}

TEST(a_step_shows_the_next_sample_not_the_newest)
{
	ui_key(&ui, 'Z');
	for (int64_t i = 2; i <= 5; i++)
		take_sample(i);
	assert_int_equal(ui_now(&ui), 1);
	ui_key(&ui, '.');
	assert_int_equal(ui_now(&ui), 2);
	ui_key(&ui, '.');
	assert_int_equal(ui_now(&ui), 3);
	ui_key(&ui, 'Z');
	assert_int_equal(ui_now(&ui), 5);
	take_sample(6);
	assert_int_equal(ui_now(&ui), 6);
}

TEST(a_long_pause_keeps_the_first_samples_and_the_newest)
{
	ui_key(&ui, 'Z');
	for (int64_t i = 2; i <= 1000; i++)
		take_sample(i);
	for (int64_t i = 2; i <= MAX_WAITING; i++) {
		ui_key(&ui, '.');
		assert_int_equal(ui_now(&ui), i);
	}
	ui_key(&ui, '.');
	assert_int_equal(ui_now(&ui), 1000);
}

TEST(a_long_pause_costs_no_more_memory_than_a_short_one)
{
	size_t bytes = 0;

	ui_key(&ui, 'Z');
	for (int64_t i = 2; i <= 40; i++)
		take_crowd(i, 10, 100, i < 20 ? 100 : 1000);
	for (size_t i = 0; i < ui.n_waiting; i++)
		bytes += snapshot_bytes(ui.waiting[i]->snapshot);
	assert_in_range(bytes, 1000 * sizeof(struct process), 1500 * sizeof(struct process));
	ui_key(&ui, 'Z');
	assert_int_equal(ui_now(&ui), 40);
}

TEST(a_reused_pid_does_not_inherit_a_tag)
{
	ui_key(&ui, ' ');
	assert_int_equal(ui.n_tagged, 1);
	take_sample_of(2, 10, 100);
	assert_int_equal(ui.n_tagged, 1);
	take_sample_of(3, 10, 200);
	assert_int_equal(ui.n_tagged, 0);
}

TEST(a_confirmation_keeps_its_target)
{
	ui_key(&ui, ' ');
	ui_key(&ui, 'k');
	ui_key(&ui, '\n');
	assert_int_equal(ui.overlay, OVERLAY_CONFIRM);
	take_sample_of(2, 11, 300);
	assert_int_equal(ui.n_tagged, 0);
	assert_int_equal(ui.n_targets, 1);
	assert_int_equal(ui.targets[0].pid, 10);
	assert_int_equal(ui.targets[0].start_ticks, 100);
}

static void press(const char *text)
{
	while (*text)
		ui_key(&ui, *text++);
}

static const char *said(void)
{
	return ui.message_until_ns ? buf_text(&ui.message) : "";
}

TEST(following_ends_with_the_process)
{
	press("F");
	take_sample_of(2, 10, 100);
	assert_true(ui.follow);
	take_sample_of(3, 11, 300);
	assert_false(ui.follow);
	assert_string_equal(said(), "10 has exited: not following any more");
	press("F");
	take_sample_of(4, 11, 400);
	assert_false(ui.follow);
}

TEST(a_valid_filter_clears_the_error_message)
{
	press("\\drum>1\n");
	assert_string_equal(said(), "no column \"drum\"");
	press("\025dram>1\n");
	assert_int_equal(ui.overlay, OVERLAY_NONE);
	assert_string_equal(said(), "");
}

TEST(keys_of_the_list_do_nothing_in_views_without_it)
{
	const struct process_order order = ui.settings.order;

	ui.settings.view = VIEW_DEVICE;
	ui_resize(&ui, 24, 80);
	for (const char *key = "FiItsNPMLT\\/uo"; *key; key++) {
		ui.message_until_ns = 0;
		ui_key(&ui, *key);
		assert_string_equal(said(), "processes are not listed here: 3 lists them");
	}
	assert_int_equal(ui.overlay, OVERLAY_NONE);
	assert_memory_equal(&order, &ui.settings.order, sizeof(order));
	assert_false(ui.follow);
	assert_string_equal(ui.filter_text, "");
}

TEST(navigation_keys_work_in_menus_and_texts)
{
	press("sjj");
	assert_int_equal(ui.menu_at, COL_DRAM + 2);
	ui.redraw = false;
	press("\f");
	assert_true(ui.redraw);
	assert_int_equal(ui.overlay, OVERLAY_SORT);
	ui_key(&ui, KEY_F(10));
	assert_int_equal(ui.overlay, OVERLAY_NONE);
	assert_false(ui.quit);
	press("hjj");
	assert_int_equal(ui.overlay_top, 2);
}

/* Every view can be left for another one, whose charts then have a history. */
TEST(every_view_reads_what_charts_and_columns_show)
{
	static const enum device_field utilization[] = { DEV_DISPATCH, DEV_BOUND, DEV_PROGRAMS,
							 DEV_RUNNING };

	for (enum view view = 0; view < VIEW_N; view++) {
		struct want want = { 0 };

		view_wants(view, &want);
		for (enum metric metric = 0; metric < METRIC_N; metric++) {
			assert_true(fieldset_has(&want.device, metric_infos[metric].field));
			assert_true(fieldset_has(&want.device, metric_infos[metric].limit));
		}
		for (size_t i = 0; i < ARRAY_SIZE(utilization); i++)
			assert_true(fieldset_has(&want.device, utilization[i]));
		assert_true(want.utilization && want.processes);
	}
}

#define SCREEN_TEST(test) cmocka_unit_test_setup_teardown(test, open_screen, close_screen)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCREEN_TEST(a_step_shows_the_next_sample_not_the_newest),
		SCREEN_TEST(a_long_pause_keeps_the_first_samples_and_the_newest),
		SCREEN_TEST(a_long_pause_costs_no_more_memory_than_a_short_one),
		SCREEN_TEST(a_reused_pid_does_not_inherit_a_tag),
		SCREEN_TEST(a_confirmation_keeps_its_target),
		SCREEN_TEST(following_ends_with_the_process),
		SCREEN_TEST(a_valid_filter_clears_the_error_message),
		SCREEN_TEST(keys_of_the_list_do_nothing_in_views_without_it),
		SCREEN_TEST(navigation_keys_work_in_menus_and_texts),
		cmocka_unit_test(every_view_reads_what_charts_and_columns_show),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
