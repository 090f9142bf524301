/* An eventfd by which one thread wakes another. */
#pragma once

#include <stdint.h>
#include <unistd.h>

static inline void wakeup_send(int fd)
{
	const uint64_t one = 1;

	(void)!write(
		fd, &one,
		sizeof(one)); /* fails if the counter is full: then the other thread is awake */
}

static inline void wakeup_clear(int fd)
{
	uint64_t count;

	(void)!read(fd, &count, sizeof(count));
}
