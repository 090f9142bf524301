#include "cli/fullscreen.h"

#include "basic/neighbour.h"

#include <unistd.h>

void fullscreen_execute(char **argv)
{
	if (!isatty(STDIN_FILENO))
		return;
	if (neighbour_execute("tt_smi-tui", argv) < 0)
		return; /* the caller does it without */
}
