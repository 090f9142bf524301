#include "daemon/log.h"

#include "basic/buf.h"
#include "basic/text.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static enum log_level log_most = LOG_NOTE;
static unsigned lost; /* lines dropped because standard error was full */

void log_set(enum log_level most)
{
	log_most = most;
}

bool log_writes(enum log_level level)
{
	return level <= log_most;
}

unsigned log_take_lost(void)
{
	unsigned count = lost;

	lost = 0;
	return count;
}

/* If the reader of the log stalls, lines are dropped; the server does not wait. */
static bool log_has_room(void)
{
	struct pollfd ready = { .fd = STDERR_FILENO, .events = POLLOUT };

	return poll(&ready, 1, 0) > 0 && ready.revents & POLLOUT;
}

static void put(const char *text, size_t length)
{
	while (length > 0) {
		ssize_t n;

		if (!log_has_room()) {
			lost++;
			return;
		}
		/*
		 * Once poll() reports room, a write of up to PIPE_BUF bytes does not block:
		 * pipe(7).
		 */
		n = write(STDERR_FILENO, text, MIN(length, PIPE_BUF));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return; /* there is nowhere to report that */
		text += n;
		length -= (size_t)n;
	}
}

void log_text(enum log_level level, const char *format, va_list args)
{
	CLEANUP_BUF struct buf clean = { 0 };
	char line[512];
	int n;

	if (level > log_most)
		return;
	n = vsnprintf(line, sizeof(line), format, args);
	if (n < 0)
		return;
	buf_puts(&clean, "tt_allocd: ");
	text_clean(&clean, line, MIN((size_t)n, sizeof(line) - 1), true);
	buf_putc(&clean, '\n');
	if (!clean.failed)
		put(clean.data, clean.length);
}

void log_line(enum log_level level, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	log_text(level, format, args);
	va_end(args);
}
