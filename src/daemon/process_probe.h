/*
 * Reads what /proc says of one process, without making the loop wait for it. The loop queues a
 * probe; the observer's thread runs it as a job with a deadline (basic/worker_pool.h); the loop
 * gets the result by a callback.
 *
 * Reads of a process's memory may block for as long as that process likes. Each user may have a
 * few probes that block; after that, further processes of that user are not probed.
 */
#pragma once

#include "basic/macros.h"
#include "basic/worker_pool.h"
#include "daemon/peer.h"
#include "source/visible.h"

#include <stdbool.h>
#include <sys/types.h>

struct probes;
struct probe_job;

enum probe_kind {
	PROBE_PEER,    /* start time, name, number in its own namespace */
	PROBE_VISIBLE, /* TT_VISIBLE_DEVICES, and which release reads it */
};

struct probe_result {
	int error;	  /* 0; -ESRCH: has ended; -ETIMEDOUT: does not answer, or its user has too
			     many such processes */
	struct peer peer; /* PROBE_PEER */
	int pidfd;	  /* PROBE_PEER of a pid: its pidfd, the callee's; else -1 */
	struct visible_view view; /* PROBE_VISIBLE */
};

/* Member of the object that waits for the result. */
struct probe {
	struct probes *probes; /* NULL: none is under way */
	struct probe_job *job;
	void (*done)(struct probe *probe, const struct probe_result *result);
};

/*
 * In the loop's thread: queues a probe. pidfd (duplicated; -1: none) says which process the pid
 * belongs to. done() is called unless it is stopped first. -ENOMEM.
 */
MUST_CHECK int probe_start(struct probe *probe, struct probes *probes, enum probe_kind kind,
			   pid_t pid, uid_t uid, int pidfd);
void probe_stop(struct probe *probe);

/* The eventfds: wanted wakes the observer's thread, ready the loop. All are borrowed. */
MUST_CHECK int probes_new(struct worker_pool *workers, int wanted, int ready, struct probes **ret);

/* Takes NULL. What a blocked job uses is left to it; the process ends anyway. */
struct probes *probes_free(struct probes *probes);

/* In the observer's thread: runs some that are queued. Returns whether there are more. */
bool probes_run(struct probes *probes);

/* In the loop's thread: calls done() for those that were run. */
void probes_hand_over(struct probes *probes);
