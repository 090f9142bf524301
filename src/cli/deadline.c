#include "cli/deadline.h"

#include "basic/clock.h"
#include "cli/pane.h"

int option_timeout(const struct option_given *given, void *member)
{
	struct timeout *timeout = member;

	timeout->given = true;
	return option_number(given, 0, UINT32_MAX, &timeout->seconds);
}

int64_t timeout_deadline(const struct timeout *timeout)
{
	return timeout->given ? clock_now(CLOCK_MONOTONIC) + timeout->seconds * NS_PER_S
			      : INT64_MAX;
}

bool deadline_pause(int64_t deadline_ns, int64_t pause_ns)
{
	int64_t now = clock_now(CLOCK_MONOTONIC);

	if (now >= deadline_ns)
		return false;
	sleep_until(MIN(deadline_ns, now + pause_ns));
	return true;
}

void sleep_briefly(void)
{
	sleep_until(clock_now(CLOCK_MONOTONIC) + 5 * NS_PER_MS);
}
