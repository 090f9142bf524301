#include "cli/fullscreen.h"

#include "basic/macros.h"
#include "libexec.h"

#include <stdio.h>
#include <string.h>

/* Beside this one, as in a build directory, or where it is installed. */
static const char *const places[] = { "tt_smi-tui", TT_SMI_LIBEXEC "/tt_smi-tui" };

void fullscreen_execute(char **argv)
{
	char self[4096], path[4200];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (n <= 0 || !isatty(STDIN_FILENO))
		return;
	self[n] = '\0';
	slash = strrchr(self, '/');
	if (!slash)
		return;
	*slash = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		snprintf(path, sizeof(path), "%s/%s", self, places[i]);
		execv(path, argv);
	}
}
