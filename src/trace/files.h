/*
 * Files that processes execute, each looked at once: is it TT-Metal, and can it be
 * followed? Nearly all of them are not, so that is remembered too.
 */
#pragma once

#include "trace/tracer.h"

#include <sys/stat.h>

/* What was found out about a file. */
struct verdict {
	uint64_t st_dev, st_ino;
	int64_t changed;
	bool metal;
	const char *problem; /* of "unreliable:PROBLEM", or why it is not attached; NULL: it is */
	uint32_t flags;	     /* of processes that map it */
	uint32_t library;    /* its number; 0: none */
};

struct files {
	void *tree; /* of verdicts, by file */
	size_t count;
	struct tracer *tracer;
	struct trace_library *libraries; /* of this scan */
};

void files_done(struct files *files);

/*
 * Looks at a file, and attaches to it if it is TT-Metal and not yet attached to; path
 * is opened, name is what people read. -errno if it cannot be opened or memory is out.
 */
MUST_CHECK int files_look(struct files *files, const char *path, const char *name,
			  struct verdict *ret);
