#include "daemon/user_log.h"

#include "basic/clock.h"
#include "daemon/loop.h"
#include "daemon/users.h"

#include <stdarg.h>

/* Events are requested by --verbose: their limit is higher by this factor. */
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

static struct loop *log_loop;
static struct users *log_users;
static struct timer log_timer;
static struct log_rate all[LOG_KINDS], unknown[LOG_KINDS];

static void put_left_out(struct log_rate *rations, const struct user *user)
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

/* Reports the number of suppressed lines, once per user and kind, a second after the first one. */
static void log_settle(struct timer *timer)
{
	unsigned lost;

	(void)timer;
	put_left_out(unknown, NULL);
	for (LIST_EACH(at, &log_users->list)) {
		struct user *user = container_of(at, struct user, member);

		put_left_out(user->log, user);
	}
	lost = log_take_lost();
	if (lost)
		log_line(LOG_FAULT, "%u lines left out: the reader of the log is too slow", lost);
}

void log_start(struct loop *loop, struct users *users)
{
	if (log_loop)
		timer_stop(log_loop, &log_timer);
	log_loop = loop;
	log_users = users;
	log_timer.expired = log_settle;
}

static bool rate_has_room(struct log_rate *ration, uint32_t most, int64_t now)
{
	if (now - ration->from_ns >= NS_PER_S) {
		ration->from_ns = now;
		ration->used = 0;
	}
	return ration->used < most;
}

static bool rate_take(struct user *user, enum log_kind kind)
{
	const struct limits *limits = log_users->limits;
	uint32_t factor = kinds[kind].level == LOG_EVENT ? VERBOSE_FACTOR : 1;
	uint32_t most = limits->value[LIMIT_LOG] * factor,
		 share = limits->share[LIMIT_LOG] * factor;
	struct log_rate *own = user ? &user->log[kind] : &unknown[kind];
	int64_t now = clock_now(CLOCK_MONOTONIC);
	bool has_own, has_all;

	if (user && user_is_privileged(user))
		share = most;
	/* Check both, since each check may start a new second. */
	has_own = rate_has_room(own, share, now);
	has_all = rate_has_room(&all[kind], most, now);
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

	if (!log_writes(kinds[kind].level) || !rate_take(user, kind))
		return;
	va_start(args, format);
	log_text(kinds[kind].level, format, args);
	va_end(args);
}
