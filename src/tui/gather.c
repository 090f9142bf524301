#include "tui/gather.h"

#include "basic/macros.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>

/* Only the thread that draws gathers: what others write meanwhile is none of it. */
static _Thread_local bool gathering;
static char gathered[16384]; /* a full screen takes a few of them */
static size_t length;

static ssize_t write_now(int fd, const void *data, size_t size)
{
	return syscall(SYS_write, fd, data, size);
}

/* A terminal that is gone is noticed by whoever waits for its keys. */
static void write_gathered(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

	for (size_t done = 0; done < length;) {
		ssize_t n = write_now(STDOUT_FILENO, gathered + done, length - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno == EAGAIN)
			poll(&out, 1, -1);
		else if (errno != EINTR)
			break;
	}
	length = 0;
}

ssize_t write(int fd, const void *data, size_t size)
{
	if (!gathering || fd != STDOUT_FILENO)
		return write_now(fd, data, size);
	if (size > sizeof(gathered) - length)
		write_gathered();
	if (size > sizeof(gathered))
		return write_now(fd, data, size);
	memcpy(gathered + length, data, size);
	length += size;
	return (ssize_t)size;
}

void gather_begin(void)
{
	gathering = true;
}

void gather_end(void)
{
	gathering = false;
	write_gathered();
}
