#include "trace/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

/* One byte for each kind. fcntl() locks, since F_GETLK returns the pid of their owner. */
static struct flock range(enum lock_kind kind, short type)
{
	return (struct flock){ .l_type = type, .l_whence = SEEK_SET, .l_start = kind, .l_len = 1 };
}

int lock_open(void)
{
	int fd;

	if (mkdir(TRACE_FOLDER, 0755) < 0 && errno != EEXIST)
		return -errno;
	fd = open(LOCK_FILE, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	return fd < 0 ? -errno : fd;
}

int lock_take(int fd, enum lock_kind kind)
{
	struct flock lock = range(kind, F_WRLCK);

	return fcntl(fd, F_SETLKW, &lock) < 0 ? -errno : 0;
}

int lock_try(int fd, enum lock_kind kind)
{
	struct flock lock = range(kind, F_WRLCK);

	if (fcntl(fd, F_SETLK, &lock) == 0)
		return 0;
	return errno == EACCES ? -EAGAIN : -errno;
}

void lock_drop(int fd, enum lock_kind kind)
{
	struct flock lock = range(kind, F_UNLCK);

	fcntl(fd, F_SETLK, &lock);
}

pid_t lock_owner(int fd, enum lock_kind kind)
{
	struct flock lock = range(kind, F_WRLCK);

	if (fcntl(fd, F_GETLK, &lock) < 0 || lock.l_type == F_UNLCK)
		return 0;
	return lock.l_pid;
}
