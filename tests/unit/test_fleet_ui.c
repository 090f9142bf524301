/* The screen of tt_smi fleet -w: its state, without a terminal and without a server. */
#include "fleet_tui/fleet_ui.h"
#include "unit.h"

#include "basic/clock.h"
#include "basic/file.h"

#include <curses.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

/* A fleet of machines with these temperatures, sorted. */
static struct fleet make_fleet(const double *celsius, size_t count)
{
	static const struct fleet_filter everything = { "", NULL };
	struct fleet fleet = { 0 };

	for (size_t i = 0; i < count; i++) {
		struct fleet_machine *machine;
		char name[32];

		snprintf(name, sizeof(name), "node%zu", i);
		assert_int_equal(fleet_get(&fleet, &everything, name, &machine), 1);
		machine->has_data = true;
		machine->values[MACHINE_DEVICES] = 4;
		machine->values[MACHINE_TEMPERATURE] = celsius[i];
	}
	fleet_sort(&fleet, ORDER_ATTENTION);
	return fleet;
}

static void give(struct fleet_ui *ui, const double *celsius, size_t count)
{
	struct fleet_news news = { .has_fleet = true, .fleet = make_fleet(celsius, count) };

	news.answered_ns = 10 * NS_PER_S;
	fleet_ui_take(ui, &news);
}

static void expect_selected(const struct fleet_ui *ui, const char *name)
{
	assert_non_null(fleet_ui_machine(ui));
	assert_string_equal(fleet_ui_machine(ui)->name, name);
}

TEST(a_selected_machine_stays_selected_when_the_order_changes)
{
	struct fleet_ui ui = { .period_ms = 1000 };

	fleet_ui_resize(&ui, 24, 100);
	give(&ui, (const double[]){ 50, 60, 70 }, 3);
	expect_selected(&ui, "node2"); /* the first one */
	give(&ui, (const double[]){ 80, 60, 70 }, 3);
	expect_selected(&ui, "node0"); /* still the first one */
	fleet_ui_key(&ui, KEY_DOWN);
	expect_selected(&ui, "node2");
	give(&ui, (const double[]){ 50, 60, 40 }, 3);
	expect_selected(&ui, "node2"); /* now the last one */
	fleet_ui_key(&ui, '\r');
	assert_true(ui.in_machine);
	give(&ui, (const double[]){ 50, 60, 90 }, 3);
	expect_selected(&ui, "node2");
	fleet_ui_key(&ui, 27);
	assert_false(ui.in_machine || ui.quit);
	fleet_ui_key(&ui, 'q');
	assert_true(ui.quit);
	fleet_ui_done(&ui);
}

TEST(the_selection_is_on_the_screen_whatever_its_size)
{
	double celsius[100];
	struct fleet_ui ui = { .period_ms = 1000 };

	for (size_t i = 0; i < ARRAY_SIZE(celsius); i++)
		celsius[i] = (double)(100 - i);
	for (int rows = 1; rows < 40; rows += 3)
		for (int columns = 1; columns < 140; columns += 17) {
			static const int typed[] = { KEY_NPAGE, KEY_DOWN, KEY_END, KEY_PPAGE,
						     KEY_UP,	KEY_HOME, '\r',	   KEY_DOWN };

			fleet_ui_resize(&ui, rows, columns);
			give(&ui, celsius, ARRAY_SIZE(celsius));
			for (size_t i = 0; i < ARRAY_SIZE(typed); i++) {
				fleet_ui_key(&ui, typed[i]);
				assert_true(ui.selected >= ui.first);
				assert_true(ui.selected < ui.first + fleet_ui_machines(&ui));
				assert_true(ui.first < ui.fleet.count);
			}
			fleet_ui_key(&ui, 27);
		}
	fleet_ui_done(&ui);
}

TEST(a_fleet_that_shrinks_or_is_empty)
{
	struct fleet_ui ui = { .period_ms = 1000 };

	fleet_ui_resize(&ui, 24, 100);
	for (const char *key = "\rg\x1b"; *key; key++)
		fleet_ui_key(&ui, *key);
	fleet_ui_key(&ui, KEY_END);
	assert_null(fleet_ui_machine(&ui));
	give(&ui, (const double[]){ 50, 60, 70 }, 3);
	fleet_ui_key(&ui, KEY_END);
	expect_selected(&ui, "node0");
	give(&ui, (const double[]){ 50 }, 1);
	expect_selected(&ui, "node0");
	give(&ui, NULL, 0);
	assert_null(fleet_ui_machine(&ui));
	fleet_ui_done(&ui);
}

TEST(scrolling_in_a_machine_stops_at_its_last_chip)
{
	struct fleet_ui ui = { .period_ms = 1000 };
	char device[16];

	fleet_ui_resize(&ui, FLEET_CHIPS + 10 + FLEET_BOTTOM, 100);
	give(&ui, (const double[]){ 50 }, 1);
	for (int i = 0; i < 32; i++) {
		snprintf(device, sizeof(device), "%d", i);
		assert_int_equal(chip_page_set(&ui.page, "node0", device, CHIP_UP, 1), 0);
	}
	fleet_ui_key(&ui, '\r');
	fleet_ui_key(&ui, KEY_END);
	assert_int_equal(ui.top, 22);
	fleet_ui_key(&ui, KEY_DOWN);
	fleet_ui_key(&ui, KEY_UP);
	assert_int_equal(ui.top, 21);
	fleet_ui_key(&ui, KEY_HOME);
	assert_int_equal(ui.top, 0);
	fleet_ui_done(&ui);
}

TEST(the_order_can_be_chosen_and_stays)
{
	struct fleet_ui ui = { .period_ms = 1000 };

	fleet_ui_resize(&ui, 24, 100);
	give(&ui, (const double[]){ 50, 70, 60 }, 3);
	expect_selected(&ui, "node1");
	fleet_ui_key(&ui, KEY_DOWN);
	expect_selected(&ui, "node2");
	fleet_ui_key(&ui, 's');
	assert_int_equal(ui.order, ORDER_NAME);
	expect_selected(&ui, "node2");
	assert_string_equal(ui.fleet.machines[0].name, "node0");
	give(&ui, (const double[]){ 50, 70, 60 }, 3);
	assert_string_equal(ui.fleet.machines[0].name, "node0");
	expect_selected(&ui, "node2");
	for (size_t i = 1; i < ORDERS; i++)
		fleet_ui_key(&ui, 's');
	assert_int_equal(ui.order, ORDER_ATTENTION);
	assert_string_equal(ui.fleet.machines[0].name, "node1");
	fleet_ui_done(&ui);
}

TEST(silence_of_the_server)
{
	struct fleet_ui ui = { .period_ms = 5000, .started_ns = NS_PER_S };

	assert_true(fleet_ui_silence(&ui, 2 * NS_PER_S) < 0);
	assert_near(fleet_ui_silence(&ui, 11 * NS_PER_S), 10); /* the server has never answered */
	ui.answered_ns = 20 * NS_PER_S;
	assert_true(fleet_ui_silence(&ui, 26 * NS_PER_S) < 0); /* the next answer is due only now */
	assert_near(fleet_ui_silence(&ui, 32 * NS_PER_S), 12);
	snprintf(ui.error, sizeof(ui.error), "refused");
	assert_near(fleet_ui_silence(&ui, 21 * NS_PER_S), 1);
}

TEST(the_manual_has_every_key)
{
	CLEANUP_BUF struct buf manual = { 0 };

	assert_int_equal(file_read_all(AT_FDCWD, MANUAL, 1 << 20, &manual), 0);
	for (size_t i = 0; i < n_fleet_keys; i++) {
		CLEANUP_BUF struct buf entry = { 0 };

		buf_printf(&entry, "\n%s\n.", fleet_keys[i].help);
		if (!strstr(buf_text(&manual), buf_text(&entry)))
			fail_msg("the manual lacks%s", buf_text(&entry));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_selected_machine_stays_selected_when_the_order_changes),
		cmocka_unit_test(the_selection_is_on_the_screen_whatever_its_size),
		cmocka_unit_test(a_fleet_that_shrinks_or_is_empty),
		cmocka_unit_test(scrolling_in_a_machine_stops_at_its_last_chip),
		cmocka_unit_test(the_order_can_be_chosen_and_stays),
		cmocka_unit_test(silence_of_the_server),
		cmocka_unit_test(the_manual_has_every_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
