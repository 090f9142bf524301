#include "basic/buf.h"
#include "cli/exit.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/say.h"
#include "cli/show.h"
#include "render/csv.h"
#include "version.h"

#include <langinfo.h>
#include <locale.h>
#include <string.h>

/* Help and version go where data goes. */
static int print(const struct buf *text)
{
	struct output output;
	int r;

	r = output_open(&output, NULL, true);
	if (r >= 0)
		r = output_write(&output, text);
	return r < 0 ? say(EXIT_OUTPUT, "cannot write standard output: %s", strerror(-r)) : 0;
}

static int run(const struct options *options)
{
	CLEANUP_BUF struct buf text = { 0 };

	switch (options->mode) {
	case MODE_HELP: options_help(&text); break;
	case MODE_HELP_QUERY: query_help(&text, options->help_kind); break;
	case MODE_VERSION: buf_printf(&text, "tt_smi %s\n", TT_SMI_VERSION); break;
	case MODE_TABLE:
	case MODE_LIST:
	case MODE_DETAIL:
	case MODE_JSON:
	case MODE_QUERY:
	case MODE_VENDOR: return show(options);
	}
	return print(&text);
}

/* A locale that is asked for but not installed still says what the terminal speaks. */
static void set_locale(void)
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

int main(int argc, char **argv)
{
	struct options options;
	int code;

	set_locale();
	code = options_parse(&options, argc, argv);
	if (code == 0)
		code = run(&options);
	options_done(&options);
	return code;
}
