/* A process that has a device open: looked at, entered into the kernel's list, told of. */
#pragma once

#include "trace/look.h"

struct scan;

struct holder {
	pid_t pid;
	uint64_t start;
	char comm[TRACE_COMM + 1];
	uint64_t pages;	   /* of its address space when it was looked at */
	unsigned age;	   /* scans since then */
	struct look *look; /* that is under way */
	int64_t late;	   /* since when its files do not answer, ns; 0: they do */
	bool followed;
	bool partly;			  /* a file of TT-Metal that it maps is not attached to */
	uint32_t libraries[TRACE_COPIES]; /* that it maps; 0: no more */
	size_t n_files;			  /* of TT-Metal that it maps, attached to or not */
	const char *why_not;		  /* if it is not, or not reliably, or partly */
	char file[256];			  /* that this is about; may be empty */
};

/* Has it looked at in the next round, if it is time. */
MUST_CHECK int holder_prepare(struct holder *holder, struct scan *scan);

/* After the round: what came of it. */
MUST_CHECK int holder_collect(struct holder *holder, struct scan *scan);

bool holder_maps(const struct holder *holder, uint32_t library);
