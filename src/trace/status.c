/* status: reads only files that every user may read. */
#include "trace/commands.h"

#include "trace/pins.h"
#include "trace/report.h"

#include "basic/file.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

/* Upper limit for the text of a file. */
#define TEXT_MAX (64UL << 20)

static void print_watcher(struct buf *out)
{
	pid_t watcher = report_watcher();

	if (watcher)
		buf_printf(out, "watcher     process %d\n", watcher);
	else
		buf_puts(out,
			 "watcher     none: programs that use a library which is not listed here "
			 "are not traced\n");
}

static int read_text(const char *path, struct buf *text)
{
	int r = file_read_all(AT_FDCWD, path, TEXT_MAX, text);

	return r < 0 ? print_error(exit_code(r), "%s: %s", path, strerror(-r)) : 0;
}

int command_status(const struct trace_options *options)
{
	CLEANUP_BUF struct buf report = { 0 }, table = { 0 }, out = { 0 };
	int code, r = pins_are_there();

	(void)options;
	if (r < 0)
		return print_error(exit_code(r), "%s: %s", PINS_ALLOCATIONS, strerror(-r));
	if (r == 0) {
		puts("not loaded");
		return fflush(stdout) ? print_error(EXIT_OUTPUT, "cannot write standard output")
				      : EXIT_NOT_LOADED;
	}
	/* It does not exist before the first scan of the tracer has ended. */
	code = access(REPORT_FILE, F_OK) == 0 ? read_text(REPORT_FILE, &report) : 0;
	if (!code)
		code = read_text(PINS_ALLOCATIONS, &table);
	if (code)
		return code;
	buf_puts(&out, buf_text(&report));
	print_watcher(&out);
	buf_putc(&out, '\n');
	buf_puts(&out, buf_text(&table));
	if (fputs(buf_text(&out), stdout) < 0 || fflush(stdout))
		return print_error(EXIT_OUTPUT, "cannot write standard output");
	return EXIT_FINE;
}
