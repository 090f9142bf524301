#include "cli/fullscreen.h"

#include "basic/exit_code.h"
#include "basic/sibling_program.h"
#include "cli/error_line.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char program[] = "tt_smi-tui";

static int (*linked)(int argc, char **argv);

void fullscreen_link(int (*screen)(int argc, char **argv))
{
	linked = screen;
}

/* Messages name the command in the same way as those of the separate program. */
static int run_linked(int count, char **words)
{
	program_invocation_name = program_invocation_short_name = words[0];
	return linked(count, words);
}

void fullscreen_execute(const char *command, int argc, char **argv)
{
	CLEANUP_FREE char **words = calloc((size_t)argc + 2, sizeof(*words));
	CLEANUP_FREE char *name = strdup(command);

	if (!isatty(STDIN_FILENO) || !words || !name)
		return;
	words[0] = program;
	words[1] = name;
	for (int i = 1; i < argc; i++)
		words[i + 1] = argv[i];
	if (linked)
		exit(run_linked(argc + 1, words));
	if (sibling_program_execute(program, words) < 0)
		return; /* the caller refreshes in place instead */
}

/* Returns its exit status, or an exit code after an error message. */
static int run_and_wait(const char *path, char **words)
{
	int status = 0;
	pid_t child;
	int r = posix_spawn(&child, path, NULL, NULL, words, environ);

	if (r)
		return error_line(EXIT_INTERNAL, "%s: %s", path, strerror(r));
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return error_line(EXIT_INTERNAL, "%s: %s", path, strerror(errno));
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_INTERNAL;
}

int fullscreen_check_settings(const char *const *settings, unsigned count)
{
	CLEANUP_FREE char **words = calloc((size_t)count + 3, sizeof(*words));
	char path[PATH_MAX];

	if (!count || (!linked && sibling_program_find(program, path, sizeof(path)) < 0))
		return 0;
	if (!words)
		return error_line(EXIT_INTERNAL, "out of memory");
	words[0] = program;
	words[1] = (char[]){ "settings" };
	for (unsigned i = 0; i < count; i++)
		words[i + 2] = (char *)settings[i]; /* posix_spawn() does not change it */
	return linked ? linked((int)count + 2, words) : run_and_wait(path, words);
}
