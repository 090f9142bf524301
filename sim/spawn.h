/* Starts a workload's process: worker.h describes how. */
#pragma once

#include "basic/macros.h"
#include "worker.h"

#include <sys/types.h>

/* Waits until its devices are open. The socket stays connected; the caller closes it. */
MUST_CHECK int spawn_worker(const struct worker_job *job, pid_t *ret, int *ret_socket);

/* Waits for the next byte of a process. */
MUST_CHECK int spawn_wait(int socket);
