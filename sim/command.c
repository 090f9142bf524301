#include "command.h"

#include "basic/exit_code.h"
#include "environment.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static const int handled[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD };

void command_prepare(struct inherited *ret, sigset_t *ret_signals)
{
	struct rlimit files;

	sigemptyset(ret_signals);
	for (size_t i = 0; i < ARRAY_SIZE(handled); i++)
		sigaddset(ret_signals, handled[i]);
	sigprocmask(SIG_BLOCK, ret_signals, &ret->mask);
	ret->umask = umask(0);
	ret->files = 0;
	/* Each file that changes stays open: about forty per device. */
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		ret->files = files.rlim_cur;
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
}

static void become_command(char **argv, const char *root, const struct inherited *inherited,
			   pid_t parent)
{
	struct rlimit files;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXIT_FAILED);
	umask(inherited->umask);
	if (inherited->files && getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = inherited->files;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	environment_of_command(root);
	sigprocmask(SIG_SETMASK, &inherited->mask, NULL);
	execvp(argv[0], argv);
	fprintf(stderr, "tt_smi sim: %s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? EXIT_NO_COMMAND : EXIT_NOT_EXECUTABLE);
}

int command_start(char **argv, const char *root, const struct inherited *inherited, pid_t *ret)
{
	pid_t parent = getpid(), pid;

	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0)
		become_command(argv, root, inherited, parent);
	*ret = pid;
	return 0;
}

void command_forward(pid_t pid, const struct signalfd_siginfo *info)
{
	if (info->ssi_code != SI_KERNEL)
		kill(pid, (int)info->ssi_signo);
}

int command_exit_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
