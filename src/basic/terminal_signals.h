/*
 * The signals of a program that draws on a terminal: blocked, and taken from a queue. Ctrl-Z
 * restores the terminal for the shell before the program stops.
 *
 * The shell continues as soon as its own child has stopped. If that child is another process of
 * our group (sh -c, make, sudo), it may use the terminal, or even continue us, before we
 * have stopped. Therefore SIGTSTP stays pending until the terminal is restored, and then stops the
 * process by its default action: if SIGCONT comes first, the kernel discards the pending SIGTSTP,
 * and the process continues.
 *
 * In the background, setting the terminal's modes or reading from it stops the process with SIGTTOU
 * or SIGTTIN, until it is in the foreground. Signals that end the program take effect meanwhile.
 */
#pragma once

#include "basic/macros.h"

#include <stdbool.h>

struct terminal_signals {
	int ready;  /* for poll(): readable while a signal is pending; never read */
	int queued; /* all but SIGTSTP */
};

/*
 * Blocks SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP and SIGCONT, and handles SIGTTIN and
 * SIGTTOU; to be called before any thread is started, so that they are blocked for all of them.
 *
 * leave: called before SIGTTIN or SIGTTOU stops the process, in the handler of that signal, to
 * restore the screen for the shell; may be NULL.
 */
MUST_CHECK int terminal_signals_open(struct terminal_signals *signals, void (*leave)(void));

/* May be called more than once. Signals stay blocked. */
void terminal_signals_close(struct terminal_signals *signals);

void terminal_signals_unblock(void);

/* Takes a pending signal; 0: none. SIGTSTP stays pending: call terminal_signals_stop(). */
MUST_CHECK int terminal_signals_next(struct terminal_signals *signals);

/* May the modes of the terminal be set? Otherwise the shell has it, with modes of its own. */
bool terminal_is_foreground(int fd);

/*
 * Stops until SIGCONT. Returns at once if SIGCONT came since SIGTSTP, or if no shell could continue
 * this process group.
 *
 * Returns the signal that is to end the program, if there is one, else 0: a shell that kills a
 * stopped job continues it in the background, where using the terminal would stop it again.
 */
MUST_CHECK int terminal_signals_stop(void);
