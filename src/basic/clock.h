/* Time, in nanoseconds. */
#pragma once

#include <stdint.h>
#include <time.h>

#define NS_PER_S  1000000000LL
#define NS_PER_MS 1000000LL

static inline int64_t clock_now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

static inline struct timespec clock_timespec(int64_t ns)
{
	return (struct timespec){ .tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S };
}
