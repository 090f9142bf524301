/* The command that tt_smi sim runs, and signal forwarding. */
#pragma once

#include "basic/macros.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <sys/types.h>

/* Settings that a child restores before it executes another program. */
struct inherited {
	sigset_t mask;
	mode_t umask;
	unsigned long files; /* soft limit of open files */
};

/* Blocks the signals that the loop reads and raises limits; *ret: the original settings. */
void command_prepare(struct inherited *ret, sigset_t *ret_signals);

/* Runs it with its environment, in our process group, so that it has the terminal. */
MUST_CHECK int command_start(char **argv, const char *root, const struct inherited *inherited,
			     pid_t *ret);

/* Forwards a signal, unless the terminal has already sent it to both processes. */
void command_forward(pid_t pid, const struct signalfd_siginfo *info);

/* As in a shell: 128 plus the signal number if a signal ended it. */
int command_exit_status(int status);
