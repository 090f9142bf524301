/* Foreign text: decoded strictly, cleaned, measured. */
#include "basic/text.h"
#include "unit.h"

#include <locale.h>
#include <stdlib.h>

static bool has_utf8;

/*
 * Width and cleaning depend on the locale, which they take from the environment; without a UTF-8
 * locale, those tests are skipped.
 */
static int find_locale(void **state)
{
	const char *name = setlocale(LC_CTYPE, "C.UTF-8") ? "C.UTF-8" : "en_US.UTF-8";

	(void)state;
	setenv("LC_ALL", name, 1);
	has_utf8 = setlocale(LC_CTYPE, name);
	return 0;
}

static uint32_t decode(const char *text, size_t length, size_t *ret_length)
{
	uint32_t c = 0xDEAD;

	*ret_length = utf8_decode(text, length, &c);
	return c;
}

TEST(characters_of_every_length_are_decoded)
{
	static const struct {
		const char *text;
		uint32_t c;
	} good[] = {
		{ "A", 'A' },
		{ "\x7F", 0x7F },
		{ "\xC2\x80", 0x80 },
		{ "\xDF\xBF", 0x7FF },
		{ "\xE0\xA0\x80", 0x800 },
		{ "\xED\x9F\xBF", 0xD7FF },
		{ "\xEE\x80\x80", 0xE000 },
		{ "\xEF\xBF\xBF", 0xFFFF },
		{ "\xF0\x90\x80\x80", 0x10000 },
		{ "\xF4\x8F\xBF\xBF", 0x10FFFF },
	};

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		CLEANUP_BUF struct buf out = { 0 };
		size_t n;

		assert_int_equal(decode(good[i].text, strlen(good[i].text), &n), good[i].c);
		assert_int_equal(n, strlen(good[i].text));
		utf8_encode(&out, good[i].c);
		assert_string_equal(buf_text(&out), good[i].text);
	}
}

TEST(invalid_utf8_is_not_decoded)
{
	static const char *const bad[] = {
		"\x80",
		"\xBF", /* continuation alone */
		"\xC0\x80",
		"\xC1\xBF", /* overlong */
		"\xE0\x80\x80",
		"\xE0\x9F\xBF", /* overlong */
		"\xF0\x80\x80\x80",
		"\xF0\x8F\xBF\xBF", /* overlong */
		"\xED\xA0\x80",
		"\xED\xBF\xBF", /* surrogates */
		"\xF4\x90\x80\x80",
		"\xF5\x80\x80\x80", /* beyond U+10FFFF */
		"\xF8\x88\x80\x80",
		"\xFE",
		"\xFF",
		"\xC2",
		"\xE2\x82",
		"\xF0\x9F\x98",
		"\xC2\x20",
		"\xE2\x28\xA1",
		"\xF0\x28\x8C\xBC",
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		size_t n;

		assert_int_equal(decode(bad[i], strlen(bad[i]), &n), 0xDEAD);
		assert_int_equal(n, 0);
	}
}

TEST(nothing_is_read_past_the_length)
{
	size_t n;

	decode("\xE2\x82\xAC", 2, &n);
	assert_int_equal(n, 0);
	decode("A", 0, &n);
	assert_int_equal(n, 0);
}

TEST(every_valid_character_survives_a_round_trip)
{
	for (uint32_t c = 0; c <= 0x10FFFF; c += c < 0x3000 ? 1 : 97) {
		CLEANUP_BUF struct buf out = { 0 };
		size_t n;

		if (c >= 0xD800 && c <= 0xDFFF)
			continue;
		utf8_encode(&out, c);
		assert_int_equal(decode(out.data, out.length, &n), c);
		assert_int_equal(n, out.length);
	}
}

static void assert_cleaned(const char *text, size_t length, bool utf8, const char *expected)
{
	CLEANUP_BUF struct buf out = { 0 };

	text_clean(&out, text, length, utf8);
	assert_string_equal(buf_text(&out), expected);
}

#define CLEANED(text, utf8, expected) assert_cleaned(text, sizeof(text) - 1, utf8, expected)

TEST(control_characters_become_one_replacement_each)
{
	CLEANED("a\033[2Jb\r\n\t\a", false, "a?[2Jb????");
	CLEANED("a\0b", false, "a?b");
	CLEANED("\x7F", false, "?");
	CLEANED("\xC2\x9B"
		"31m",
		false, "?31m"); /* C1: CSI in one character */
	CLEANED("", false, "");
}

TEST(without_utf8_everything_else_is_a_question_mark)
{
	CLEANED("caf\xC3\xA9 \xE2\x94\x82 \xFF\xFE", false, "caf? ? ??");
}

TEST(clean_utf8_keeps_letters_and_replaces_the_rest)
{
	if (!has_utf8)
		skip();
	CLEANED("caf\xC3\xA9 \xE6\xBC\xA2", true, "caf\xC3\xA9 \xE6\xBC\xA2");
	CLEANED("x\xFFy", true, "x\xEF\xBF\xBDy");
	CLEANED("\xE2\x80\xAE"
		"gpj.exe",
		true, "\xEF\xBF\xBDgpj.exe");
	CLEANED("a\xE2\x82", true, "a\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(characters_that_hide_or_reorder_are_not_plain)
{
	static const uint32_t unsafe[] = {
		0x00,	0x1B,	0x7F,	0x80,	0x9B,	0x9F,	 0x061C,  0x180E, 0x200B,
		0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202E,	 0x2060,  0x2064, 0x2066,
		0x2069, 0x206F, 0xFEFF, 0xFFF9, 0xFFFB, 0xE0001, 0xE007F, 0x00AD, 0x034F,
		0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180F,	 0x3164,  0xFFA0,
	};
	static const uint32_t plain[] = { ' ', '~', 0xA0, 0xE9, 0x2500, 0x6F22, 0x1F600, 0xFFFD };

	for (size_t i = 0; i < ARRAY_SIZE(unsafe); i++)
		assert_false(text_is_plain(unsafe[i]));
	for (size_t i = 0; i < ARRAY_SIZE(plain); i++)
		assert_true(text_is_plain(plain[i]));
}

TEST(our_own_texts_are_simple)
{
	size_t width;

	assert_true(text_is_simple("73°C █", 9, true, &width));
	assert_int_equal(width, 6);
	assert_false(text_is_simple("73°C", 5, false, &width));
	assert_false(text_is_simple("73\xC2\xB0", 3, true, &width)); /* cut */
	assert_false(text_is_simple("\xC2\xB1", 2, true, &width));
	assert_false(text_is_simple("a\tb", 3, true, &width));
}

TEST(wide_and_combining_characters_take_two_columns_and_none)
{
	if (!has_utf8)
		skip();
	assert_int_equal(text_width("abc", 3), 3);
	assert_int_equal(text_width("\xE6\xBC\xA2\xE5\xAD\x97", 6), 4);
	assert_int_equal(text_width("e\xCC\x81", 3), 1);
	assert_int_equal(text_width("\xE2\x94\x82", 3), 1);
	assert_int_equal(text_width("", 0), 0);
}

TEST(text_is_truncated_before_a_character_that_does_not_fit)
{
	static const char wide[] = "a\xE6\xBC\xA2z"; /* 1 + 2 + 1 columns, 1 + 3 + 1 bytes */

	assert_int_equal(text_fit("abc", 3, 0), 0);
	assert_int_equal(text_fit("abc", 3, 2), 2);
	assert_int_equal(text_fit("abc", 3, 9), 3);
	if (!has_utf8)
		skip();
	assert_int_equal(text_fit(wide, 5, 2), 1);
	assert_int_equal(text_fit(wide, 5, 3), 4);
	assert_int_equal(text_fit("e\xCC\x81x", 4, 1), 3); /* the accent stays with its letter */
}

TEST(width_and_fit_agree_on_random_bytes)
{
	uint64_t seed = 4711;

	for (unsigned turn = 0; turn < 2000; turn++) {
		CLEANUP_BUF struct buf out = { 0 };
		char bytes[40];
		size_t width;

		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = (char)random_next(&seed);
		text_clean(&out, bytes, sizeof(bytes), has_utf8);
		width = text_width(out.data, out.length);
		assert_int_equal(text_fit(out.data, out.length, width), out.length);
		for (size_t columns = 0; columns < width; columns++) {
			size_t fits = text_fit(out.data, out.length, columns);

			assert_true(text_width(out.data, fits) <= columns);
		}
	}
}

TEST(a_copy_is_truncated_to_its_buffer)
{
	char copy[4] = "zzz";

	text_copy(copy, sizeof(copy), "ab");
	assert_string_equal(copy, "ab");
	text_copy(copy, sizeof(copy), "abcdef");
	assert_string_equal(copy, "abc");
	text_copy(copy, 1, "a");
	assert_string_equal(copy, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(characters_of_every_length_are_decoded),
		cmocka_unit_test(invalid_utf8_is_not_decoded),
		cmocka_unit_test(nothing_is_read_past_the_length),
		cmocka_unit_test(every_valid_character_survives_a_round_trip),
		cmocka_unit_test(control_characters_become_one_replacement_each),
		cmocka_unit_test(without_utf8_everything_else_is_a_question_mark),
		cmocka_unit_test(clean_utf8_keeps_letters_and_replaces_the_rest),
		cmocka_unit_test(characters_that_hide_or_reorder_are_not_plain),
		cmocka_unit_test(our_own_texts_are_simple),
		cmocka_unit_test(wide_and_combining_characters_take_two_columns_and_none),
		cmocka_unit_test(text_is_truncated_before_a_character_that_does_not_fit),
		cmocka_unit_test(width_and_fit_agree_on_random_bytes),
		cmocka_unit_test(a_copy_is_truncated_to_its_buffer),
	};

	return cmocka_run_group_tests(tests, find_locale, NULL);
}
