/* Attributes and cleanup helpers used everywhere. */
#pragma once

#include <stdlib.h>
#include <unistd.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define MIN(a, b)	  ((a) < (b) ? (a) : (b))
#define MAX(a, b)	  ((a) > (b) ? (a) : (b))

/* The value of a macro as text. */
#define STRINGIFY(macro) STRINGIFY_(macro)
#define STRINGIFY_(text) #text

#define PRINTF(at, first) __attribute__((format(printf, at, first)))
#define MUST_CHECK	  __attribute__((warn_unused_result))

/* Cleanup of local variables; TAKE_PTR and TAKE_FD transfer ownership. */
#define CLEANUP(function) __attribute__((cleanup(function)))
#define CLEANUP_FREE	  CLEANUP(cleanup_free)
#define CLEANUP_CLOSE	  CLEANUP(cleanup_close)

#define TAKE_PTR(p)                     \
	({                              \
		__typeof__(p) p_ = (p); \
		(p) = NULL;             \
		p_;                     \
	})

#define TAKE_FD(fd)             \
	({                      \
		int fd_ = (fd); \
		(fd) = -1;      \
		fd_;            \
	})

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}
