/*
 * Probes on the hooks of metal/program_hook.h. They last as long as this tracer runs: figures need
 * a tracer that samples.
 *
 * Four groups. Rings of the profiler are found by probes that are removed again once every process
 * has its rings, since the functions are called often. Records of releases before v0.76 need a
 * probe for each. Launches and names of operations are followed only if the user asks for it: each
 * is a probe for each operation.
 */
#pragma once

#include "trace/tracer.h"

#include "metal/program_hooks.h"

enum program_group { GROUP_RINGS, GROUP_RECORDS, GROUP_LAUNCHES, GROUP_NAMES, PROGRAM_GROUPS };

/* What the user asks for. */
struct program_follow {
	bool launches, names;
};

/* One attached library. */
struct program_library {
	uint32_t id; /* 0: the entry is free */
	int fd;	     /* of the file, to attach later */
	struct program_hooks hooks;
	int links[PROGRAM_HOOKS]; /* one per group (at the hook that comes first), or per hook; -1
				   */
};

struct program_links {
	struct program_library libraries[TRACE_LIBRARIES];
	struct program_follow follow;
};

void program_links_init(struct program_links *links, struct program_follow follow);
void program_links_done(struct program_links *links);

/*
 * Takes a library that was attached to, or is since earlier; fd is its file. Attaches to all but
 * rings at once.
 */
MUST_CHECK int program_links_add(struct program_links *links, const struct tracer *tracer,
				 struct trace_library *library, int fd);

/* Drops libraries that were detached. */
void program_links_clean(struct program_links *links,
			 const struct trace_library list[static TRACE_LIBRARIES]);

/* Attaches or removes the probes that find rings of one library. */
MUST_CHECK int program_links_seek(struct program_library *library, const struct tracer *tracer,
				  bool seek);

struct program_library *program_links_find(struct program_links *links, uint32_t id);
