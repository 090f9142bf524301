#include "basic/locale.h"
#include "unit.h"

#include <stdlib.h>

static bool is_utf8(const char *all, const char *ctype, const char *lang)
{
	setenv("LC_ALL", all, 1);
	setenv("LC_CTYPE", ctype, 1);
	setenv("LANG", lang, 1);
	return locale_is_utf8();
}

TEST(the_name_of_the_locale_decides)
{
	assert_true(is_utf8("C.UTF-8", "", ""));
	assert_true(is_utf8("", "en_US.utf8", "C"));
	assert_true(is_utf8("", "", "de_DE.UTF-8@euro"));
	assert_true(is_utf8("xx_YY.UTF-8", "", "")); /* not installed */
	assert_false(is_utf8("C", "C.UTF-8", "C.UTF-8"));
	assert_false(is_utf8("", "POSIX", "C.UTF-8"));
	assert_false(is_utf8("", "", ""));
	assert_false(is_utf8("", "", "de_DE.ISO-8859-1"));
	assert_false(is_utf8("", "", "xx_YY"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_name_of_the_locale_decides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
