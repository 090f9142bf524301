/* The bytes that canvas_write() sends must make a simulated terminal show what was drawn. */
#include "basic/text.h"
#include "tui/canvas_writer.h"

#include "../unit/unit.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_ROWS = 50, MOST_COLUMNS = 120, WIDE = 0x6F22 };

/* Fake escape sequences, in which each style has a number. */
static void make_strings(struct terminal_strings *ret)
{
	*ret = (struct terminal_strings){
		.address = "\033[%i%p1%d;%p2%dH",
		.is_ordinary = true,
		.can_save = true,
		.can_fill = true,
		.erase = "\033[K",
		.clear = "\033[H\033[2J",
		.reset = "\033[m",
	};
	for (int i = 1; i < STYLE_N; i++)
		snprintf(ret->styles[i], sizeof(ret->styles[i]), "\033[%dm", i);
	/* Each style can follow the plain one, and no other. */
	for (int i = 0; i < STYLE_N; i++)
		ret->covers[STYLE_PLAIN][i] = true;
}

struct screen {
	int rows, columns, row, column;
	unsigned style;
	int saved_row, saved_column;
	unsigned saved_style;
	struct {
		uint32_t c, mark;
		unsigned style;
	} cells[MOST_ROWS][MOST_COLUMNS];
};

static void screen_erase(struct screen *screen, int row, int column)
{
	for (; column < screen->columns; column++) {
		screen->cells[row][column].c = ' ';
		screen->cells[row][column].mark = 0;
		screen->cells[row][column].style = screen->style;
	}
}

/* Executes ESC [ numbers letter. Returns the text after it. */
static const char *screen_obey(struct screen *screen, const char *text)
{
	char *end;
	long first = strtol(text + 2, &end, 10), second = 1, times;

	if (*end == ';')
		second = strtol(end + 1, &end, 10);
	times = first ? first : 1;
	switch (*end) {
	case 'H':
		screen->row = first ? (int)first - 1 : 0;
		screen->column = (int)second - 1;
		break;
	case 'G': screen->column = (int)times - 1; break;
	case 'd': screen->row = (int)times - 1; break;
	case 'A': screen->row -= (int)times; break;
	case 'B': screen->row += (int)times; break;
	case 'C': screen->column += (int)times; break;
	case 'D': screen->column -= (int)times; break;
	case 'K': screen_erase(screen, screen->row, screen->column); break;
	case 'm': /* a style, perhaps after a reset */
		assert_true(first == 0 || screen->style == 0);
		screen->style =
			(unsigned)(strchr(text, ';') && strchr(text, ';') < end ? second : first);
		break;
	case 'J':
		assert_int_equal(screen->style, 0);
		for (int row = 0; row < screen->rows; row++)
			screen_erase(screen, row, 0);
		break;
	default: fail_msg("unknown sequence: %s", text + 1);
	}
	return end + 1;
}

/* Executes ESC 7 or ESC 8. Returns the text after it. */
static const char *screen_remember(struct screen *screen, const char *text)
{
	if (text[1] == '7') {
		screen->saved_row = screen->row;
		screen->saved_column = screen->column;
		screen->saved_style = screen->style;
	} else {
		screen->row = screen->saved_row;
		screen->column = screen->saved_column;
		screen->style = screen->saved_style;
	}
	return text + 2;
}

static void screen_show(struct screen *screen, const struct buf *sent)
{
	const char *text = buf_text(sent), *end = text + sent->length;

	while (text < end) {
		uint32_t c;

		if (strchr("\r\n\b", *text)) {
			screen->column = *text == '\r' ? 0 : screen->column - (*text == '\b');
			screen->row += *text++ == '\n';
			continue;
		}
		if (*text == '\033') {
			text = text[1] == '[' ? screen_obey(screen, text)
					      : screen_remember(screen, text);
			continue;
		}
		text += utf8_decode(text, (size_t)(end - text), &c);
		if (c == 0x301) {
			int left = screen->column - 1;

			left -= screen->cells[screen->row][left].c == 0; /* of a wide one */
			screen->cells[screen->row][left].mark = c;
			continue;
		}
		assert_in_range(screen->row, 0, screen->rows - 1);
		assert_in_range(screen->column, 0, screen->columns - (c == WIDE ? 2 : 1));
		screen->cells[screen->row][screen->column].c = c;
		screen->cells[screen->row][screen->column].mark = 0;
		screen->cells[screen->row][screen->column++].style = screen->style;
		if (c != WIDE)
			continue;
		screen->cells[screen->row][screen->column].c = 0;
		screen->cells[screen->row][screen->column].mark = 0;
		screen->cells[screen->row][screen->column++].style = screen->style;
	}
}

static void assert_shown(const struct screen *screen, const struct canvas *canvas)
{
	for (int row = 0; row < canvas->rows; row++)
		for (int column = 0; column < canvas->columns; column++) {
			const struct canvas_cell *cell = canvas_at(canvas, row, column);

			assert_int_equal(screen->cells[row][column].c, cell->c);
			assert_int_equal(screen->cells[row][column].mark, cell->marks[0]);
			/* On a blank most styles look the same. */
			if (cell->c != ' ' || cell->style != STYLE_PLAIN ||
			    !theme_blank_is_plain(screen->cells[row][column].style))
				assert_int_equal(screen->cells[row][column].style, cell->style);
		}
}

static void clear(struct canvas *canvas)
{
	for (int row = 0; row < canvas->rows; row++)
		canvas_clear_row(canvas, row);
}

/* Writes the changes to the simulated terminal. Returns the number of bytes. */
static size_t send(struct canvas *canvas, struct screen *screen)
{
	CLEANUP_BUF struct buf out = { 0 };
	struct terminal_strings strings;

	make_strings(&strings);
	canvas_write(canvas, &strings, &out);
	screen_show(screen, &out);
	assert_shown(screen, canvas);
	return out.length;
}

static void put(struct canvas *canvas, int row, int column, enum style style, const char *text)
{
	for (; *text; text++)
		canvas_put(canvas, row, column++, style, (unsigned char)*text, 1);
}

static struct screen screen;

static void begin(struct canvas *canvas, int rows, int columns)
{
	*canvas = (struct canvas){ 0 };
	assert_int_equal(canvas_resize(canvas, rows, columns), 0);
	screen = (struct screen){ .rows = rows, .columns = columns };
}

TEST(a_frame_in_which_nothing_changed_is_empty)
{
	struct canvas canvas;

	begin(&canvas, 24, 80);
	put(&canvas, 3, 5, STYLE_BOLD, "12.5 W");
	send(&canvas, &screen);
	assert_int_equal(send(&canvas, &screen), 0);
	clear(&canvas);
	put(&canvas, 3, 5, STYLE_BOLD, "12.5 W");
	assert_int_equal(send(&canvas, &screen), 0);
	canvas_done(&canvas);
}

TEST(a_digit_costs_one_movement)
{
	struct canvas canvas;

	begin(&canvas, 24, 80);
	put(&canvas, 0, 70, STYLE_PLAIN, "12:00:00");
	put(&canvas, 9, 4, STYLE_PLAIN, "12.5 W");
	send(&canvas, &screen);
	put(&canvas, 0, 77, STYLE_PLAIN, "1");
	assert_int_equal(send(&canvas, &screen), strlen("\033[1;78H1"));
	put(&canvas, 0, 77, STYLE_PLAIN, "2");
	put(&canvas, 0, 70, STYLE_PLAIN, "2");
	assert_int_equal(send(&canvas, &screen), strlen("\b2\033[8D2"));
	/* Writing the unchanged cells between two changes is shorter than moving the cursor. */
	put(&canvas, 9, 4, STYLE_PLAIN, "22.6");
	assert_int_equal(send(&canvas, &screen), strlen("\033[10;5H22.6"));
	canvas_done(&canvas);
}

TEST(a_saved_place_costs_two_bytes_with_its_style)
{
	struct canvas canvas;

	begin(&canvas, 24, 80);
	canvas.busiest = (struct cursor_place){ 0, 77 };
	put(&canvas, 0, 70, STYLE_BOLD, "12:00:08");
	put(&canvas, 20, 4, STYLE_PLAIN, "12.5 W");
	send(&canvas, &screen);
	put(&canvas, 20, 4, STYLE_PLAIN, "2");
	send(&canvas, &screen);
	put(&canvas, 0, 77, STYLE_BOLD, "9");
	assert_int_equal(send(&canvas, &screen), strlen("\0338"
							"9"));
	put(&canvas, 20, 4, STYLE_PLAIN, "3");
	send(&canvas, &screen);
	put(&canvas, 0, 76, STYLE_BOLD, "10");
	assert_int_equal(send(&canvas, &screen), strlen("\0338\b10"));
	/* Changes in the current style of the terminal are written first. */
	put(&canvas, 0, 77, STYLE_BOLD, "1");
	put(&canvas, 20, 4, STYLE_BOLD, "4");
	assert_int_equal(send(&canvas, &screen), strlen("\b1\033[21;5H4"));
	put(&canvas, 0, 77, STYLE_BOLD, "2");
	put(&canvas, 20, 4, STYLE_PLAIN, "5");
	assert_int_equal(send(&canvas, &screen), strlen("\033[m\b5\0338"
							"2"));
	canvas_done(&canvas);
}

TEST(what_was_saved_is_forgotten_with_the_screen)
{
	struct canvas canvas;

	begin(&canvas, 24, 80);
	canvas.busiest = (struct cursor_place){ 0, 77 };
	put(&canvas, 0, 77, STYLE_BOLD, "8");
	put(&canvas, 20, 4, STYLE_PLAIN, "12.5 W");
	send(&canvas, &screen);
	canvas_forget(&canvas);
	canvas.busiest.row = -1;
	screen = (struct screen){ .rows = 24, .columns = 80 };
	send(&canvas, &screen);
	put(&canvas, 0, 77, STYLE_BOLD, "9");
	assert_int_equal(send(&canvas, &screen), strlen("\033[1m\033[1;78H9"));
	canvas_done(&canvas);
}

/* After a carriage return, unchanged cells are written again if that is shorter than moving. */
TEST(the_way_to_a_line_may_be_written_again)
{
	struct canvas canvas;

	begin(&canvas, 24, 80);
	put(&canvas, 10, 0, STYLE_PLAIN, " 50 C");
	put(&canvas, 8, 40, STYLE_PLAIN, "78 W");
	send(&canvas, &screen);
	put(&canvas, 8, 40, STYLE_PLAIN, "9");
	send(&canvas, &screen);
	put(&canvas, 8, 41, STYLE_PLAIN, "9");
	put(&canvas, 10, 2, STYLE_PLAIN, "1");
	assert_int_equal(send(&canvas, &screen), strlen("9\n\n\r 51"));
	canvas_done(&canvas);
}

TEST(a_style_is_set_once_and_kept_until_the_next_frame)
{
	struct canvas canvas;

	begin(&canvas, 24, 80);
	send(&canvas, &screen);
	put(&canvas, 5, 0, STYLE_BOLD, "a");
	put(&canvas, 6, 0, STYLE_PLAIN, "b");
	put(&canvas, 7, 0, STYLE_BOLD, "c");
	put(&canvas, 8, 0, STYLE_PLAIN, "d");
	/* Changes in the current style of the terminal come first. */
	assert_int_equal(send(&canvas, &screen),
			 strlen("\033[7db\n\n\bd\033[1m\033[A\bc\033[2A\ba"));
	put(&canvas, 5, 0, STYLE_BOLD, "e");
	assert_int_equal(send(&canvas, &screen), strlen("\be"));
	canvas_done(&canvas);
}

TEST(blanks_that_look_the_same_are_the_same)
{
	struct canvas canvas;

	begin(&canvas, 24, 80);
	send(&canvas, &screen);
	put(&canvas, 5, 0, STYLE_DIM, "    ");
	assert_int_equal(send(&canvas, &screen), 0);
	put(&canvas, 5, 0, STYLE_SELECTED, "    "); /* blanks in reverse video are visible */
	assert_true(send(&canvas, &screen) > 0);
	canvas_done(&canvas);
}

TEST(the_rest_of_a_line_is_erased)
{
	struct canvas canvas;

	begin(&canvas, 24, 80);
	put(&canvas, 5, 0, STYLE_PLAIN, "a line that is there and goes in one piece");
	send(&canvas, &screen);
	clear(&canvas);
	put(&canvas, 5, 0, STYLE_PLAIN, "a line");
	assert_int_equal(send(&canvas, &screen), strlen("\033[8G\033[K"));
	canvas_done(&canvas);
}

TEST(after_forgetting_all_of_it_is_sent_again)
{
	struct canvas canvas;

	begin(&canvas, 24, 80);
	put(&canvas, 5, 0, STYLE_PLAIN, "text");
	send(&canvas, &screen);
	canvas_forget(&canvas);
	screen = (struct screen){ .rows = 24, .columns = 80, .row = 3, .column = 9 };
	assert_true(send(&canvas, &screen) > 0);
	canvas_done(&canvas);
}

/* Puts random characters at random places, so that wide ones may be half overwritten. */
static void scribble(struct canvas *canvas, uint64_t *seed)
{
	static const uint32_t signs[] = { 'a', '7', ' ', 0x2500, 0x28FF, WIDE };
	uint32_t c = signs[random_below(seed, ARRAY_SIZE(signs))];
	int row = (int)random_below(seed, (unsigned)canvas->rows);
	int column = (int)random_below(seed, (unsigned)canvas->columns);

	canvas_put(canvas, row, column, random_below(seed, STYLE_N), c, c == WIDE ? 2 : 1);
	if (random_below(seed, 16) == 0)
		canvas_combine(canvas, row, column, 0x301);
}

TEST(random_changes_are_shown_as_drawn)
{
	static const int sizes[][2] = { { 1, 1 }, { 1, 2 }, { 3, 7 }, { 24, 80 }, { 50, 120 } };
	uint64_t seed = 20;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct canvas canvas;

		begin(&canvas, sizes[i][0], sizes[i][1]);
		for (int frame = 0; frame < 300; frame++) {
			for (unsigned k = random_below(&seed, frame % 10 ? 20 : 1000); k > 0; k--)
				scribble(&canvas, &seed);
			if (random_below(&seed, 50) == 0)
				clear(&canvas);
			if (random_below(&seed, 20) == 0)
				canvas.busiest = (struct cursor_place){
					(int)random_below(&seed, (unsigned)canvas.rows),
					(int)random_below(&seed, (unsigned)canvas.columns),
				};
			/* The cell that changes most often. */
			canvas_put(&canvas, canvas.busiest.row, canvas.busiest.column, STYLE_BOLD,
				   '0' + (uint32_t)frame % 10, 1);
			send(&canvas, &screen);
		}
		canvas_done(&canvas);
	}
}

TEST(nothing_outside_the_grid_is_drawn)
{
	struct canvas canvas;

	begin(&canvas, 2, 3);
	canvas_put(&canvas, 2, 0, STYLE_PLAIN, 'x', 1);
	canvas_put(&canvas, -1, 0, STYLE_PLAIN, 'x', 1);
	canvas_put(&canvas, 0, 3, STYLE_PLAIN, 'x', 1);
	canvas_put(&canvas, 0, -1, STYLE_PLAIN, 'x', 1);
	canvas_put(&canvas, 0, 2, STYLE_PLAIN, WIDE, 2);
	canvas_combine(&canvas, 0, 3, 0x301);
	for (int row = 0; row < 2; row++)
		for (int column = 0; column < 3; column++)
			assert_int_equal(canvas_at(&canvas, row, column)->c, ' ');
	canvas_done(&canvas);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_in_which_nothing_changed_is_empty),
		cmocka_unit_test(a_digit_costs_one_movement),
		cmocka_unit_test(a_saved_place_costs_two_bytes_with_its_style),
		cmocka_unit_test(what_was_saved_is_forgotten_with_the_screen),
		cmocka_unit_test(the_way_to_a_line_may_be_written_again),
		cmocka_unit_test(a_style_is_set_once_and_kept_until_the_next_frame),
		cmocka_unit_test(blanks_that_look_the_same_are_the_same),
		cmocka_unit_test(the_rest_of_a_line_is_erased),
		cmocka_unit_test(after_forgetting_all_of_it_is_sent_again),
		cmocka_unit_test(random_changes_are_shown_as_drawn),
		cmocka_unit_test(nothing_outside_the_grid_is_drawn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
