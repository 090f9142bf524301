#include "basic/terminal_signals.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

/* Those that end the program. */
static sigset_t ending_signals(void)
{
	static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		sigaddset(&set, ending[i]);
	return set;
}

static sigset_t handled_signals(void)
{
	sigset_t set = ending_signals();

	sigaddset(&set, SIGWINCH);
	sigaddset(&set, SIGTSTP);
	sigaddset(&set, SIGCONT);
	return set;
}

static sigset_t only(int signal)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal);
	return set;
}

/* ---- use of the terminal in the background ---- */

static const int background_signals[] = { SIGTTIN, SIGTTOU };
static void (*leave_screen)(void); /* argument of terminal_signals_open() */
static pthread_t owner;		   /* the thread that uses the terminal */

/*
 * Stops as without a handler, but leaves the screen before, and signals that end the program are
 * not blocked meanwhile: blocked, they would have no effect before the call that uses the terminal
 * returns, which it does in the foreground only.
 */
static void stop_in_background(int signal)
{
	const struct sigaction stop = { .sa_handler = SIG_DFL };
	sigset_t open = ending_signals(), before;
	struct sigaction handler;
	int error = errno;

	if (!pthread_equal(pthread_self(), owner)) { /* any thread may get the signal */
		pthread_kill(owner, signal);
		return;
	}
	if (leave_screen)
		leave_screen();
	sigaddset(&open, signal);
	sigaction(signal, &stop, &handler);
	raise(signal); /* pending until it is unblocked */
	pthread_sigmask(SIG_UNBLOCK, &open, &before);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	sigaction(signal, &handler, NULL);
	errno = error;
}

/* If they are ignored, the terminal may be used in the background, and they stay ignored. */
static void change_background_action(void (*from)(int), void (*to)(int))
{
	const struct sigaction action = { .sa_handler = to, .sa_flags = SA_RESTART };
	struct sigaction now;

	for (size_t i = 0; i < ARRAY_SIZE(background_signals); i++)
		if (sigaction(background_signals[i], NULL, &now) == 0 && now.sa_handler == from)
			sigaction(background_signals[i], &action, NULL);
}

/* ---- signals from a queue ---- */

int terminal_signals_open(struct terminal_signals *signals, void (*leave)(void))
{
	sigset_t set = handled_signals();

	*signals = (struct terminal_signals){ -1, -1 };
	sigprocmask(SIG_BLOCK, &set, NULL);
	leave_screen = leave;
	owner = pthread_self();
	change_background_action(SIG_DFL, stop_in_background);
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

	change_background_action(stop_in_background, SIG_DFL);
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
	sigset_t stop = only(SIGTSTP), go_on = only(SIGCONT), end = ending_signals();
	int signal;

	pthread_sigmask(SIG_UNBLOCK, &stop, NULL);
	pthread_sigmask(SIG_BLOCK, &stop, NULL);
	/* The SIGCONT is expected. */
	sigtimedwait(&go_on, NULL, &(struct timespec){ 0 });
	signal = sigtimedwait(&end, NULL, &(struct timespec){ 0 });
	return MAX(signal, 0);
}
