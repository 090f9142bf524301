/*
 * The tracer as a child of the server: started, watched, restarted after a failure, stopped with
 * the server. Its pinned BPF objects stay in the kernel, so a tracer that dies loses nothing, and
 * the next one takes over.
 *
 * It survives SIGHUP: a server that executes itself again keeps its child.
 */
#pragma once

#include "basic/macros.h"
#include "daemon/loop.h"
#include "daemon/options.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct tracer_child {
	struct loop *loop; /* NULL: not requested */
	const struct server_options *options;
	struct watch pidfd_watch; /* pidfd of the child */
	struct timer restart;
	pid_t pid; /* 0: not running */
	int64_t started_ns, pause_ns;
};

/* Can tracing work at all? Returns 0, or an exit code after reporting why not. */
MUST_CHECK int tracer_check(void);

/* Starts it, or takes over a child left by the server before a re-exec. */
void tracer_start(struct tracer_child *tracer, struct loop *loop,
		  const struct server_options *options, pid_t child);

/* Stops it, with a bounded wait. */
void tracer_stop(struct tracer_child *tracer);
