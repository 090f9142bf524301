/*
 * What the command finds in its environment: the tree in TT_SMI_ROOT, an allocation server of
 * its own, and our programs in PATH.
 */
#pragma once

#include "basic/macros.h"

/*
 * Names the sockets of a server below `root` in our own environment, which the workloads and the
 * command inherit: neither reaches the server of the machine that we run on. -ENOMEM.
 */
MUST_CHECK int environment_own_server(const char *root);

/* The rest, for the command alone: called in its process. */
void environment_of_command(const char *root);

/* Explains the machine on standard error if the command is an interactive shell. */
void environment_announce(char **argv, const char *boards);
