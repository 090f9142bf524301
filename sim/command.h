/* The command that tt_smi sim runs, and the signals between them. */
#pragma once

#include "basic/macros.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <sys/types.h>

/* What a child gets back before it becomes another program. */
struct inherited {
	sigset_t mask;
	mode_t umask;
	unsigned long files; /* soft limit of open files */
};

/* Blocks the signals that the loop reads and raises limits; *ret: as they were before. */
void command_prepare(struct inherited *ret, sigset_t *ret_signals);

/* Runs it with its environment, in our process group: it has the terminal. */
MUST_CHECK int command_start(char **argv, const char *root, const struct inherited *inherited,
			     pid_t *ret);

/* Passes a signal on, unless the terminal has already sent it to both of us. */
void command_forward(pid_t pid, const struct signalfd_siginfo *info);

/* As a shell counts it: 128 and the signal if one ended it. */
int command_exit_status(int status);
