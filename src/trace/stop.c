/* stop: removes all probes and pins. The lock file stays: other processes may wait for it. */
#include "trace/commands.h"

#include "trace/lock.h"
#include "trace/pins.h"
#include "trace/report.h"

#include "basic/clock.h"

#include <errno.h>
#include <signal.h>

/* A watcher that reads from a file system that does not answer cannot handle SIGTERM. */
#define PATIENCE (3 * NS_PER_S)

/* Ends the watcher, which would load the object again. */
static int end_watcher(int lock)
{
	struct timespec moment = clock_timespec(10 * NS_PER_MS);
	int64_t since = 0;
	pid_t told = 0;
	int r;

	while ((r = lock_try(lock, LOCK_WATCH)) == -EAGAIN) {
		pid_t owner = lock_owner(lock, LOCK_WATCH);
		int64_t now = clock_now(CLOCK_MONOTONIC);
		bool late = owner == told && now - since > PATIENCE;

		if (owner > 0 && (owner != told || late) &&
		    kill(owner, late ? SIGKILL : SIGTERM) < 0 && errno != ESRCH)
			return -errno;
		if (owner != told || late)
			since = now;
		told = owner;
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
		return complain_lock(r);
	r = pins_clear(&problem);
	if (r == 0)
		r = pins_unmount(&problem);
	if (r < 0)
		return complain(exit_code(r), "%s", buf_text(&problem));
	report_watcher_clear();
	unlink(REPORT_FILE);
	return EXIT_FINE;
}
