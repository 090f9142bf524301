/*
 * SIGHUP: the server executes its binary again, in the same process, and continues. Sockets,
 * connections, tables and pidfds stay open; state that is only in memory (the legacy ledgers, the
 * accounts) is passed in a memfd. An upgrade of the program loses nothing, and clients do not
 * notice it.
 *
 * If the new binary cannot read the state, it closes all descriptors and starts afresh: clients
 * reconnect by themselves.
 */
#pragma once

#include "basic/macros.h"

#include <stdbool.h>

struct manager;

/*
 * To be called first in main(): records the path of the executable, and reads the state of an
 * earlier server, if there is any.
 */
void reexec_begin(void);

/* Is there a state? Then it is too late to refuse to start. */
bool reexec_has_state(void);

/* Restores the state. False if there is none: the server starts as usual. */
bool reexec_restore(struct manager *manager);

/* Returns only on failure, after logging the reason: then the old server continues. */
void reexec(struct manager *manager, char **argv);
