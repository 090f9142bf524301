/*
 * Runs a command on reserved devices: passes signals on to it, keeps the reservation, and ends as
 * the command does.
 */
#pragma once

#include "cli/reservation.h"

/*
 * execute() runs in a child process and returns only if it fails, with an exit code. Returns the
 * command's exit status, or ends by the signal that ended it.
 */
int supervise(struct reservation *reservation, bool quiet,
	      int (*execute)(void *arg, const struct reservation *reservation), void *arg);
