/*
 * Reads information about one process from /proc without blocking the loop. The loop queues a
 * probe; the observer's thread runs it as a job with a deadline (basic/worker_pool.h); the loop
 * gets the result by a callback.
 *
 * Reading a process's memory can block for as long as that process likes. Each user may have a few
 * blocked probes; after that, further processes of that user are not probed.
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
	PROBE_PEER,    /* start time, name, pid in its own namespace */
	PROBE_VISIBLE, /* TT_VISIBLE_DEVICES, and the TT-Metal release that interprets it */
};

struct probe_result {
	/*
	 * 0; -ESRCH: it has ended; -ETIMEDOUT: it cannot be read, or its user has too many such
	 * processes
	 */
	int error;
	struct peer peer;	  /* PROBE_PEER */
	int pidfd;		  /* PROBE_PEER by pid: its pidfd, owned by the callee; else -1 */
	struct visible_view view; /* PROBE_VISIBLE */
};

/* Member of the object that waits for the result. */
struct probe {
	struct probes *probes; /* NULL: not running */
	struct probe_job *job;
	void (*done)(struct probe *probe, const struct probe_result *result);
};

/*
 * Queues a probe, in the loop's thread. pidfd (duplicated; -1: none) identifies the process of the
 * pid. done() is called unless the probe is stopped first. -ENOMEM.
 */
MUST_CHECK int probe_start(struct probe *probe, struct probes *probes, enum probe_kind kind,
			   pid_t pid, uid_t uid, int pidfd);
void probe_stop(struct probe *probe);

/*
 * wanted, ready: eventfds that wake the observer's thread and the loop. Nothing is copied or owned.
 */
MUST_CHECK int probes_new(struct worker_pool *workers, int wanted, int ready, struct probes **ret);

/* Takes NULL. The memory of blocked jobs is left to process exit. */
struct probes *probes_free(struct probes *probes);

/* In the observer's thread: runs some queued probes. Returns whether there are more. */
bool probes_run(struct probes *probes);

/* In the loop's thread: calls done() for the finished ones. */
void probes_hand_over(struct probes *probes);
