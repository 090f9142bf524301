/* The text buffer and its sticky failure. */
#include "basic/buf.h"
#include "unit.h"

TEST(an_empty_buffer_reads_as_empty_text)
{
	struct buf b = { 0 };

	assert_string_equal(buf_text(&b), "");
	buf_puts(&b, "");
	assert_string_equal(buf_text(&b), "");
	assert_int_equal(b.length, 0);
	buf_done(&b);
	assert_null(b.data);
}

TEST(pieces_of_every_kind_follow_each_other)
{
	CLEANUP_BUF struct buf b = { 0 };

	buf_puts(&b, "one ");
	buf_putc(&b, '2');
	buf_fill(&b, '-', 3);
	buf_fill(&b, 'x', 0);
	buf_repeat(&b, "<>", 2);
	buf_repeat(&b, "x", 0);
	buf_repeat(&b, "", 5);
	buf_add(&b, "a\0b", 3);
	buf_printf(&b, "%d|%s", 7, "end");
	assert_int_equal(b.length, 20);
	assert_memory_equal(b.data, "one 2---<><>a\0b7|end", 21);
	assert_false(b.failed);
}

TEST(growth_keeps_what_was_there_at_every_length)
{
	CLEANUP_BUF struct buf b = { 0 };

	for (size_t i = 0; i < 5000; i++) {
		buf_putc(&b, (char)('a' + i % 26));
		assert_int_equal(b.length, i + 1);
		assert_int_equal(b.data[i + 1], '\0');
		assert_true(b.length < b.size);
	}
	for (size_t i = 0; i < 5000; i++)
		assert_int_equal(b.data[i], 'a' + i % 26);
}

TEST(a_text_that_just_fits_and_one_byte_more)
{
	for (size_t length = 250; length < 262; length++) {
		CLEANUP_BUF struct buf b = { 0 };
		char text[300];

		memset(text, 'y', length);
		text[length] = '\0';
		buf_printf(&b, "%s", text);
		buf_putc(&b, 'z');
		assert_int_equal(b.length, length + 1);
		assert_int_equal(strlen(b.data), length + 1);
	}
}

TEST(reset_empties_and_keeps_the_memory)
{
	CLEANUP_BUF struct buf b = { 0 };
	size_t size;

	buf_fill(&b, 'x', 1000);
	size = b.size;
	buf_reset(&b);
	assert_int_equal(b.length, 0);
	assert_int_equal(b.size, size);
	assert_string_equal(buf_text(&b), "");
}

TEST(a_failure_is_sticky_and_leaves_no_text)
{
	struct buf b = { 0 };

	buf_puts(&b, "before");
	buf_fill(&b, 'x', SIZE_MAX / 2); /* more than the address space */
	assert_true(b.failed);
	buf_puts(&b, "after");
	buf_printf(&b, "%d", 1);
	assert_true(b.failed);
	assert_int_equal(b.length, 0);
	assert_string_equal(buf_text(&b), "");
	buf_reset(&b);
	buf_puts(&b, "again");
	assert_string_equal(buf_text(&b), "again");
	buf_done(&b);
	buf_repeat(&b, "xy", SIZE_MAX / 2 + 1); /* more than can be counted */
	assert_true(b.failed);
	buf_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_buffer_reads_as_empty_text),
		cmocka_unit_test(pieces_of_every_kind_follow_each_other),
		cmocka_unit_test(growth_keeps_what_was_there_at_every_length),
		cmocka_unit_test(a_text_that_just_fits_and_one_byte_more),
		cmocka_unit_test(reset_empties_and_keeps_the_memory),
		cmocka_unit_test(a_failure_is_sticky_and_leaves_no_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
