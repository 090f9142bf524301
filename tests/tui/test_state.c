/* The state of the screen without a screen: pause and step. */
#include "tui/ui.h"

#include "../unit/unit.h"

static struct ui ui;

/* A sample without devices; their time is their number. */
static void take_sample(int64_t number)
{
	struct frame *frame = calloc(1, sizeof(*frame));

	assert_non_null(frame);
	frame->refs = 1;
	assert_int_equal(snapshot_new(&frame->snapshot), 0);
	frame->snapshot->taken_ns = number;
	ui_take_frame(&ui, frame);
}

static int open_screen(void **state)
{
	(void)state;
	ui = (struct ui){ 0 };
	settings_init(&ui.settings);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_step_shows_the_next_sample_not_the_newest,
						open_screen, close_screen),
		cmocka_unit_test_setup_teardown(a_long_pause_keeps_the_first_samples_and_the_newest,
						open_screen, close_screen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
