#include "cli/error_line.h"

#include "basic/buf.h"
#include "basic/text.h"

#include <stdio.h>
#include <stdarg.h>

/*
 * Uses a single write, so that lines of several processes are not interleaved. Arguments may
 * contain any bytes.
 */
int error_line(int code, const char *format, ...)
{
	CLEANUP_BUF struct buf line = { 0 };
	char text[2048];
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	buf_puts(&line, "tt_smi: ");
	text_clean(&line, text, n < 0 ? 0 : MIN((size_t)n, sizeof(text) - 1), true);
	buf_putc(&line, '\n');
	fputs(buf_text(&line), stderr);
	return code;
}
