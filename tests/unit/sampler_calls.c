#include "sampler_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

atomic_int_fast64_t held_ns;
const char *_Atomic hanging;
int gate[2] = { -1, -1 };
const char *empty;
atomic_uint looks;
unsigned shared_opens;

static pthread_mutex_t empty_lock = PTHREAD_MUTEX_INITIALIZER; /* for the next two */
static int empty_fds[8];
static unsigned n_empty;

int __real_clock_gettime(clockid_t clock, struct timespec *ret);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
	int64_t ns = held_ns;

	if (!ns || clock != CLOCK_MONOTONIC)
		return __real_clock_gettime(clock, ret);
	*ret = clock_timespec(ns);
	return 0;
}

/*
 * Records whether a new descriptor is of a file with the name `empty`. Its number may have been
 * that of another file before.
 */
static int note_empty(const char *path, int fd)
{
	size_t length = strlen(path), end = empty ? strlen(empty) : 0;
	unsigned kept = 0;

	pthread_mutex_lock(&empty_lock);
	for (unsigned i = 0; i < n_empty; i++)
		if (empty_fds[i] != fd)
			empty_fds[kept++] = empty_fds[i];
	n_empty = kept;
	if (empty && length >= end && strcmp(path + length - end, empty) == 0 &&
	    n_empty < ARRAY_SIZE(empty_fds))
		empty_fds[n_empty++] = fd;
	pthread_mutex_unlock(&empty_lock);
	return fd;
}

int __real_openat(int dir, const char *path, int flags, ...);
int __wrap_openat(int dir, const char *path, int flags, ...);

int __wrap_openat(int dir, const char *path, int flags, ...)
{
	const char *name = hanging;
	size_t length = strlen(path);
	va_list ap;
	int mode;
	char c;

	if (length > 3 && strcmp(path + length - 3, "/fd") == 0)
		looks++;
	if (strncmp(path, "dev/shm", 7) == 0 && (flags & O_ACCMODE) == O_RDONLY)
		shared_opens++; /* not atomic: only the thread that samples opens these */
	if (name && length >= strlen(name) && strcmp(path + length - strlen(name), name) == 0 &&
	    read(gate[0], &c, 1) != 1) {
		errno = EIO;
		return -1;
	}
	va_start(ap, flags);
	mode = flags & O_CREAT ? va_arg(ap, int) : 0;
	va_end(ap);
	return note_empty(path, __real_openat(dir, path, flags, mode));
}

ssize_t __real_pread(int fd, void *data, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *data, size_t size, off_t at);

ssize_t __wrap_pread(int fd, void *data, size_t size, off_t at)
{
	bool found = false;

	pthread_mutex_lock(&empty_lock);
	for (unsigned i = 0; i < n_empty; i++)
		found |= empty_fds[i] == fd;
	pthread_mutex_unlock(&empty_lock);
	if (found) {
		errno = ENODATA;
		return -1;
	}
	return __real_pread(fd, data, size, at);
}
