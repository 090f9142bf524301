#include "daemon/log.h"

#include "basic/buf.h"
#include "basic/clock.h"
#include "basic/text.h"
#include "daemon/loop.h"
#include "daemon/users.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Events are asked for with --verbose: so many times the ration of other kinds. */
enum { VERBOSE_FACTOR = 200 };

static const struct {
	const char *name;
	enum log_level level;
} kinds[LOG_KINDS] = {
	[LOG_REFUSED] = { "refusals", LOG_REFUSAL },
	[LOG_IGNORED] = { "ignored records", LOG_REFUSAL },
	[LOG_EXCEEDED] = { "limits", LOG_REFUSAL },
	[LOG_DUMPS] = { "dumps", LOG_NOTE },
	[LOG_PROGRAMS] = { "programs", LOG_EVENT },
	[LOG_REPORTS] = { "reports", LOG_EVENT },
};

static enum log_level log_most = LOG_NOTE;
static struct loop *log_loop;
static struct users *log_users;
static struct timer log_timer;
static struct log_ration all[LOG_KINDS], nobody[LOG_KINDS];
static unsigned unread; /* lines that the reader of the log had no room for */

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
			unread++;
			return;
		}
		/* So much never waits once there is room at all: pipe(7). */
		n = write(STDERR_FILENO, text, MIN(length, PIPE_BUF));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return; /* there is nowhere to report that */
		text += n;
		length -= (size_t)n;
	}
}

__attribute__((format(printf, 1, 0))) static void put_line(const char *format, va_list args)
{
	CLEANUP_BUF struct buf clean = { 0 };
	char line[512];
	int n = vsnprintf(line, sizeof(line), format, args);

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

	if (level > log_most)
		return;
	va_start(args, format);
	put_line(format, args);
	va_end(args);
}

static void put_left_out(struct log_ration *rations, const struct user *user)
{
	for (size_t kind = 0; kind < LOG_KINDS; kind++) {
		uint32_t count = rations[kind].left_out;

		rations[kind].left_out = 0;
		if (count && user)
			log_line(LOG_FAULT, "%u lines left out: %s of uid %u", count,
				 kinds[kind].name, user->uid);
		else if (count)
			log_line(LOG_FAULT, "%u lines left out: %s", count, kinds[kind].name);
	}
}

/* Once for each user and kind, a second after the first line was left out. */
static void log_settle(struct timer *timer)
{
	unsigned lost = unread;

	(void)timer;
	put_left_out(nobody, NULL);
	for (LIST_EACH(at, &log_users->list)) {
		struct user *user = container_of(at, struct user, member);

		put_left_out(user->log, user);
	}
	unread = 0;
	if (lost)
		log_line(LOG_FAULT, "%u lines left out: nobody read the log", lost);
}

void log_start(struct loop *loop, struct users *users)
{
	if (log_loop)
		timer_stop(log_loop, &log_timer);
	log_loop = loop;
	log_users = users;
	log_timer.expired = log_settle;
}

static bool ration_has(struct log_ration *ration, uint32_t most, int64_t now)
{
	if (now - ration->from_ns >= NS_PER_S) {
		ration->from_ns = now;
		ration->used = 0;
	}
	return ration->used < most;
}

static bool ration_take(struct user *user, enum log_kind kind)
{
	const struct limits *limits = log_users->limits;
	uint32_t factor = kinds[kind].level == LOG_EVENT ? VERBOSE_FACTOR : 1;
	uint32_t most = limits->value[LIMIT_LOG] * factor,
		 share = limits->share[LIMIT_LOG] * factor;
	struct log_ration *own = user ? &user->log[kind] : &nobody[kind];
	int64_t now = clock_now(CLOCK_MONOTONIC);
	bool has_own, has_all;

	if (user && user_is_privileged(user))
		share = most;
	/* Both, since each begins a new second if need be. */
	has_own = ration_has(own, share, now);
	has_all = ration_has(&all[kind], most, now);
	if (has_own && has_all) {
		own->used++;
		all[kind].used++;
		return true;
	}
	own->left_out++;
	if (!log_timer.armed)
		timer_set(log_loop, &log_timer, NS_PER_S);
	return false;
}

void log_user(struct user *user, enum log_kind kind, const char *format, ...)
{
	va_list args;

	if (kinds[kind].level > log_most || !ration_take(user, kind))
		return;
	va_start(args, format);
	put_line(format, args);
	va_end(args);
}
