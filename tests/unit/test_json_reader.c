/* The JSON reader: all of RFC 8259, and nothing else. */
#include "basic/json_reader.h"
#include "unit.h"

/* Reads a whole document. The last token: TOKEN_END or TOKEN_INVALID. */
static enum json_token read_all(const char *text)
{
	struct json_reader reader = json_reader_make(text, strlen(text));
	enum json_token token;

	do
		token = json_next(&reader);
	while (token != TOKEN_END && token != TOKEN_INVALID);
	assert_int_equal(json_next(&reader), token == TOKEN_END ? TOKEN_END : TOKEN_INVALID);
	json_reader_done(&reader);
	return token;
}

static void expect_read(const char *text, const char *expected, size_t length)
{
	struct json_reader reader = json_reader_make(text, strlen(text));

	assert_int_equal(json_next(&reader), TOKEN_STRING);
	assert_int_equal(reader.text.length, length);
	assert_memory_equal(buf_text(&reader.text), expected, length);
	assert_int_equal(json_next(&reader), TOKEN_END);
	json_reader_done(&reader);
}

TEST(tokens_come_in_their_order)
{
	static const char text[] =
		" { \"a\" : [ 1 , -2.5e+3 , true , null ] , \"b\" : { } , \"c\" : false } ";
	static const struct {
		enum json_token token;
		const char *text;
	} expected[] = {
		{ TOKEN_OBJECT, NULL }, { TOKEN_KEY, "a" },	    { TOKEN_ARRAY, NULL },
		{ TOKEN_NUMBER, "1" },	{ TOKEN_NUMBER, "-2.5e3" }, { TOKEN_TRUE, NULL },
		{ TOKEN_NULL, NULL },	{ TOKEN_ARRAY_END, NULL },  { TOKEN_KEY, "b" },
		{ TOKEN_OBJECT, NULL }, { TOKEN_OBJECT_END, NULL }, { TOKEN_KEY, "c" },
		{ TOKEN_FALSE, NULL },	{ TOKEN_OBJECT_END, NULL }, { TOKEN_END, NULL },
	};
	struct json_reader reader = json_reader_make(text, strlen(text));

	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		assert_int_equal(json_next(&reader), expected[i].token);
		if (expected[i].text)
			assert_string_equal(buf_text(&reader.text), expected[i].text);
	}
	json_reader_done(&reader);
}

TEST(documents_that_are_json)
{
	static const char *const texts[] = {
		"{}",	"[]",	"[[],{}]", "0",		"-0",	    "1e5",
		"1E-5", "\"\"", "true",	   "\t[\r\n1]", "{\"\":0}", "12345678901234567890"
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_int_equal(read_all(texts[i]), TOKEN_END);
}

TEST(documents_that_are_not_json)
{
	static const char *const texts[] = {
		"",	     " ",	  "{",	      "}",     "[1,]",	  "[,1]", "{\"a\":1,}",
		"{a:1}",     "{\"a\" 1}", "{\"a\":}", "[1 2]", "01",	  "1.",	  ".5",
		"+1",	     "1e",	  "-",	      "tru",   "nullx",	  "\"a",  "\"\\x\"",
		"\"\\u12\"", "\"\n\"",	  "[]]",      "{} {}", "'a'",	  "[1}",  "{\"a\":1]",
		"NaN",	     "Infinity",  "/**/1",    "{1:2}", "{\"a\"}", "\"\\", "\"\\ud8",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_int_equal(read_all(texts[i]), TOKEN_INVALID);
}

TEST(escapes_are_resolved)
{
	expect_read("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", 8);
	expect_read("\"\\u0041\\u00e9\\u20AC\\ud83d\\ude00\"",
		    "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 10);
}

/* They become U+FFFD: a bad label of one machine must not make the answer about all unreadable. */
TEST(characters_that_cannot_be_are_replaced)
{
	expect_read("\"a\\u0000b\"",
		    "a\xef\xbf\xbd"
		    "b",
		    5);
	expect_read("\"\\ud83dx\"", "\xef\xbf\xbdx", 4);
	expect_read("\"\\ude00\"", "\xef\xbf\xbd", 3);
	expect_read("\"\\ud83d\\u0041\"",
		    "\xef\xbf\xbd"
		    "A",
		    4);
	expect_read("\"\xff\xc3\"", "\xef\xbf\xbd\xef\xbf\xbd", 6);
}

TEST(depth_is_limited)
{
	char text[2 * JSON_MAX_DEPTH + 3] = "";

	memset(text, '[', JSON_MAX_DEPTH);
	memset(text + JSON_MAX_DEPTH, ']', JSON_MAX_DEPTH);
	assert_int_equal(read_all(text), TOKEN_END);
	memset(text, '[', JSON_MAX_DEPTH + 1);
	memset(text + JSON_MAX_DEPTH + 1, ']', JSON_MAX_DEPTH + 1);
	assert_int_equal(read_all(text), TOKEN_INVALID);
}

TEST(values_of_all_kinds_are_skipped)
{
	static const char text[] = "{\"a\":{\"x\":[1,{}]},\"b\":7,\"c\":[[]],\"d\":\"e\"}";
	struct json_reader reader = json_reader_make(text, strlen(text));

	assert_true(json_expect(&reader, TOKEN_OBJECT));
	for (const char *key = "abcd"; *key; key++) {
		assert_true(json_expect(&reader, TOKEN_KEY));
		assert_int_equal(buf_text(&reader.text)[0], *key);
		if (*key == 'a' || *key == 'd') {
			assert_true(json_skip(&reader)); /* from the key on */
		} else {
			assert_true(json_next(&reader) != TOKEN_INVALID);
			assert_true(json_skip(&reader));
		}
	}
	assert_true(json_expect(&reader, TOKEN_OBJECT_END));
	assert_true(json_expect(&reader, TOKEN_END));
	json_reader_done(&reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tokens_come_in_their_order),
		cmocka_unit_test(documents_that_are_json),
		cmocka_unit_test(documents_that_are_not_json),
		cmocka_unit_test(escapes_are_resolved),
		cmocka_unit_test(characters_that_cannot_be_are_replaced),
		cmocka_unit_test(depth_is_limited),
		cmocka_unit_test(values_of_all_kinds_are_skipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
