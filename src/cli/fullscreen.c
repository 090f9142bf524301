#include "cli/fullscreen.h"

#include "basic/sibling_program.h"

#include <unistd.h>

void fullscreen_execute(char **argv)
{
	if (!isatty(STDIN_FILENO))
		return;
	if (sibling_program_execute("tt_smi-tui", argv) < 0)
		return; /* the caller does it without */
}
