/*
 * Runs programs alternately and prints what each run cost.
 *
 *	measure [--rounds N] COMMAND... [--and COMMAND...]...
 *	measure --until TEXT [--rounds N] COMMAND... [--and COMMAND...]...
 *
 * One line per run: number of the command, wall time in ns, CPU time of all threads in ns, peak
 * resident memory in KB, bytes written. The runs alternate, so that all programs meet the same
 * disturbances. Standard output is a file in memory, standard error is discarded.
 *
 * --until: each program runs on a terminal of 80 columns and 24 lines. Wall and CPU time are taken
 * when the program has written TEXT, in upper or lower case; then "q" is typed, and the program
 * must end.
 *
 * This program is small, and written in C, because the peak memory that wait4() reports for a child
 * is never below that of its parent: vfork() shares the memory until execve().
 */
#include "basic/clock.h"
#include "basic/macros.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

enum { MAX_COMMANDS = 8, LIMIT_MS = 60000, COLUMNS = 80, LINES = 24 };

struct run_cost {
	int64_t wall_ns, cpu_ns;
	long rss_kb;
	long long bytes;
};

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(EXIT_FAILURE);
}

static int64_t rusage_ns(const struct rusage *usage)
{
	return ((int64_t)usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * NS_PER_S +
	       ((int64_t)usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1000;
}

/* A program that failed has no valid time. */
static void check_status(const char *program, int status)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return;
	fprintf(stderr, "%s: %s %d\n", program, WIFEXITED(status) ? "exit code" : "ended by signal",
		WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	exit(EXIT_FAILURE);
}

static struct rusage wait_for(const char *program, pid_t pid)
{
	struct rusage usage;
	int status;

	while (wait4(pid, &status, 0, &usage) < 0)
		if (errno != EINTR)
			fail("wait4");
	check_status(program, status);
	return usage;
}

static pid_t start(char **argv, int in, int out, bool terminal)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	if (terminal)
		posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID);
	errno = posix_spawnp(&pid, argv[0], &actions, &attr, argv, environ);
	if (errno)
		fail(argv[0]);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return pid;
}

/* ---- once ---- */

static struct run_cost run_once(char **argv)
{
	static int null = -1, output = -1;
	struct run_cost cost;
	struct rusage usage;
	int64_t begin;

	if (output < 0) {
		null = open("/dev/null", O_RDONLY | O_CLOEXEC);
		output = memfd_create("output", MFD_CLOEXEC);
		if (null < 0 || output < 0)
			fail("standard output");
	}
	lseek(output, 0, SEEK_SET);
	begin = clock_now(CLOCK_MONOTONIC);
	usage = wait_for(argv[0], start(argv, null, output, false));
	cost.wall_ns = clock_now(CLOCK_MONOTONIC) - begin;
	cost.cpu_ns = rusage_ns(&usage);
	cost.rss_kb = usage.ru_maxrss;
	cost.bytes = lseek(output, 0, SEEK_CUR);
	return cost;
}

/* ---- on a terminal ---- */

static int open_terminal(int *ret_slave)
{
	struct winsize size = { .ws_col = COLUMNS, .ws_row = LINES };
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0 ||
	    ioctl(master, TIOCSWINSZ, &size) < 0)
		fail("terminal");
	*ret_slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (*ret_slave < 0)
		fail("terminal");
	return master;
}

/* Reads the next part of the program's output; 0: the program has ended. */
static size_t read_terminal(int master, char *text, size_t size)
{
	struct pollfd ready = { .fd = master, .events = POLLIN };
	ssize_t n;

	if (poll(&ready, 1, LIMIT_MS) <= 0)
		return 0;
	n = read(master, text, size);
	return n > 0 ? (size_t)n : 0; /* EIO: the other end is closed */
}

static void read_until(int master, const char *program, const char *wanted, struct run_cost *cost)
{
	static char text[1 << 18];
	size_t length = 0, n;

	do {
		n = read_terminal(master, text + length, sizeof(text) - 1 - length);
		if (n == 0) {
			fprintf(stderr, "%s: \"%s\" was not written\n", program, wanted);
			exit(EXIT_FAILURE);
		}
		length += n;
		text[length] = '\0';
	} while (!strcasestr(text, wanted));
	cost->bytes = (long long)length;
}

static struct run_cost run_until(char **argv, const char *wanted)
{
	struct run_cost cost = { 0 };
	char rest[4096];
	clockid_t clock;
	int slave, master = open_terminal(&slave);
	int64_t begin = clock_now(CLOCK_MONOTONIC);
	pid_t pid = start(argv, slave, slave, true);

	close(slave);
	if (clock_getcpuclockid(pid, &clock) != 0)
		fail("CPU clock");
	read_until(master, argv[0], wanted, &cost);
	cost.wall_ns = clock_now(CLOCK_MONOTONIC) - begin;
	cost.cpu_ns = clock_now(clock);
	if (write(master, "q", 1) != 1)
		fail("terminal");
	while (read_terminal(master, rest, sizeof(rest)) > 0)
		;
	cost.rss_kb = wait_for(argv[0], pid).ru_maxrss;
	close(master);
	return cost;
}

/* Splits argv at each --and. */
static size_t split_commands(char **argv, char **commands[static MAX_COMMANDS])
{
	size_t n = 0;

	for (bool first = true; *argv; argv++) {
		if (strcmp(*argv, "--and") == 0) {
			*argv = NULL;
			first = true;
		} else if (first && n < MAX_COMMANDS) {
			commands[n++] = argv;
			first = false;
		}
	}
	return n;
}

int main(int argc, char **argv)
{
	char **commands[MAX_COMMANDS];
	const char *until = NULL;
	unsigned long rounds = 1;
	size_t n;

	for (argc--, argv++; argc > 1 && strncmp(*argv, "--", 2) == 0; argc -= 2, argv += 2) {
		if (strcmp(*argv, "--rounds") == 0)
			rounds = strtoul(argv[1], NULL, 10);
		else if (strcmp(*argv, "--until") == 0)
			until = argv[1];
		else
			break;
	}
	n = split_commands(argv, commands);
	if (n == 0) {
		fprintf(stderr, "usage: measure [--until TEXT] [--rounds N] COMMAND... [--and "
				"COMMAND...]...\n");
		return 2;
	}
	for (unsigned long round = 0; round < rounds; round++)
		for (size_t i = 0; i < n; i++) {
			struct run_cost cost =
				until ? run_until(commands[i], until) : run_once(commands[i]);

			printf("%zu %lld %lld %ld %lld\n", i, (long long)cost.wall_ns,
			       (long long)cost.cpu_ns, cost.rss_kb, cost.bytes);
		}
	return EXIT_SUCCESS;
}
