#include "spawn.h"

#include "basic/exit_code.h"
#include "basic/sibling_program.h"
#include "programs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define START_MS 60000 /* a busy machine may take seconds */
#define MAX_ARGS 64

/* Standard input and output are /dev/null, other descriptors of our caller are closed on exec. */
static void keep_only(int socket)
{
	int null = open("/dev/null", O_RDWR);

	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	if (null > STDERR_FILENO)
		close(null);
	close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
	fcntl(socket, F_SETFD, 0);
}

/* Executes argv, whose first strings are room for a command that executes the rest. */
enum { START_WORDS = 5 };

static void execute(const struct worker_job *job, char **argv)
{
	char path[PATH_MAX], program[PATH_MAX];
	const char *command[START_WORDS] = { "tt_smi", "run", "-q", "--", path };

	worker_path(path, sizeof(path));
	if (!programs_are_run(job)) {
		execv(path, argv + START_WORDS);
		return;
	}
	memcpy(argv, command, sizeof(command));
	setenv(WORKER_START_VARIABLE, "1", 1);
	if (sibling_program_find("tt_smi", program, sizeof(program)) == 0)
		execv(program, argv);
	fputs("tt_smi sim: tt_smi is not beside tt_smi-sim\n", stderr);
}

/*
 * Runs in the child, with its own process group, so that signals of the terminal do not reach it.
 */
static void become_worker(const struct worker_job *job, int socket, pid_t parent)
{
	const struct workload *w = &job->workload;
	char words[sizeof(w->args)], *rest = words, *word, number[16];
	char *argv[START_WORDS + MAX_ARGS + 2] = { [START_WORDS] = (char *)w->name };
	size_t argc = START_WORDS + 1;
	sigset_t none;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILED);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	keep_only(socket);
	snprintf(number, sizeof(number), "%d", socket);
	setenv(WORKER_VARIABLE, number, 1);
	snprintf(words, sizeof(words), "%s", w->args);
	while ((word = strsep(&rest, " ")) && argc <= START_WORDS + MAX_ARGS)
		if (*word)
			argv[argc++] = word;
	execute(job, argv);
	_exit(EXIT_NO_COMMAND);
}

int spawn_wait(int socket)
{
	struct pollfd ready = { .fd = socket, .events = POLLIN };
	char byte;
	int r;

	do
		r = poll(&ready, 1, START_MS);
	while (r < 0 && errno == EINTR);
	if (r == 0)
		return -ETIMEDOUT;
	return r > 0 && read(socket, &byte, 1) == 1 ? 0 : -ECHILD;
}

static int hand_over(int socket, const struct worker_job *job)
{
	if (send(socket, job, sizeof(*job), MSG_NOSIGNAL) != (ssize_t)sizeof(*job))
		return -EPIPE;
	return spawn_wait(socket);
}

int spawn_worker(const struct worker_job *job, pid_t *ret, int *ret_socket)
{
	pid_t parent = getpid(), pid;
	int pair[2], r;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		become_worker(job, pair[1], parent);
	r = pid < 0 ? -errno : 0;
	close(pair[1]);
	if (r == 0)
		r = hand_over(pair[0], job);
	if (r == 0) {
		*ret = pid;
		*ret_socket = pair[0];
		return 0;
	}
	close(pair[0]);
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return r;
}
