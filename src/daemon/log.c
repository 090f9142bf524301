#include "daemon/log.h"

#include "basic/buf.h"
#include "basic/clock.h"
#include "basic/text.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Lines that clients can cause, per second. */
static const unsigned rations[] = { [LOG_REFUSAL] = 100, [LOG_EVENT] = 20000 };

static enum log_level log_most = LOG_NOTE;
static int64_t ration_from;
static unsigned ration_used[ARRAY_SIZE(rations)], left_out;

void log_set(enum log_level most)
{
	log_most = most;
}

/* A reader of the log that stalls loses lines; it does not stall the server. */
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
			left_out++;
			return;
		}
		/* So much never waits once there is room at all: pipe(7). */
		n = write(STDERR_FILENO, text, MIN(length, PIPE_BUF));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return; /* nowhere to say that */
		text += n;
		length -= (size_t)n;
	}
}

static void put_left_out(void)
{
	char line[80];
	int n = snprintf(line, sizeof(line), "tt_allocd: %u lines were left out\n", left_out);

	left_out = 0;
	put(line, (size_t)n);
}

static bool ration_allows(enum log_level level)
{
	int64_t now;

	if (level == LOG_FAULT || level == LOG_NOTE)
		return true;
	now = clock_now(CLOCK_MONOTONIC);
	if (now - ration_from >= NS_PER_S) {
		if (left_out)
			put_left_out();
		ration_from = now;
		memset(ration_used, 0, sizeof(ration_used));
	}
	if (ration_used[level] >= rations[level]) {
		left_out++;
		return false;
	}
	ration_used[level]++;
	return true;
}

void log_line(enum log_level level, const char *format, ...)
{
	CLEANUP_BUF struct buf clean = { 0 };
	char line[512];
	va_list args;
	int n;

	if (level > log_most || !ration_allows(level))
		return;
	va_start(args, format);
	n = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (n < 0)
		return;
	buf_puts(&clean, "tt_allocd: ");
	text_clean(&clean, line, MIN((size_t)n, sizeof(line) - 1), true);
	buf_putc(&clean, '\n');
	if (!clean.failed)
		put(clean.data, clean.length);
}

void log_text(const char *text, size_t length)
{
	put(text, length);
}
