/* A text with several references, released in any order and by any thread. */
#include "basic/shared_text.h"
#include "unit.h"

#include <pthread.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 10000 };

/* A sanitizer or valgrind reports a text that was freed early, or never. */
TEST(a_text_lives_as_long_as_its_last_reference)
{
	char *first = shared_text_new(5), *second;

	assert_non_null(first);
	strcpy(first, "text");
	second = shared_text_ref(first);
	assert_ptr_equal(second, first);
	assert_null(shared_text_unref(first));
	assert_string_equal(second, "text");
	assert_null(shared_text_unref(second));
	assert_null(shared_text_unref(NULL));
}

static void *use(void *arg)
{
	char *text = arg;

	for (int i = 0; i < ROUNDS; i++)
		shared_text_unref(shared_text_ref(text));
	return shared_text_unref(text);
}

TEST(threads_may_share_a_text)
{
	char *text = shared_text_new(5);
	pthread_t threads[THREADS];

	assert_non_null(text);
	strcpy(text, "text");
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, use, shared_text_ref(text)), 0);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_string_equal(text, "text");
	shared_text_unref(text);
}

static char *text_of(const char *from)
{
	char *text = shared_text_new(strlen(from) + 1);

	assert_non_null(text);
	return strcpy(text, from);
}

TEST(equal_texts_become_one)
{
	char *first = shared_text_join(text_of("a command with words"));
	char *second = shared_text_join(text_of("a command with words"));
	char *other = shared_text_join(text_of("a command with other words"));

	assert_null(shared_text_join(NULL));
	assert_ptr_equal(second, first);
	assert_ptr_not_equal(other, first);
	shared_text_unref(first);
	assert_string_equal(second, "a command with words");
	shared_text_unref(second);
	/* After the last reference there is nothing to join. */
	second = shared_text_join(text_of("a command with words"));
	assert_string_equal(second, "a command with words");
	shared_text_unref(second);
	assert_string_equal(other, "a command with other words");
	shared_text_unref(other);
}

/* The last reference of one thread meets a join of another. */
static void *join_and_leave(void *arg)
{
	static const char *const words[] = { "one", "two", "eight bytes and more" };

	(void)arg;
	for (int i = 0; i < ROUNDS; i++) {
		const char *word = words[i % 3];
		char *text = shared_text_new(strlen(word) + 1);

		if (!text)
			return (void *)word;
		text = shared_text_join(strcpy(text, word));
		if (strcmp(text, word) != 0)
			return (void *)word;
		shared_text_unref(text);
	}
	return NULL;
}

TEST(threads_may_join_texts)
{
	pthread_t threads[THREADS];
	void *wrong;

	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, join_and_leave, NULL), 0);
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(threads[i], &wrong), 0);
		assert_null(wrong);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_lives_as_long_as_its_last_reference),
		cmocka_unit_test(threads_may_share_a_text),
		cmocka_unit_test(equal_texts_become_one),
		cmocka_unit_test(threads_may_join_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
