#include "cli/look.h"

#include "basic/macros.h"
#include "version.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
	MIN_COLUMNS = 80,
	DEFAULT_COLUMNS = 102, /* the box of the first tool */
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

/* Option, then NO_COLOR, then terminal. */
static bool decide_color(enum color color, bool to_stdout)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (color != COLOR_AUTO)
		return color == COLOR_ALWAYS;
	if ((no_color && no_color[0]) || !term || strcmp(term, "dumb") == 0)
		return false;
	return to_stdout && isatty(STDOUT_FILENO);
}

struct render_options look_decide(enum color color, bool ascii, bool to_stdout)
{
	unsigned columns = to_stdout ? terminal_columns() : DEFAULT_COLUMNS;

	return (struct render_options){
		.version = TT_SMI_VERSION,
		.utf8 = !ascii && strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
		.color = decide_color(color, to_stdout),
		.columns = MIN(MAX(columns, MIN_COLUMNS), MAX_COLUMNS),
	};
}

void look_set_locale(void)
{
	const char *wanted = getenv("LC_ALL");

	if (setlocale(LC_CTYPE, ""))
		return;
	if (!wanted || !wanted[0])
		wanted = getenv("LC_CTYPE");
	if (!wanted || !wanted[0])
		wanted = getenv("LANG");
	if (wanted && (strstr(wanted, "UTF-8") || strstr(wanted, "utf8")))
		setlocale(LC_CTYPE, "C.UTF-8");
}
