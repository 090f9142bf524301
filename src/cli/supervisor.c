#include "cli/supervisor.h"

#include "cli/error_line.h"
#include "cli/pane.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { RENEW_S = 5 };

/* Signals that are passed on. Those that stop a process reach its whole group from the terminal. */
static const int passed_on[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM };

static sigset_t waited_for(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (size_t i = 0; i < ARRAY_SIZE(passed_on); i++)
		sigaddset(&set, passed_on[i]);
	return set;
}

/* The terminal's signals go to the command too; those of kill(2) came to us alone. */
static void pass_on(pid_t child, const siginfo_t *info)
{
	if (info->si_signo != SIGCHLD && info->si_code <= 0)
		kill(child, info->si_signo);
}

/* Ends as the command did; a core file would be ours, not its. */
static int end_as(int status)
{
	static const struct rlimit none;

	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	setrlimit(RLIMIT_CORE, &none);
	signal(WTERMSIG(status), SIG_DFL);
	return die_by(WTERMSIG(status));
}

/* Waits for the command. Returns its wait status. */
static int attend(pid_t child, struct reservation *reservation, bool quiet)
{
	const struct timespec period = { .tv_sec = RENEW_S };
	bool resumed = device_search_resume(&reservation->search) == 0;
	sigset_t set = waited_for();
	int status;

	while (waitpid(child, &status, WNOHANG) == 0) {
		siginfo_t info;

		if (sigtimedwait(&set, &info, &period) > 0)
			pass_on(child, &info);
		else if (errno == EAGAIN && resumed)
			reservation_renew(reservation, quiet);
	}
	return status;
}

/*
 * There must be no threads while it forks, and signals must be blocked before threads are started
 * again: a signal must not reach one of them.
 */
int supervise(struct reservation *reservation, bool quiet,
	      int (*execute)(void *arg, const struct reservation *reservation), void *arg)
{
	sigset_t set = waited_for(), before;
	struct sigaction child_action;
	pid_t child;
	int status;

	device_search_suspend(&reservation->search);
	sigprocmask(SIG_BLOCK, &set, &before);
	sigaction(SIGCHLD, &(struct sigaction){ .sa_handler = SIG_DFL }, &child_action);
	child = fork();
	if (child < 0)
		return error_line(EXIT_INTERNAL, "fork: %s", strerror(errno));
	if (child == 0) {
		sigaction(SIGCHLD, &child_action, NULL);
		sigprocmask(SIG_SETMASK, &before, NULL);
		_exit(execute(arg, reservation));
	}
	status = attend(child, reservation, quiet);
	/* Before our parent process can notice that the command has ended. */
	claim_files_done(&reservation->search.files);
	return end_as(status);
}
