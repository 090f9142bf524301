/* Parts of pages. */
#include "basic/buf.h"
#include "tui/page.h"
#include "tui/page_parts.h"

#include "../unit/unit.h"

static void assert_cell(const char *text, size_t columns, const char *expected)
{
	CLEANUP_BUF struct buf out = { 0 };

	page_put_cell(&out, text, columns);
	assert_string_equal(buf_text(&out), expected);
}

TEST(a_cell_has_its_width)
{
	assert_cell("train", 8, "train   ");
	assert_cell("", 3, "   ");
	assert_cell("no columns", 0, "no columns");
}

TEST(a_blank_follows_a_text_that_fills_its_cell)
{
	assert_cell("api_server", 11, "api_server ");
	assert_cell("api_server", 10, "api_server ");
	assert_cell("api_server", 5, "api_server ");
}

static void assert_kept(const char *before, size_t height, size_t columns, const char *after)
{
	CLEANUP_BUF struct buf text = { 0 };

	buf_puts(&text, before);
	page_keep_entries(&text, 3, height, columns);
	assert_string_equal(buf_text(&text), after);
}

TEST(no_column_cuts_an_entry)
{
	static const char entries[] = "Head\n a\n   a\n b\n   b\n c\n";

	assert_kept(entries, 4, 2, "Head\n a\n   a\n\n b\n   b\n c\n");
	assert_kept(entries, 5, 2, entries);
	/* Not without scrolling: nothing moves. */
	assert_kept(entries, 4, 1, entries);
	assert_kept(entries, 2, 3, entries);
	assert_kept("", 4, 2, "");
}

TEST(a_heading_stays_with_its_first_entry)
{
	assert_kept(" a\nHead\n b\n", 2, 2, " a\n\nHead\n b\n");
	assert_kept(" a\nHead\n b\n   b\n", 3, 2, " a\n\n\nHead\n b\n   b\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cell_has_its_width),
		cmocka_unit_test(a_blank_follows_a_text_that_fills_its_cell),
		cmocka_unit_test(no_column_cuts_an_entry),
		cmocka_unit_test(a_heading_stays_with_its_first_entry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
