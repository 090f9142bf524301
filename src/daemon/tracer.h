/*
 * The tracer as a child of the server: started, watched, started again when it
 * died, ended with the server. What it pins stays in the kernel all the while, so
 * a tracer that dies loses nothing, and the next one takes over.
 *
 * It survives SIGHUP: a server that executes itself again keeps its child.
 */
#pragma once

#include "basic/macros.h"
#include "daemon/loop.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct tracer_child {
	struct loop *loop; /* NULL: not asked for */
	struct watch life; /* pidfd of the child */
	struct timer again;
	pid_t pid; /* 0: none runs */
	int64_t started_ns, pause_ns;
};

/* Can there be one at all? 0, or an exit code after reporting why not. */
MUST_CHECK int tracer_check(void);

/* Starts it, or goes on with a child that the server before it left. */
void tracer_start(struct tracer_child *tracer, struct loop *loop, pid_t child);

/* Ends it, waiting for a moment. */
void tracer_stop(struct tracer_child *tracer);
