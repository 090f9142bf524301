/* stop: removes all probes and pins. The lock file stays: other processes may be waiting for it. */
#include "trace/commands.h"

#include "trace/lock.h"
#include "trace/pins.h"
#include "trace/report.h"

#include "basic/clock.h"

#include <errno.h>
#include <signal.h>

/* A watcher that is blocked in a file system cannot handle SIGTERM. */
#define TERM_TIMEOUT (3 * NS_PER_S)

/* Ends the watcher, which would load the object again. */
static int end_watcher(int lock)
{
	struct timespec moment = clock_timespec(10 * NS_PER_MS);
	int64_t since = 0;
	pid_t signalled = 0;
	int r;

	while ((r = lock_try(lock, LOCK_WATCH)) == -EAGAIN) {
		pid_t owner = lock_owner(lock, LOCK_WATCH);
		int64_t now = clock_now(CLOCK_MONOTONIC);
		bool late = owner == signalled && now - since > TERM_TIMEOUT;

		if (owner > 0 && (owner != signalled || late) &&
		    kill(owner, late ? SIGKILL : SIGTERM) < 0 && errno != ESRCH)
			return -errno;
		if (owner != signalled || late)
			since = now;
		signalled = owner;
		nanosleep(&moment, NULL);
	}
	return r;
}

int command_stop(const struct trace_options *options)
{
	CLEANUP_BUF struct buf problem = { 0 };
	CLEANUP_CLOSE int lock = lock_open();
	int r = lock;

	(void)options;
	if (r >= 0)
		r = lock_take(lock, LOCK_STOP);
	if (r == 0)
		r = end_watcher(lock);
	if (r == 0)
		r = lock_take(lock, LOCK_STATE);
	if (r < 0)
		return print_lock_error(r);
	r = pins_clear(&problem);
	if (r == 0)
		r = pins_unmount(&problem);
	if (r < 0)
		return print_error(exit_code(r), "%s", buf_text(&problem));
	report_watcher_clear();
	unlink(REPORT_FILE);
	return EXIT_FINE;
}
