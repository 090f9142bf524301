/*
 * The purpose for which a process holds a device. A job computes on it; a monitor only reads its
 * state (a telemetry collector, tt-smi, a flash tool) and has no memory there.
 *
 * A holder is a job unless three things prove that it is a monitor:
 *
 * - Its name is on the list. A process can choose its name, so a name counts only if root chose it:
 *   the base name of an executable that only root can have installed, or, for a process of uid 0,
 *   its script or (if the executable cannot be read) its comm.
 * - It contains no code of TT-Metal. Code that users other than root can modify could be TT-Metal
 *   without its symbols, so a process of another user must not have such code.
 * - No memory is reported by it or for it.
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

/* The role found by the server or the tracer, which can examine every process. */
enum role_report {
	ROLE_NOT_REPORTED,
	ROLE_REPORTED_JOB,
	ROLE_REPORTED_MONITOR,
};

struct role_evidence {
	bool uid_is_root;   /* real, effective, saved and file system uid are 0 */
	bool comm_listed;   /* its comm is on the list */
	bool script_listed; /* it is an interpreter, and its script is on the list */
	bool exe_read;	    /* the executable could be examined: the next two are known */
	bool exe_listed;    /* its base name is on the list */
	bool exe_protected; /* only root can have written its contents and its name */
	bool code_read; /* all files that it maps as code were examined: the next two are known */
	bool code_is_metal;    /* one of them is TT-Metal */
	bool code_unprotected; /* some of its code is not in a file that only root may write */
	bool reports;	       /* it reports memory, by any means */
	enum role_report reported;
	/* start of the process that the report is about, in ticks; 0: unknown */
	uint64_t reported_start;
	uint64_t start_ticks; /* start of this process, to detect a reused pid */
};

enum role role_judge(const struct role_evidence *evidence);

/*
 * Is the role certain enough to report: was a process with a monitor's name examined completely?
 */
bool role_is_settled(const struct role_evidence *evidence);

/* Would its name count if the rest is proven too? If not, nothing else needs to be examined. */
bool role_is_candidate(const struct role_evidence *evidence);

extern const char *const role_names[ROLES];

/* ---- names of monitors ---- */

/* Maximum length including the NUL, as in the model. */
#define MONITOR_NAME 64

/* Names in addition to the built-in ones. */
struct monitor_names {
	char (*list)[MONITOR_NAME];
	size_t count;
};

/*
 * Adds the names of a text, one per line; blanks around a name, empty lines and lines that begin
 * with # are ignored. *ret_bad is the number of the first line that is not a name (too long, or
 * containing a slash or a blank) and was skipped; 0: none. -ENOMEM.
 */
MUST_CHECK int monitor_names_parse(struct monitor_names *names, const char *text,
				   unsigned *ret_bad);
void monitor_names_done(struct monitor_names *names);

/* names may be NULL: then only the built-in ones are searched. */
bool monitor_names_have(const struct monitor_names *names, const char *name);

/* The same for a comm, which the kernel truncates to 15 bytes. */
bool monitor_names_have_comm(const struct monitor_names *names, const char *comm);
