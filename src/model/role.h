/*
 * What a process holds a device for. A job computes on it; a monitor only reads its state
 * (a telemetry collector, tt-smi, a flash tool) and has no memory there.
 *
 * A holder is a job unless it is proven to be a monitor, by three things:
 *
 * - A name on the list. Every process may choose how it is called, so a name counts only
 *   if root chose it: the base name of an executable that only root can have put there, or,
 *   for a process of uid 0, its script or (where the executable cannot be read) its comm.
 * - No code of TT-Metal in it. Code that someone other than root may change could be
 *   TT-Metal without its symbols, so a process of another user must not have such code.
 * - No memory reported by it or for it.
 *
 * Missing evidence proves nothing. Pure functions.
 */
#pragma once

#include "basic/macros.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum role {
	ROLE_JOB,
	ROLE_MONITOR,
	ROLES,
};

/* What the server or the tracer found, which may look at every process. */
enum role_told {
	ROLE_TOLD_NOTHING,
	ROLE_TOLD_JOB,
	ROLE_TOLD_MONITOR,
};

struct role_evidence {
	bool uid_is_root;   /* real, effective, saved and file system uid are 0 */
	bool comm_listed;   /* the name that the kernel keeps is on the list */
	bool script_listed; /* it is an interpreter, and its script is on the list */
	bool exe_read;	    /* the executable could be looked at: the next two are known */
	bool exe_listed;    /* its base name is on the list */
	bool exe_protected; /* only root can have given it these contents and this name */
	bool code_read; /* every file that it maps as code was looked at: the next two are known */
	bool code_is_metal;    /* one of them is TT-Metal */
	bool code_unprotected; /* some of its code is in no file that only root may write */
	bool reports;	       /* memory, in any way */
	enum role_told told;
	uint64_t told_start;  /* start of the process that this is about, in ticks; 0: unknown */
	uint64_t start_ticks; /* start of this process: after a reuse of the pid it is another */
};

enum role role_judge(const struct role_evidence *evidence);

/*
 * Is the role certain enough to pass on: was a process with a monitor's name examined completely?
 */
bool role_is_settled(const struct role_evidence *evidence);

/* Would its name count if the rest is proven too? If not, nothing else need be examined. */
bool role_is_candidate(const struct role_evidence *evidence);

extern const char *const role_names[ROLES];

/* ---- names of monitors ---- */

/* The longest, NUL included: as long as the model keeps a name. */
#define MONITOR_NAME 64

/* Names beyond the built-in ones. */
struct monitor_names {
	char (*list)[MONITOR_NAME];
	size_t count;
};

/*
 * Adds the names of a text, one per line; blanks around a name, empty lines and lines that begin
 * with # are ignored. *ret_bad is the number of the first line that is not a name (too long, or
 * with a slash or a blank in it) and was skipped, 0 if there is none. -ENOMEM.
 */
MUST_CHECK int monitor_names_parse(struct monitor_names *names, const char *text,
				   unsigned *ret_bad);
void monitor_names_done(struct monitor_names *names);

/* Is it on the list? names may be NULL: the built-in ones only. */
bool monitor_names_have(const struct monitor_names *names, const char *name);

/* The same for a comm, which the kernel cuts to 15 bytes. */
bool monitor_names_have_comm(const struct monitor_names *names, const char *comm);
