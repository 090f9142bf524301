#include "preload/start.h"

#include "alloc/process.h"
#include "basic/macros.h"
#include "basic/parse.h"
#include "proto/preload.h"
#include "proto/table.h"

#include <dlfcn.h>
#include <string.h>

static bool quiet;
static uint32_t only; /* the only process that counts; 0: all do */

bool start_is_quiet(void)
{
	return quiet;
}

bool start_is_counted(void)
{
	return only == 0 || only == (uint32_t)getpid();
}

/* Removes a path from a list that is separated by colons or blanks, in place. */
static void list_remove(char *list, const char *path)
{
	size_t wanted = strlen(path);
	char *to = list;

	for (char *from = list; *from;) {
		size_t length = strcspn(from, ": ");
		size_t step = length + (from[length] != '\0');

		if (length != wanted || strncmp(from, path, wanted) != 0) {
			memmove(to, from, step);
			to += step;
		}
		from += step;
	}
	if (to > list && strchr(": ", to[-1]))
		to--;
	*to = '\0';
}

/* Without unsetenv(): a program may define its own, which is not initialised yet (bash). */
static void environment_remove(const char *name)
{
	size_t length = strlen(name);
	char **to = environ;

	if (!environ)
		return;
	for (char **from = environ; *from; from++)
		if (strncmp(*from, name, length) != 0 || (*from)[length] != '=')
			*to++ = *from;
	*to = NULL;
}

/*
 * Removes the library from the environment of a child that is not counted, so that the programs
 * which it executes start without it.
 */
static void leave_environment(void)
{
	char *list = getenv(PRELOAD_LIST);
	Dl_info self;

	if (list && dladdr((void *)(uintptr_t)leave_environment, &self) && self.dli_fname) {
		list_remove(list, self.dli_fname);
		if (!*list)
			environment_remove(PRELOAD_LIST);
	}
	environment_remove(PRELOAD_ONLY);
	environment_remove(PRELOAD_QUIET);
}

/* Before the constructors without a priority, which ask the functions above. */
__attribute__((constructor(1000))) static void start(void)
{
	const char *text = getenv(PRELOAD_QUIET);

	quiet = text && *text && strcmp(text, "0") != 0;
	text = getenv(PRELOAD_ONLY);
	if (text && parse_u32(text, &only) < 0)
		only = 0;
	process_set_flags(TABLE_PRELOAD);
	if (!start_is_counted())
		leave_environment();
}
