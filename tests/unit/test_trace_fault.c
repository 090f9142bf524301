/* The table of tracing faults, and the documents that repeat it. */
#include "unit.h"

#include "basic/buf.h"
#include "basic/file.h"
#include "basic/trace_fault.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

static char *read_document(const char *name)
{
	struct buf text = { 0 };
	char path[512];

	snprintf(path, sizeof(path), TEST_FOLDER "/../../%s", name);
	assert_int_equal(file_read_all(AT_FDCWD, path, 1 << 20, &text), 0);
	return text.data;
}

static void assert_contains(const char *document, const char *text)
{
	if (!strstr(document, text))
		fail_msg("not found: %s", text);
}

TEST(each_fault_is_found_by_its_word)
{
	for (enum trace_fault i = TRACE_FAULT_NONE + 1; i < TRACE_FAULT_N; i++) {
		assert_int_equal(trace_fault_find(trace_fault_word(i)), i);
		assert_true(trace_fault_meaning(i)[0] && trace_fault_fix(i)[0]);
	}
	assert_int_equal(trace_fault_find(""), TRACE_FAULT_NONE);
	assert_int_equal(trace_fault_find("mesh "), TRACE_FAULT_NONE);
	assert_null(trace_fault_word(TRACE_FAULT_NONE));
}

TEST(numbers_of_faults_are_stable)
{
	static const char *const words[] = { "unknown-shape", "single-step", "missed-free",
					     "map-full",      "no-throw",    "mesh",
					     "no-answer" };

	for (unsigned i = 0; i < ARRAY_SIZE(words); i++)
		assert_int_equal(trace_fault_find(words[i]), i + 1);
}

TEST(the_documents_list_each_fault_with_its_meaning)
{
	CLEANUP_FREE char *page = read_document("docs/tracing.md");
	CLEANUP_FREE char *manual = read_document("man/tt_smi-trace.1");

	for (enum trace_fault i = TRACE_FAULT_NONE + 1; i < TRACE_FAULT_N; i++) {
		const char *word = trace_fault_word(i), *meaning = trace_fault_meaning(i);
		char text[256];

		snprintf(text, sizeof(text), "| `unreliable:%s` | %s |\n", word, meaning);
		assert_contains(page, text);
		snprintf(text, sizeof(text), ".It Cm %s\n%c%s.\n", word, toupper(meaning[0]),
			 meaning + 1);
		assert_contains(manual, text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_fault_is_found_by_its_word),
		cmocka_unit_test(numbers_of_faults_are_stable),
		cmocka_unit_test(the_documents_list_each_fault_with_its_meaning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
