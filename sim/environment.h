/*
 * The environment of the command: the tree in TT_SMI_ROOT, its own allocation server, and our
 * programs in PATH.
 */
#pragma once

#include "basic/macros.h"

/*
 * Sets the socket paths of a server below `root` in our own environment, which the workloads and
 * the command inherit, so that they do not connect to the server of the host. -ENOMEM.
 */
MUST_CHECK int environment_own_server(const char *root);

/* Sets the rest, only for the command: called in its process. */
void environment_of_command(const char *root);

/* Prints a description of the machine on standard error if the command is an interactive shell. */
void environment_announce(char **argv, const char *boards);
