#include "tui/frame_writer.h"

#include "basic/macros.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Per thread: only writes of the drawing thread are part of the frame. */
static _Thread_local bool in_frame;
static char frame[16384]; /* written when it is full; a complete redraw takes several */
static size_t length;
static int own_fd = -1;
static int stop_fd, timeout_ms; /* arguments of frame_writer_begin() */
static bool dropped;		/* the rest of this frame is not written */

static ssize_t write_now(int fd, const void *data, size_t size)
{
	return syscall(SYS_write, fd, data, size);
}

void frame_writer_open(void)
{
	own_fd = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

void frame_writer_close(void)
{
	if (own_fd >= 0)
		close(own_fd);
	own_fd = -1;
}

/* Waits until the terminal accepts more. False: stopped or timed out. */
static bool wait_for_room(int fd)
{
	struct pollfd fds[] = { { .fd = fd, .events = POLLOUT },
				{ .fd = stop_fd, .events = POLLIN } };
	int n = poll(fds, ARRAY_SIZE(fds), timeout_ms);

	return n < 0 ? errno == EINTR : n > 0 && !fds[1].revents;
}

static int output(void)
{
	return own_fd >= 0 ? own_fd : STDOUT_FILENO;
}

/* Errors are left to terminal_wait(), which detects a closed terminal. */
static void flush_frame(void)
{
	int fd = output();

	for (size_t done = 0; done < length && !dropped;) {
		ssize_t n = write_now(fd, frame + done, length - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno == EAGAIN)
			dropped = !wait_for_room(fd);
		else if (errno != EINTR)
			break;
	}
	length = 0;
}

void frame_writer_add(const void *data, size_t size)
{
	for (size_t done = 0; done < size;) {
		size_t n = MIN(size - done, sizeof(frame) - length);

		memcpy(frame + length, (const char *)data + done, n);
		length += n;
		done += n;
		if (length == sizeof(frame))
			flush_frame();
	}
}

void frame_writer_write_now(const void *data, size_t size)
{
	write_now(output(), data, size);
}

ssize_t write(int fd, const void *data, size_t size)
{
	if (!in_frame || fd != STDOUT_FILENO)
		return write_now(fd, data, size);
	frame_writer_add(data, size);
	return (ssize_t)size;
}

void frame_writer_begin(int stop, int timeout)
{
	in_frame = true;
	dropped = false;
	stop_fd = stop;
	timeout_ms = timeout;
}

bool frame_writer_end(void)
{
	in_frame = false;
	flush_frame();
	return !dropped;
}
