/*
 * The identity of a process, as the kernel gives it for the socket it connected through, or for
 * its pid. A pid alone can be reused, so the start time belongs to it, and a pidfd that shows when
 * the process ends.
 *
 * Peers are processes of the machine the server runs on, whatever tree --root
 * points to.
 */
#pragma once

#include "basic/macros.h"
#include "model/process.h"
#include "proto/snapshot_image.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct peer {
	pid_t pid;	    /* in our namespace */
	uid_t uid;	    /* effective, when it connected */
	pid_t ns_pid;	    /* in its own namespace */
	uint32_t described; /* 0: it did not answer, and what follows is unknown */
	uint64_t start_ticks;
	uint64_t start_ns;     /* CLOCK_REALTIME; 0 unknown */
	char name[IMAGE_NAME]; /* as it comes: clean before showing */
};

static inline bool peer_is(const struct peer *a, const struct peer *b)
{
	return a->pid == b->pid && a->start_ticks == b->start_ticks;
}

/* User and pid of the process that connected. -ESRCH: it is in a pid namespace that is not visible
 * here. */
MUST_CHECK int peer_ask(int sock, pid_t *ret_pid, uid_t *ret_uid);

/* A pidfd of the process that connected. -ESRCH: it has ended, and was reaped. */
MUST_CHECK int peer_pidfd(int sock, pid_t pid, int *ret);

/*
 * All of it, by reading /proc: for jobs of the observer. The peer lived when all of it was read,
 * so it belongs together. uid is that of the process now. -ESRCH: has ended.
 */
MUST_CHECK int peer_describe(pid_t pid, int pidfd, struct peer *ret);
MUST_CHECK int peer_of_pid(pid_t pid, struct peer *ret, int *ret_pidfd);

/* As a sample of the sources describes it. */
void peer_of_holder(const struct process *holder, struct peer *ret);

/* Its record in an answer, without what it reports. */
void peer_record(const struct peer *peer, enum image_origin origin, struct image_process *ret);

/* How it ended, as waitpid() gives it. False: not reaped yet, or the kernel does not support it. */
bool pidfd_exit_status(int pidfd, int *ret);
