/*
 * Layouts for every size from 1x1 to 300x100, 0 to 64 devices, boards of one, two and eight chips.
 */
#include "tui/key_bar.h"
#include "tui/layout.h"

#include "../unit/unit.h"

enum { MOST_DEVICES = 64, MOST_ROWS = 100, MOST_COLUMNS = 300 };

static size_t groups[MOST_DEVICES];

static struct counts make_counts(size_t devices, size_t in_group)
{
	struct counts counts = {
		.devices = devices, .groups = groups, .processes = devices, .charts = devices
	};

	for (size_t left = devices; left; counts.n_groups++) {
		groups[counts.n_groups] = MIN(left, in_group);
		left -= groups[counts.n_groups];
	}
	return counts;
}

static bool is_inside(const struct rect *r, int rows, int columns)
{
	return rect_is_empty(r) || (r->top >= 0 && r->left >= 0 && r->top + r->height <= rows &&
				    r->left + r->width <= columns);
}

static bool overlap(const struct rect *a, const struct rect *b)
{
	return !rect_is_empty(a) && !rect_is_empty(b) && a->top < b->top + b->height &&
	       b->top < a->top + a->height && a->left < b->left + b->width &&
	       b->left < a->left + a->width;
}

static void check_rectangles(const struct layout *layout, int rows, int columns)
{
	struct rect all[7 + MAX_CHARTS] = {
		layout->header,	    layout->legend, layout->keys, layout->cells.area,
		layout->cells.more, layout->table,  layout->page,
	};
	size_t count = 7;

	for (size_t i = 0; i < layout->n_charts; i++)
		all[count++] = layout->charts[i];
	for (size_t i = 0; i < count; i++) {
		assert_true(is_inside(&all[i], rows, columns));
		for (size_t j = i + 1; j < count; j++)
			assert_false(overlap(&all[i], &all[j]));
	}
	assert_true(layout->n_charts <= MAX_CHARTS);
	for (size_t i = 0; i < layout->n_charts; i++)
		assert_true(layout->charts[i].height >= 6 && layout->charts[i].width >= 38);
}

/* Cells must be in order, within their area, and must not overlap. */
static void check_cells(const struct layout *layout, const struct counts *counts)
{
	const struct cells *cells = &layout->cells;
	struct cell cell, last = { 0 };
	struct cell_walk walk;
	size_t seen = 0;

	if (cells->form == FORM_NONE)
		return;
	cells_begin(&walk, cells, counts);
	while (cells_next(&walk, &cell)) {
		const struct rect *r = &cell.rect, *a = &cells->area;

		assert_true(cell.device == cells->first + seen);
		assert_true(r->top >= a->top && r->top + r->height <= a->top + a->height);
		assert_true(r->left >= a->left && r->left + r->width <= a->left + a->width);
		assert_true(r->width > 0 && r->height > 0);
		if (seen)
			assert_true(r->top >= last.rect.top + last.rect.height ||
				    (r->top == last.rect.top &&
				     r->left >= last.rect.left + last.rect.width));
		last = cell;
		seen++;
	}
	assert_true(seen == cells->shown);
	assert_true(seen == counts->devices || !rect_is_empty(&cells->more) ||
		    (cells->area.height == 0 && cells->more.height == 0));
}

/*
 * step: increment of the number of devices; large for views whose layout does not depend on it. Of
 * the numbers of columns every fourth is checked; the first depends on rows and devices.
 */
static void check_all(enum view view, size_t in_group, size_t step)
{
	struct layout layout;

	for (size_t devices = 0; devices <= MOST_DEVICES; devices += step) {
		struct counts counts = make_counts(devices, in_group);

		for (int rows = 1; rows <= MOST_ROWS; rows++) {
			int first = 1 + (rows + (int)devices) % 4;

			for (int columns = first; columns <= MOST_COLUMNS; columns += 4) {
				layout_make(&layout, view, rows, columns, &counts);
				check_rectangles(&layout, rows, columns);
				assert_true(layout.n_charts <= counts.charts);
				check_cells(&layout, &counts);
			}
		}
	}
}

TEST(every_overview_is_valid)
{
	check_all(VIEW_OVERVIEW, 1, 1);
}

TEST(every_grid_of_trays_is_valid)
{
	check_all(VIEW_GRID, 8, 1);
}

TEST(every_grid_of_single_chips_is_valid)
{
	check_all(VIEW_GRID, 1, 1);
}

TEST(every_grid_of_boards_is_valid)
{
	check_all(VIEW_GRID, 2, 1);
}

TEST(every_list_of_processes_is_valid)
{
	check_all(VIEW_PROCESSES, 1, 64);
}

TEST(every_memory_view_is_valid)
{
	check_all(VIEW_MEMORY, 1, 1);
}

TEST(every_device_view_is_valid)
{
	check_all(VIEW_DEVICE, 1, 64);
}

TEST(an_empty_screen_is_handled)
{
	struct counts counts = make_counts(4, 1);
	struct layout layout;

	for (int view = 0; view < VIEW_N; view++) {
		layout_make(&layout, (enum view)view, 0, 0, &counts);
		check_rectangles(&layout, 0, 0);
		layout_make(&layout, (enum view)view, -1, 80, &counts);
		check_rectangles(&layout, 0, 80);
	}
}

TEST(thirty_two_chips_are_readable_on_80x24)
{
	struct counts counts = make_counts(32, 8);
	struct layout layout;

	layout_make(&layout, VIEW_GRID, 24, 80, &counts);
	assert_int_equal(layout.cells.shown, 32);
	assert_true(layout.cells.headings);
	assert_int_equal(layout.cells.per_line, 8);
	assert_int_equal(layout.cells.height, 4);
	assert_true(layout.table.height >= 2);
}

TEST(narrow_cells_without_headings_are_explained)
{
	struct counts counts = make_counts(32, 1);
	struct layout layout;

	layout_make(&layout, VIEW_GRID, 24, 80, &counts);
	assert_int_equal(layout.cells.shown, 32);
	assert_false(layout.cells.headings);
	assert_true(layout.cells.width < CELL_NAMES_SHARES);
	assert_false(rect_is_empty(&layout.legend));
	counts = make_counts(32, 2);
	layout_make(&layout, VIEW_GRID, 24, 80, &counts);
	assert_true(layout.cells.headings && layout.cells.groups_per_line > 1);
	assert_false(rect_is_empty(&layout.legend));
	counts = make_counts(32, 8);
	layout_make(&layout, VIEW_GRID, 24, 80, &counts);
	assert_true(rect_is_empty(&layout.legend)); /* the heading of the tray explains them */
	counts = make_counts(32, 1);
	layout_make(&layout, VIEW_GRID, 24, 160, &counts);
	assert_true(layout.cells.width >= CELL_NAMES_SHARES);
	assert_true(rect_is_empty(&layout.legend));
}

TEST(brief_lines_of_the_overview_are_explained)
{
	struct counts counts = make_counts(32, 8);
	struct layout layout;

	layout_make(&layout, VIEW_OVERVIEW, 24, 80, &counts);
	assert_int_equal(layout.cells.form, FORM_BRIEF);
	assert_false(rect_is_empty(&layout.legend));
	layout_make(&layout, VIEW_OVERVIEW, 60, 200, &counts);
	assert_int_equal(layout.cells.form, FORM_LINE); /* names its readings */
	assert_true(rect_is_empty(&layout.legend));
}

TEST(the_memory_view_shows_as_many_devices_as_fit)
{
	struct counts counts = make_counts(32, 8);
	struct layout layout;

	layout_make(&layout, VIEW_MEMORY, 60, 200, &counts);
	assert_int_equal(layout.cells.per_line, 4);
	assert_int_equal(layout.cells.height, 2);
	layout_make(&layout, VIEW_MEMORY, 40, 120, &counts);
	assert_int_equal(layout.cells.shown, 32);
	assert_int_equal(layout.cells.height, 1);
	counts = make_counts(4, 2);
	layout_make(&layout, VIEW_MEMORY, 40, 120, &counts);
	assert_int_equal(layout.cells.per_line, 2);
	assert_int_equal(layout.cells.height, 2);
}

/* Rows that the list of processes does not need belong to the charts. */
TEST(no_rows_are_left_empty_beside_charts)
{
	static const enum view views[] = { VIEW_OVERVIEW, VIEW_GRID, VIEW_MEMORY };
	static const size_t machines[] = { 1, 4, 32 };
	enum { AROUND = 2, LEAST = 3, PAGE = 6 };

	for (size_t v = 0; v < 3; v++) {
		for (size_t m = 0; m < 3; m++) {
			struct counts counts = make_counts(machines[m], 8);
			struct layout layout;

			counts.charts = views[v] == VIEW_MEMORY ? 2 : 8;
			counts.processes = 1;
			counts.lines = PAGE;
			for (int rows = 24; rows <= MOST_ROWS; rows++) {
				layout_make(&layout, views[v], rows, 120, &counts);
				if (layout.n_charts)
					assert_true(layout.table.height <= AROUND + LEAST);
			}
			assert_true(layout.n_charts > 0);
		}
	}
}

TEST(sixty_four_chips_are_readable_on_120x40)
{
	struct counts counts = make_counts(64, 8);
	struct layout layout;

	layout_make(&layout, VIEW_GRID, 40, 120, &counts);
	assert_int_equal(layout.cells.shown, 64);
	assert_true(layout.cells.headings);
	assert_true(layout.cells.height >= 3);
	assert_true(layout.cells.width >= 10);
}

TEST(an_ordinary_overview_has_all_its_parts)
{
	struct counts counts = make_counts(2, 1);
	struct layout layout;

	layout_make(&layout, VIEW_OVERVIEW, 30, 100, &counts);
	assert_int_equal(layout.cells.form, FORM_PANEL);
	assert_int_equal(layout.cells.per_line, 2);
	assert_int_equal(layout.n_charts, 2);
	assert_true(layout.table.height >= 5);
}

TEST(a_large_screen_has_charts_of_all_readings)
{
	struct counts counts = make_counts(1, 1);
	struct layout layout;

	counts.charts = 8;
	layout_make(&layout, VIEW_OVERVIEW, 60, 200, &counts);
	assert_int_equal(layout.n_charts, 8);
	layout_make(&layout, VIEW_OVERVIEW, 40, 120, &counts);
	assert_int_equal(layout.n_charts, 8);
	assert_true(layout.table.height >= 5);
	layout_make(&layout, VIEW_DEVICE, 60, 200, &counts);
	assert_true(layout.n_charts >= 7);
	assert_int_equal(layout.page_columns, 2);
	assert_true(layout.page.width >= 140);
}

TEST(small_boards_share_a_line_of_the_grid)
{
	struct counts counts = make_counts(8, 2);
	struct layout layout;
	struct cell_walk walk;
	struct cell cell;
	int row = 0;

	layout_make(&layout, VIEW_GRID, 40, 120, &counts);
	assert_true(layout.cells.headings);
	assert_int_equal(layout.cells.groups_per_line, 2);
	assert_true(layout.cells.height >= 7);
	assert_true(layout.n_charts > 0);
	cells_begin(&walk, &layout.cells, &counts);
	while (cells_next(&walk, &cell)) {
		assert_true(rect_is_empty(&cell.heading) == (cell.device % 2 == 1));
		assert_true(cell.device % 4 == 0 || cell.rect.top == row);
		row = cell.rect.top;
	}
}

TEST(boxes_lie_within_the_screen)
{
	for (int rows = -2; rows <= MOST_ROWS; rows++) {
		for (int columns = 0; columns <= MOST_COLUMNS; columns += 3) {
			const struct rect screen = { 1, 0, rows, columns };
			struct rect box = box_outside(&screen, 25, 100);
			struct rect inside = box_inside(&box);

			assert_true(is_inside(&box, rows + 1, columns));
			assert_true(is_inside(&inside, rows + 1, columns));
			assert_true(inside.height <= 25 && inside.width <= 100);
		}
	}
}

TEST(help_and_quit_are_always_shown)
{
	struct key_place places[MAX_KEY_LABELS];

	for (int columns = 11; columns <= MOST_COLUMNS; columns++) {
		size_t count = key_bar_place(columns, columns % 2, places);
		bool help = false, quit = false;
		int end = -1;

		for (size_t i = 0; i < count; i++) {
			assert_true(places[i].column > end);
			end = places[i].column + places[i].width;
			help |= places[i].label->code == 'h';
			quit |= places[i].label->code == 'q';
			assert_false(columns % 2 && places[i].label->writes);
		}
		assert_true(end <= columns && help && quit);
	}
}

TEST(the_number_of_devices_that_do_not_fit_is_shown)
{
	struct counts counts = make_counts(64, 8);
	struct layout layout;

	layout_make(&layout, VIEW_OVERVIEW, 10, 40, &counts);
	assert_true(layout.cells.shown > 0 && layout.cells.shown < 64);
	assert_int_equal(layout.cells.more.height, 1);
	assert_true(layout.table.height > 0);
}

TEST(scrolling_reaches_the_last_device)
{
	struct counts counts = make_counts(64, 8);
	struct layout layout;
	bool seen[MOST_DEVICES] = { false };

	for (size_t first = 0; first < 64; first++) {
		counts.first = first;
		layout_make(&layout, VIEW_OVERVIEW, 10, 40, &counts);
		check_cells(&layout, &counts);
		for (size_t i = 0; i < layout.cells.shown; i++)
			seen[layout.cells.first + i] = true;
	}
	for (size_t i = 0; i < 64; i++)
		assert_true(seen[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_overview_is_valid),
		cmocka_unit_test(every_grid_of_trays_is_valid),
		cmocka_unit_test(every_grid_of_single_chips_is_valid),
		cmocka_unit_test(every_grid_of_boards_is_valid),
		cmocka_unit_test(every_list_of_processes_is_valid),
		cmocka_unit_test(every_memory_view_is_valid),
		cmocka_unit_test(every_device_view_is_valid),
		cmocka_unit_test(an_empty_screen_is_handled),
		cmocka_unit_test(thirty_two_chips_are_readable_on_80x24),
		cmocka_unit_test(narrow_cells_without_headings_are_explained),
		cmocka_unit_test(brief_lines_of_the_overview_are_explained),
		cmocka_unit_test(the_memory_view_shows_as_many_devices_as_fit),
		cmocka_unit_test(no_rows_are_left_empty_beside_charts),
		cmocka_unit_test(sixty_four_chips_are_readable_on_120x40),
		cmocka_unit_test(an_ordinary_overview_has_all_its_parts),
		cmocka_unit_test(a_large_screen_has_charts_of_all_readings),
		cmocka_unit_test(small_boards_share_a_line_of_the_grid),
		cmocka_unit_test(boxes_lie_within_the_screen),
		cmocka_unit_test(help_and_quit_are_always_shown),
		cmocka_unit_test(the_number_of_devices_that_do_not_fit_is_shown),
		cmocka_unit_test(scrolling_reaches_the_last_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
