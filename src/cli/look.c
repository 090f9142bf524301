#include "cli/look.h"

#include "basic/locale.h"
#include "basic/macros.h"
#include "version.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
	MIN_COLUMNS = 80,
	DEFAULT_COLUMNS = 102, /* the width of the original tt_smi */
	MAX_COLUMNS = 1000,
};

static unsigned terminal_columns(void)
{
	const char *text = getenv("COLUMNS");
	struct winsize size;
	unsigned columns = 0;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
		columns = size.ws_col;
	if (columns == 0 && text)
		columns = (unsigned)strtoul(text, NULL, 10);
	return columns ? columns : DEFAULT_COLUMNS;
}

/* Precedence: option, NO_COLOR, terminal. */
static bool decide_color(enum color color, bool to_stdout)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (color != COLOR_AUTO)
		return color == COLOR_ALWAYS;
	if ((no_color && no_color[0]) || !term || strcmp(term, "dumb") == 0)
		return false;
	return to_stdout && isatty(STDOUT_FILENO);
}

/* The path by which the program was called, which the user can repeat; our other programs are in
 * the same folder. */
static const char *command_name(void)
{
	static char path[PATH_MAX];
	const char *slash = strrchr(program_invocation_name, '/');

	if (!slash)
		return "tt_smi";
	snprintf(path, sizeof(path), "%.*s/tt_smi", (int)(slash - program_invocation_name),
		 program_invocation_name);
	return path;
}

struct render_options look_decide(enum color color, bool ascii, bool to_stdout)
{
	unsigned columns = to_stdout ? terminal_columns() : DEFAULT_COLUMNS;

	return (struct render_options){
		.version = TT_SMI_VERSION,
		.command = command_name(),
		.can_trace = TT_HAS_TRACE,
		.utf8 = !ascii && locale_is_utf8(),
		.color = decide_color(color, to_stdout),
		.columns = MIN(MAX(columns, MIN_COLUMNS), MAX_COLUMNS),
	};
}
