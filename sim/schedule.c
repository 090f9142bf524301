#include "schedule.h"

#include "basic/clock.h"
#include "basic/macros.h"

/* Groups per second. */
enum { GROUPS = 4 };

/* The first program that starts at or after a time; -1: never. */
static uint64_t first_after(const struct schedule *schedule, int64_t ms)
{
	return ms < 0 ? UINT64_MAX
		      : (uint64_t)((double)(ms * NS_PER_MS) / schedule->period + 0.999999);
}

void schedule_init(struct schedule *ret, const struct workload *w, bool waits)
{
	*ret = (struct schedule){ .group = waits ? MAX(w->programs.rate / GROUPS, 1U) : 1 };
	ret->period = (double)(NS_PER_S * (int64_t)ret->group) / w->programs.rate;
	ret->busy = ret->period * w->busy / 100;
	ret->count = w->busy > 0 ? first_after(ret, w->programs.until_ms) : 0;
	ret->hung = first_after(ret, w->programs.hang_ms);
}

int64_t schedule_start(const struct schedule *schedule, uint64_t index)
{
	return (int64_t)((double)(index + 1) * schedule->period - schedule->busy);
}

int64_t schedule_end(const struct schedule *schedule, uint64_t index)
{
	return (int64_t)((double)(index + 1) * schedule->period);
}

int64_t schedule_progress(const struct schedule *schedule, int64_t ns)
{
	return schedule->hung == UINT64_MAX ? ns
					    : MIN(ns, schedule_start(schedule, schedule->hung) + 1);
}
