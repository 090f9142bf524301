#include "basic/terminal_signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

static sigset_t handled_signals(void)
{
	static const int handled[] = {
		SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT
	};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(handled); i++)
		sigaddset(&set, handled[i]);
	return set;
}

static sigset_t only(int signal)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal);
	return set;
}

int terminal_signals_open(struct terminal_signals *signals)
{
	sigset_t set = handled_signals();

	*signals = (struct terminal_signals){ -1, -1 };
	sigprocmask(SIG_BLOCK, &set, NULL);
	signals->ready = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals->ready < 0)
		return -errno;
	sigdelset(&set, SIGTSTP);
	signals->queued = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return signals->queued < 0 ? -errno : 0;
}

void terminal_signals_close(struct terminal_signals *signals)
{
	if (signals->ready >= 0)
		close(signals->ready);
	if (signals->queued >= 0)
		close(signals->queued);
	*signals = (struct terminal_signals){ -1, -1 };
}

void terminal_signals_unblock(void)
{
	sigset_t set = handled_signals();

	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int terminal_signals_next(struct terminal_signals *signals)
{
	struct signalfd_siginfo info;
	sigset_t pending;

	if (read(signals->queued, &info, sizeof(info)) == sizeof(info))
		return (int)info.ssi_signo;
	sigpending(&pending);
	return sigismember(&pending, SIGTSTP) == 1 ? SIGTSTP : 0;
}

bool terminal_is_foreground(int fd)
{
	pid_t group = tcgetpgrp(fd);

	return group < 0 || group == getpgrp(); /* there are no groups if it is not ours */
}

int terminal_signals_stop(void)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	sigset_t stop = only(SIGTSTP), go_on = only(SIGCONT), end;
	int signal;

	pthread_sigmask(SIG_UNBLOCK, &stop, NULL);
	pthread_sigmask(SIG_BLOCK, &stop, NULL);
	/* The SIGCONT is expected. */
	sigtimedwait(&go_on, NULL, &(struct timespec){ 0 });
	sigemptyset(&end);
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		sigaddset(&end, ends[i]);
	signal = sigtimedwait(&end, NULL, &(struct timespec){ 0 });
	return MAX(signal, 0);
}
