/*
 * Starts many idle processes cheaply: they are forked, without execve().
 *
 *         crowd COUNT [FILE...]
 *
 * Each has eight descriptors: the standard ones, four of /dev/null, and one of a FILE (assigned
 * round-robin) or a fifth of /dev/null. Prints the pid of each process, one per line, then waits
 * for end of file on standard input, and ends them.
 */
#include "basic/macros.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

/* Sleeps until it is killed, or until its parent exits. */
static _Noreturn void idle(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent)
		pause();
	_exit(0);
}

static int open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOCTTY);

	if (fd < 0)
		fprintf(stderr, "crowd: %s: %s\n", path, strerror(errno));
	return fd;
}

static pid_t add_one(const char *file)
{
	pid_t parent = getpid(), pid;
	int fd = open_file(file);

	if (fd < 0)
		return -1;
	pid = fork();
	if (pid == 0)
		idle(parent);
	if (pid < 0)
		fprintf(stderr, "crowd: fork: %s\n", strerror(errno));
	close(fd);
	return pid;
}

static size_t add_all(pid_t *pids, size_t count, char **files, size_t n_files)
{
	size_t n;

	for (n = 0; n < count; n++) {
		pids[n] = add_one(n_files ? files[n % n_files] : "/dev/null");
		if (pids[n] < 0)
			break;
	}
	return n;
}

static void print_and_wait(const pid_t *pids, size_t count)
{
	char byte;

	for (size_t i = 0; i < count; i++)
		printf("%d\n", pids[i]);
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
}

int main(int argc, char **argv)
{
	size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 0, made;
	CLEANUP_FREE pid_t *pids = calloc(count + 1, sizeof(*pids));

	if (count == 0 || !pids) {
		fprintf(stderr, "usage: crowd COUNT [FILE...]\n");
		return 2;
	}
	for (int i = 0; i < 4; i++)
		if (open_file("/dev/null") < 0)
			return EXIT_FAILURE;
	made = add_all(pids, count, argv + 2, (size_t)argc - 2);
	if (made == count)
		print_and_wait(pids, count);
	for (size_t i = 0; i < made; i++)
		kill(pids[i], SIGKILL);
	for (size_t i = 0; i < made; i++)
		waitpid(pids[i], NULL, 0);
	return made == count ? EXIT_SUCCESS : EXIT_FAILURE;
}
