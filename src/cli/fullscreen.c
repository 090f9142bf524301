#include "cli/fullscreen.h"

#include "basic/sibling_program.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void fullscreen_execute(const char *command, int argc, char **argv)
{
	static char program[] = "tt_smi-tui";
	CLEANUP_FREE char **words = calloc((size_t)argc + 2, sizeof(*words));
	CLEANUP_FREE char *name = strdup(command);

	if (!isatty(STDIN_FILENO) || !words || !name)
		return;
	words[0] = program;
	words[1] = name;
	for (int i = 1; i < argc; i++)
		words[i + 1] = argv[i];
	if (sibling_program_execute(program, words) < 0)
		return; /* the caller refreshes in place instead */
}
