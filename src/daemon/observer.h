/*
 * The thread that looks at /proc, /dev/shm, sysfs and the tracer's files, so that the loop never
 * waits for any of them. Each read is a job with a deadline (basic/worker_pool.h): a file that does
 *not answer costs what is known of its process, and nothing else.
 *
 *	loop:      look_start(), observer_sample() ──>  queue
 *	observer:  takes all that is queued, runs it, hands over what it found
 *	loop:      <── eventfd ── callbacks
 *
 * What it hands over no longer changes. It works when asked, and when device nodes come or go;
 * otherwise it sleeps.
 */
#pragma once

#include "basic/worker_pool.h"
#include "basic/macros.h"
#include "basic/root.h"
#include "daemon/list.h"
#include "daemon/loop.h"
#include "daemon/peer.h"
#include "model/merge.h"
#include "source/visible.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct found_table; /* table_search.h */
struct observer;
struct look_job;

/* A look at one process: what to look for, and what to call when it is over. */
enum look_kind {
	LOOK_PEER,    /* start time, name, number in its own namespace */
	LOOK_VISIBLE, /* TT_VISIBLE_DEVICES, and which release reads it */
};

struct look_result {
	int error; /* 0; -ESRCH: has ended; -ETIMEDOUT: does not answer, also of a user that has too
		      many such processes */
	struct peer peer;	  /* LOOK_PEER */
	int pidfd;		  /* LOOK_PEER of a number: its pidfd, the callee's; else -1 */
	struct visible_view view; /* LOOK_VISIBLE */
};

/* Member of the object that waits for it. */
struct look {
	struct observer *observer; /* NULL: none is under way */
	struct look_job *job;
	void (*done)(struct look *look, const struct look_result *result);
};

/* What the sources said at one time. */
struct sighting {
	int error;	  /* -ENOENT: no driver; then all of the following is empty */
	int64_t taken_ns; /* CLOCK_MONOTONIC, when it began */
	bool changed;	  /* device nodes have come or gone */
	struct snapshot *snapshot;
	struct memory_report
		*reports; /* of the tracer and of TT-Metal; devices by place in the snapshot */
	size_t n_reports;
	uint64_t *gone; /* names of links that are no longer there */
	size_t n_gone;
};

void sighting_free(struct sighting *sighting);

/* The descriptor of a process that an adopted table was found as. */
struct observed_link {
	uint64_t name; /* the caller's */
	pid_t pid;
	int number;
	dev_t dev;
	ino_t ino;
};

/* Called in the loop's thread. */
struct observer_ops {
	void (*sighted)(void *arg, struct sighting *sighting); /* takes it */
	void (*found)(void *arg, const struct found_table *table);
	void (*searched)(void *arg, int error); /* for tables: that was all */
};

/* root must stay until the process ends: a read that hangs may still use it. */
MUST_CHECK int observer_new(struct loop *loop, const struct root *root,
			    const struct observer_ops *ops, void *arg, struct observer **ret);
struct observer *observer_free(struct observer *observer);

/* Asks the sources; a question that is under way already will do if it began after this call. */
void observer_sample(struct observer *observer, const struct observed_link *links, size_t count);

/* Looks through /proc for tables, once. */
void observer_search(struct observer *observer);

/*
 * Begins a look; pidfd (borrowed until it is done, or -1) holds the number. done() is called
 * unless it is stopped first. -ENOMEM.
 */
MUST_CHECK int look_start(struct look *look, struct observer *observer, enum look_kind kind,
			  pid_t pid, uid_t uid, int pidfd);
void look_stop(struct look *look);
