#include "model/dirty.h"

#include "basic/abrupt_signal.h"
#include "basic/clock.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>

static_assert(ABRUPT_KILL == SIGKILL && ABRUPT_SEGV == SIGSEGV && ABRUPT_BUS == SIGBUS &&
		      ABRUPT_ABRT == SIGABRT && ABRUPT_ILL == SIGILL && ABRUPT_FPE == SIGFPE &&
		      ABRUPT_SYS == SIGSYS && ABRUPT_TRAP == SIGTRAP && ABRUPT_QUIT == SIGQUIT,
	      "numbers of signals");

/* What is known about the end of jobs on one device. */
struct dirty_evidence {
	const struct accounted *account; /* the last one that died abruptly; NULL: none */
	const struct observed_death *death;
	enum reason unknown; /* KNOWN: it is known how every job ended */
};

static void set_reason(struct device *dev, enum reason dirty, enum reason cause)
{
	dev->why[DEV_DIRTY] = (uint8_t)dirty;
	dev->why[DEV_DIRTY_CAUSE] = dev->why[DEV_DIRTY_TIME] = (uint8_t)cause;
}

/* Both may have seen the same job; the server knows its full name. */
static void set_cause(struct device *dev, const struct dirty_evidence *evidence)
{
	const struct accounted *account = evidence->account;
	const struct observed_death *death = evidence->death;

	if (account && (!death || death->pid == account->pid || death->time < account->end_time)) {
		dev->dirty_time = account->end_time;
		snprintf(dev->dirty_cause, sizeof(dev->dirty_cause), "pid %d (%s), %s",
			 account->pid, account->name, account->exit);
		return;
	}
	dev->dirty_time = death->time;
	snprintf(dev->dirty_cause, sizeof(dev->dirty_cause), "pid %d (%s), signal %d", death->pid,
		 death->name, death->signal);
}

/* Has it ended since this time on that device? */
static bool ended_since(const struct accounted *account, size_t device, double since)
{
	return account->device == device && account->why[ACCOUNT_END] == KNOWN &&
	       account->end_time >= since;
}

/* The tracer sees every process that dies while it observes the device. */
static bool is_observed(const struct observed_death *death, double time)
{
	return death->since > 0 && death->since <= time;
}

/*
 * The server's accounts; how a process ended is known on some kernels only. They show that a job
 * was killed, never that none was: the server knows only programs whose memory it counts.
 */
static void add_accounts(struct dirty_evidence *evidence, const struct snapshot *snapshot,
			 size_t device, double reset)
{
	const struct observed_death *death = &snapshot->devices[device].death;

	for (size_t i = 0; i < snapshot->n_accounts; i++) {
		const struct accounted *account = &snapshot->accounts[i];

		if (!ended_since(account, device, reset))
			continue;
		if (account->why[ACCOUNT_EXIT] == KNOWN) {
			if (IS_ABRUPT((unsigned)account->signal))
				evidence->account = account; /* the last one stays */
		} else if (!evidence->unknown && !is_observed(death, account->end_time)) {
			evidence->unknown = account->why[ACCOUNT_EXIT];
		}
	}
}

/*
 * Without the time of the last reset it is unknown whether the device is dirty: it may have been
 * reset since the job died.
 */
static void judge(struct snapshot *snapshot, size_t device)
{
	struct device *dev = &snapshot->devices[device];
	enum reason why = dev->why[DEV_UPTIME];
	double reset = why == KNOWN ? (double)snapshot->wall_ns / NS_PER_S - dev->uptime : 0;
	struct dirty_evidence evidence = { .unknown = why };

	add_accounts(&evidence, snapshot, device, reset);
	if (!evidence.unknown && !is_observed(&dev->death, reset))
		evidence.unknown = NOT_OBSERVED;
	if (dev->death.time > 0 && dev->death.time >= reset)
		evidence.death = &dev->death;
	if (evidence.account || evidence.death) {
		set_cause(dev, &evidence);
		dev->dirty = why == KNOWN;
		set_reason(dev, why, KNOWN);
		return;
	}
	set_reason(dev, evidence.unknown,
		   evidence.unknown == KNOWN ? NOT_APPLICABLE : evidence.unknown);
}

void dirty_fill(struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->n_devices; i++)
		if (device_has_node(&snapshot->devices[i]))
			judge(snapshot, i);
}
