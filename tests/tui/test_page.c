/* Parts of pages. */
#include "basic/buf.h"
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cell_has_its_width),
		cmocka_unit_test(a_blank_follows_a_text_that_fills_its_cell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
