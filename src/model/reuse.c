#include "model/reuse.h"

#include "basic/clock.h"

#include <string.h>

/*
 * Less than a second: at a refresh period of a second a slightly early sample would otherwise
 * postpone them by another one.
 */
static const int64_t reuse_ns = 900 * NS_PER_MS;

bool reuse_is_due(const struct snapshot *last, const struct want *asked, const struct want *want,
		  int64_t now_ns)
{
	return last && want->processes && want->low_rate && !want->allocations &&
	       memcmp(want, asked, sizeof(*want)) == 0 && now_ns - last->asked_ns < reuse_ns;
}

void reuse_want_devices(struct want *want)
{
	want->processes = want->utilization = false;
	want->allocations = want->reporters = want->accounts = false;
}
