/* An eventfd by which one thread wakes another that polls it. */
#pragma once

#include <stdint.h>
#include <unistd.h>

static inline void wakeup_send(int fd)
{
	const uint64_t one = 1;

	/* fails if the counter is full: then the other thread is awake */
	(void)!write(fd, &one, sizeof(one));
}

static inline void wakeup_clear(int fd)
{
	uint64_t count;

	(void)!read(fd, &count, sizeof(count));
}
