/*
 * SIGHUP: the server executes its binary again, in the same process, and goes on
 * where it was. Sockets, connections, tables and pidfds stay open across it; what
 * is only in memory (the legacy ledgers, the accounts) travels in a memfd. So an
 * upgrade of the program loses nothing, and no client notices.
 *
 * Should the new binary not understand what the old one left, it closes all of
 * it and starts afresh: clients come back by themselves.
 */
#pragma once

#include "basic/macros.h"

#include <stdbool.h>

struct manager;

/*
 * First of all in main(): remembers which file we are, and reads what an earlier
 * server left, if there was one.
 */
void reexec_begin(void);

/* Is there such a thing? Then it is too late to refuse to start. */
bool reexec_goes_on(void);

/* Goes on with it. False: there is nothing, the server starts as usual. */
bool reexec_restore(struct manager *manager);

/* Returns only if it cannot be done: then the old server goes on. Says why. */
void reexec(struct manager *manager, char **argv);
