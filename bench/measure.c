#include "measure.h"

#include "basic/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

void command_add(struct command *command, const char *argument)
{
	size_t n = 0;

	while (command->argv[n])
		n++;
	if (n == MAX_ARGUMENTS)
		abort();
	command->argv[n] = argument;
}

static double milliseconds(struct timeval t)
{
	return (double)t.tv_sec * 1e3 + (double)t.tv_usec / 1e3;
}

/* A program that could not do its work has no speed. */
static int judge(const struct command *command, int status)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	fprintf(stderr, "bench: %s: ended with status %#x\n", command->argv[0], (unsigned)status);
	return -ECHILD;
}

/*
 * The peak that wait4() tells begins, after vfork(), with that of the process that
 * started the program: ours. So this program stays small, and what it measures is
 * an upper bound.
 */
static int collect(const struct command *command, pid_t pid, int64_t begin, struct figures *ret)
{
	struct rusage usage;
	int status;

	while (wait4(pid, &status, 0, &usage) < 0)
		if (errno != EINTR)
			return -errno;
	ret->wall_ms = ret->wall_median_ms =
		(double)(clock_now(CLOCK_MONOTONIC) - begin) / NS_PER_MS;
	ret->cpu_ms = milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime);
	ret->rss_kb = usage.ru_maxrss;
	return judge(command, status);
}

static int start(const struct command *command, int in, int out, bool session, pid_t *ret)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	int r;

	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (session)
		posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID);
	else /* a loop that says SIMULATED on stderr would fill our table */
		posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	r = posix_spawnp(ret, command->argv[0], &actions, &attr, (char *const *)command->argv,
			 environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	if (r)
		fprintf(stderr, "bench: %s: %s\n", command->argv[0], strerror(r));
	return -r;
}

int measure_once(const struct command *command, int fd, struct figures *ret)
{
	CLEANUP_CLOSE int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int64_t begin;
	pid_t pid;
	int r;

	if (null < 0 || (fd >= 0 && lseek(fd, 0, SEEK_SET) < 0))
		return -errno;
	begin = clock_now(CLOCK_MONOTONIC);
	r = start(command, null, fd >= 0 ? fd : null, false, &pid);
	return r < 0 ? r : collect(command, pid, begin, ret);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* One more run; its wall time is also kept for the median. */
static int add_run(const struct command *command, int fd, bool first, struct figures *sum,
		   double *wall)
{
	struct figures once;
	int r = measure_once(command, fd, &once);

	if (r < 0)
		return r;
	*wall = once.wall_ms;
	if (first) {
		*sum = once;
		return 0;
	}
	sum->wall_ms = MIN(sum->wall_ms, once.wall_ms);
	sum->cpu_ms = MIN(sum->cpu_ms, once.cpu_ms);
	sum->rss_kb = MAX(sum->rss_kb, once.rss_kb);
	return 0;
}

int measure_pair(const struct command *a, const struct command *b, unsigned rounds, int fd,
		 struct figures *ret_a, struct figures *ret_b)
{
	CLEANUP_FREE double *walls_a = calloc(rounds, sizeof(*walls_a));
	CLEANUP_FREE double *walls_b = calloc(rounds, sizeof(*walls_b));
	int r = walls_a && walls_b ? 0 : -ENOMEM;

	for (unsigned i = 0; i < rounds && r >= 0; i++) {
		r = add_run(a, fd, i == 0, ret_a, &walls_a[i]);
		if (r >= 0)
			r = add_run(b, fd, i == 0, ret_b, &walls_b[i]);
	}
	if (r < 0)
		return r;
	qsort(walls_a, rounds, sizeof(*walls_a), by_value);
	qsort(walls_b, rounds, sizeof(*walls_b), by_value);
	ret_a->wall_median_ms = walls_a[rounds / 2];
	ret_b->wall_median_ms = walls_b[rounds / 2];
	return 0;
}

static int open_terminal(const struct terminal *terminal, int *ret_slave)
{
	struct winsize size = { .ws_col = (unsigned short)terminal->columns,
				.ws_row = (unsigned short)terminal->lines };
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (master < 0)
		return -errno;
	if (grantpt(master) == 0 && unlockpt(master) == 0 && ioctl(master, TIOCSWINSZ, &size) == 0)
		*ret_slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (*ret_slave < 0) {
		int error = -errno;

		close(master);
		return error;
	}
	return master;
}

int measure_terminal(const struct command *command, const struct terminal *terminal,
		     struct figures *ret, size_t *ret_bytes)
{
	CLEANUP_CLOSE int slave = -1;
	CLEANUP_CLOSE int master = open_terminal(terminal, &slave);
	char text[8192];
	int64_t begin;
	ssize_t n;
	pid_t pid;
	int r;

	if (master < 0)
		return master;
	begin = clock_now(CLOCK_MONOTONIC);
	r = start(command, slave, slave, true, &pid);
	if (r < 0)
		return r;
	close(TAKE_FD(slave));
	*ret_bytes = 0;
	while ((n = read(master, text, sizeof(text))) > 0) /* EIO: the program ended */
		*ret_bytes += (size_t)n;
	return collect(command, pid, begin, ret);
}
