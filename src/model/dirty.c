#include "model/dirty.h"

#include "basic/clock.h"
#include "basic/macros.h"

#include <signal.h>
#include <stdio.h>

/* Programs clean up when they end by SIGINT, SIGTERM or SIGHUP; not by these. */
static bool is_abrupt(int signal)
{
	static const int abrupt[] = { SIGKILL, SIGSEGV, SIGBUS,	 SIGABRT, SIGILL,
				      SIGFPE,  SIGSYS,	SIGTRAP, SIGQUIT };

	for (size_t i = 0; i < ARRAY_SIZE(abrupt); i++)
		if (signal == abrupt[i])
			return true;
	return false;
}

static void set_cause(struct device *dev, const struct accounted *account)
{
	dev->dirty = true;
	dev->dirty_time = account->end_time;
	snprintf(dev->dirty_cause, sizeof(dev->dirty_cause), "pid %d (%s), %s", account->pid,
		 account->name, account->exit);
}

static void set_reason(struct device *dev, enum reason dirty, enum reason cause)
{
	dev->why[DEV_DIRTY] = (uint8_t)dirty;
	dev->why[DEV_DIRTY_CAUSE] = dev->why[DEV_DIRTY_TIME] = (uint8_t)cause;
}

/* Has it ended since this time on that device? */
static bool ended_since(const struct accounted *account, size_t device, double since)
{
	return account->device == device && account->why[ACCOUNT_END] == KNOWN &&
	       account->end_time >= since;
}

/* since: Unix time of the last reset. */
static void judge(struct snapshot *snapshot, size_t device, double since)
{
	struct device *dev = &snapshot->devices[device];
	enum reason why = KNOWN;

	for (size_t i = 0; i < snapshot->n_accounts; i++) {
		const struct accounted *account = &snapshot->accounts[i];

		if (!ended_since(account, device, since))
			continue;
		if (account->why[ACCOUNT_EXIT] != KNOWN)
			why = account->why[ACCOUNT_EXIT];
		else if (is_abrupt(account->signal))
			set_cause(dev, account); /* the last one stays */
	}
	if (dev->dirty)
		set_reason(dev, KNOWN, KNOWN);
	else
		set_reason(dev, why, why == KNOWN ? NOT_APPLICABLE : why);
}

void dirty_fill(struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		struct device *dev = &snapshot->devices[i];
		enum reason why = dev->why[DEV_UPTIME];

		if (!device_has_node(dev))
			continue;
		if (why == KNOWN && !snapshot->server_pid)
			why = NO_SERVER;
		set_reason(dev, why, why);
		if (why == KNOWN)
			judge(snapshot, i, (double)snapshot->wall_ns / NS_PER_S - dev->uptime);
	}
}
