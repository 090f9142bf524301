/*
 * What was found out about files, each looked at once: is it TT-Metal, and can it be
 * followed? Nearly all of them are not, so that is remembered too.
 *
 * Looks ask and remember from threads of their own; everything else is for the one
 * who scans.
 */
#pragma once

#include "trace/tracer.h"

#include <pthread.h>
#include <sys/stat.h>

/* Of one file. */
struct verdict {
	uint64_t st_dev, st_ino;
	int64_t changed;
	bool metal;
	bool stale;		/* look again */
	bool unjudged;		/* it is being looked at: others need not read it too */
	enum trace_fault fault; /* of the processes that map it */
	const char *problem;	/* the word of the fault, or why it is not attached; NULL: it is */
	uint32_t library;	/* its number; 0: none */
};

struct found;
struct look;

struct files {
	pthread_mutex_t lock; /* never held by who may block */
	void *tree;	      /* of verdicts, by file */
	size_t count;
	struct look *busy;  /* looks that touch something now */
	struct look *looks; /* all of them; not under the lock */
	struct tracer *tracer;
	struct trace_library *libraries; /* of this scan */
};

void files_init(struct files *files, struct tracer *tracer, struct trace_library *libraries);
void files_done(struct files *files);

/* Whose library was let go since, perhaps by somebody else, is looked at again. */
void files_refresh(struct files *files);

/* A verdict that says no more than which file it is about. */
struct verdict files_key(const struct stat *st);

/* Completes the verdict; false: nothing is known. */
bool files_know(struct files *files, struct verdict *verdict);

MUST_CHECK int files_remember(struct files *files, const struct verdict *verdict);

/*
 * Judges what a look has found, and attaches to it if that is possible and not done
 * yet. The kernel reads the file while it attaches, and meanwhile lets no process of the
 * machine fork: so a file that a program serves (FUSE), which may take its time, is
 * attached to only if it is named. -EAGAIN: another look has read it, and is not done;
 * -ENOMEM.
 */
MUST_CHECK int files_take(struct files *files, const struct found *found, bool named,
			  struct verdict *ret);
