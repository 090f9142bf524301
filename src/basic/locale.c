#include "basic/locale.h"

#include <langinfo.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* As setlocale(LC_CTYPE, "") finds it; "" if there is none. */
static const char *locale_name(void)
{
	static const char *const variables[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		const char *name = getenv(variables[i]);

		if (name && name[0])
			return name;
	}
	return "";
}

static bool names_utf8(const char *name)
{
	return strcasestr(name, "UTF-8") || strcasestr(name, "utf8");
}

static void load(void)
{
	if (!setlocale(LC_CTYPE, "") && names_utf8(locale_name()))
		setlocale(LC_CTYPE, "C.UTF-8");
}

void locale_load(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
}

bool locale_is_utf8(void)
{
	const char *name = locale_name();

	if (names_utf8(name))
		return true;
	if (!name[0] || strcmp(name, "C") == 0 || strcmp(name, "POSIX") == 0)
		return false;
	locale_load();
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}
