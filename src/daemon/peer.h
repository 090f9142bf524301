/*
 * The identity of a process, as the kernel reports it for the socket it connected through, or for
 * its pid. A pid can be reused, so it is combined with the start time, and with a pidfd that shows
 * when the process ends.
 *
 * Peers are processes of the machine that the server runs on, regardless of --root.
 */
#pragma once

#include "basic/macros.h"
#include "model/process.h"
#include "proto/snapshot_image.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct peer {
	pid_t pid;	    /* in our pid namespace */
	uid_t uid;	    /* effective uid at the time of connect() */
	pid_t ns_pid;	    /* in its own pid namespace */
	uint32_t described; /* 0: it could not be read, and the members below are unknown */
	uint64_t start_ticks;
	uint64_t start_ns;     /* CLOCK_REALTIME; 0: unknown */
	char name[IMAGE_NAME]; /* may contain control characters */
};

static inline bool peer_is(const struct peer *a, const struct peer *b)
{
	return a->pid == b->pid && a->start_ticks == b->start_ticks;
}

/*
 * User and pid of the process that connected. -ESRCH: it is in a pid namespace that is not visible
 * here.
 */
MUST_CHECK int peer_ask(int sock, pid_t *ret_pid, uid_t *ret_uid);

/* A pidfd of the process that connected. -ESRCH: it has ended and was reaped. */
MUST_CHECK int peer_pidfd(int sock, pid_t pid, int *ret);

/*
 * Fills all members from /proc; for jobs of the observer. The process was alive throughout, so they
 * are consistent. uid is the current one. -ESRCH: it has ended.
 */
MUST_CHECK int peer_describe(pid_t pid, int pidfd, struct peer *ret);
MUST_CHECK int peer_of_pid(pid_t pid, struct peer *ret, int *ret_pidfd);

/* From a process in a snapshot. */
void peer_of_holder(const struct process *holder, struct peer *ret);

/* Its record in an answer, without usage. */
void peer_record(const struct peer *peer, enum image_origin origin, struct image_process *ret);

/* Its exit status as from waitpid(). False: not reaped yet, or not supported by the kernel. */
bool pidfd_exit_status(int pidfd, int *ret);
