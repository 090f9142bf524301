/* The state of the screen without a screen: pause and step, tags. */
#include "tui/ui.h"

#include "../unit/unit.h"

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
	if (tracks_new(&ui.tracks) < 0 || history_new(&ui.history) < 0)
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

TEST(a_tag_is_not_inherited_with_the_number)
{
	ui_key(&ui, ' ');
	assert_int_equal(ui.n_tagged, 1);
	take_sample_of(2, 10, 100);
	assert_int_equal(ui.n_tagged, 1);
	take_sample_of(3, 10, 200);
	assert_int_equal(ui.n_tagged, 0);
}

TEST(a_question_stays_about_whom_it_was)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_step_shows_the_next_sample_not_the_newest,
						open_screen, close_screen),
		cmocka_unit_test_setup_teardown(a_long_pause_keeps_the_first_samples_and_the_newest,
						open_screen, close_screen),
		cmocka_unit_test_setup_teardown(a_long_pause_costs_no_more_memory_than_a_short_one,
						open_screen, close_screen),
		cmocka_unit_test_setup_teardown(a_tag_is_not_inherited_with_the_number, open_screen,
						close_screen),
		cmocka_unit_test_setup_teardown(a_question_stays_about_whom_it_was, open_screen,
						close_screen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
