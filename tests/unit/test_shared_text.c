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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_lives_as_long_as_its_last_reference),
		cmocka_unit_test(threads_may_share_a_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
