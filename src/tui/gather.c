#include "tui/gather.h"

#include "basic/macros.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Only the thread that draws gathers: what others write meanwhile is none of it. */
static _Thread_local bool gathering;
static char gathered[16384]; /* a full screen takes a few of them */
static size_t length;
static int own_fd = -1;
static int stop_fd, patience_ms; /* as they were given at the beginning */
static bool gave_up;		 /* this time */

static ssize_t write_now(int fd, const void *data, size_t size)
{
	return syscall(SYS_write, fd, data, size);
}

void gather_open(void)
{
	own_fd = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

void gather_close(void)
{
	if (own_fd >= 0)
		close(own_fd);
	own_fd = -1;
}

/* Until the terminal takes more. False: it is not worth waiting for. */
static bool wait_for_room(int fd)
{
	struct pollfd fds[] = { { .fd = fd, .events = POLLOUT },
				{ .fd = stop_fd, .events = POLLIN } };
	int n = poll(fds, ARRAY_SIZE(fds), patience_ms);

	return n < 0 ? errno == EINTR : n > 0 && !fds[1].revents;
}

/* A terminal that is gone is noticed by whoever waits for its keys. */
static void write_gathered(void)
{
	int fd = own_fd >= 0 ? own_fd : STDOUT_FILENO;

	for (size_t done = 0; done < length && !gave_up;) {
		ssize_t n = write_now(fd, gathered + done, length - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno == EAGAIN)
			gave_up = !wait_for_room(fd);
		else if (errno != EINTR)
			break;
	}
	length = 0;
}

ssize_t write(int fd, const void *data, size_t size)
{
	if (!gathering || fd != STDOUT_FILENO)
		return write_now(fd, data, size);
	for (size_t done = 0; done < size;) {
		size_t n = MIN(size - done, sizeof(gathered) - length);

		memcpy(gathered + length, (const char *)data + done, n);
		length += n;
		done += n;
		if (length == sizeof(gathered))
			write_gathered();
	}
	return (ssize_t)size;
}

void gather_begin(int stop, int patience)
{
	gathering = true;
	gave_up = false;
	stop_fd = stop;
	patience_ms = patience;
}

bool gather_end(void)
{
	gathering = false;
	write_gathered();
	return !gave_up;
}
