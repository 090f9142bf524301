#include "basic/command_output.h"

#include "basic/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int start(const char *path, const char *const *arguments, int output, pid_t *ret)
{
	posix_spawn_file_actions_t actions;
	int r;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO);
	r = posix_spawn(ret, path, &actions, NULL, (char *const *)arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -r;
}

/* Until the first newline or the end. */
static ssize_t read_line(int fd, int64_t deadline_ns, char *line, size_t size)
{
	int64_t until = clock_now(CLOCK_MONOTONIC) + deadline_ns;
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	size_t length = 0;

	while (length < size) {
		int64_t left = until - clock_now(CLOCK_MONOTONIC);
		ssize_t n;
		char *end;

		if (left <= 0 || poll(&poll_fd, 1, (int)(left / NS_PER_MS) + 1) == 0)
			return -ETIMEDOUT;
		n = read(fd, line + length, size - length);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		end = n ? memchr(line + length, '\n', (size_t)n) : line + length;
		if (end) {
			*end = '\0';
			return end - line;
		}
		length += (size_t)n;
	}
	return -EFBIG;
}

ssize_t command_output_line(const char *path, const char *const *arguments, int64_t deadline_ns,
			    char *line, size_t size)
{
	int ends[2];
	pid_t pid;
	ssize_t n;
	int r, status = 0;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	r = start(path, arguments, ends[1], &pid);
	close(ends[1]);
	n = r < 0 ? r : read_line(ends[0], deadline_ns, line, size);
	close(ends[0]);
	if (r < 0)
		return r;
	kill(pid, SIGKILL); /* it may still run */
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	/* The status that shells use; posix_spawn() does not always report such errors. */
	if (n == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return -ENOENT;
	return n;
}
