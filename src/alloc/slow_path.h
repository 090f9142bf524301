/*
 * Slow paths make system calls. During them thread cancellation is disabled, or a cancelled thread
 * would leave a lock taken, and errno is saved for the caller.
 */
#pragma once

#include <errno.h>
#include <pthread.h>

struct slow_path {
	int cancel;
	int error;
};

static inline struct slow_path slow_path_begin(void)
{
	struct slow_path path = { .error = errno };

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &path.cancel);
	return path;
}

static inline void slow_path_end(struct slow_path path)
{
	pthread_setcancelstate(path.cancel, NULL);
	errno = path.error;
}
