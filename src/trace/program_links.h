/*
 * Probes on the hooks of metal/program_hook.h. They are not pinned, and end with this tracer:
 * without a tracer that samples, there are no figures.
 *
 * There are four groups. The probes that find the rings of the profiler are on functions that are
 * called often, and are removed once the rings of every process are known. Before v0.76 there are
 * no rings: a probe is hit for each record. The probes for launches and for names of operations are
 * hit for each operation, and are attached only if the user requests it.
 */
#pragma once

#include "trace/tracer.h"

#include "metal/program_hooks.h"

enum program_group { GROUP_RINGS, GROUP_RECORDS, GROUP_LAUNCHES, GROUP_NAMES, PROGRAM_GROUPS };

/* What the user requests: the options --programs and --names. */
struct program_follow {
	bool launches, names;
};

/* One attached library. */
struct program_library {
	uint32_t id; /* 0: the entry is free */
	int fd;	     /* of the file, to attach later */
	struct program_hooks hooks;
	/* one per hook, or one per group, at its first hook; -1: none */
	int links[PROGRAM_HOOKS];
};

struct program_links {
	struct program_library libraries[TRACE_LIBRARIES];
	struct program_follow follow;
};

void program_links_init(struct program_links *links, struct program_follow follow);
void program_links_done(struct program_links *links);

/*
 * Adds a library that is attached; fd is its file. Does nothing if it was added before. Attaches
 * all groups that were requested, except GROUP_RINGS.
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
