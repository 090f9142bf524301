/*
 * Does a process have a device open, and what for? Sources record what they learn about a
 * process as evidence; the functions here judge it. They are pure.
 *
 * Evidence on whether it has a device open:
 *
 * - Its descriptors and mappings, where they could be read. They are the newest evidence and
 *   settle the question.
 * - The kernel's list of open descriptors, which exists while programs are traced. It covers
 *   processes of every user.
 * - The driver's list of the processes that opened the device. After a fork the opener may have
 *   exited while its child keeps the descriptor, and its pid may belong to another process by now.
 *   Drivers before 2.7 list pids of the opener's namespace, which mean nothing in another one.
 *
 * Evidence on what for is in model/role.h.
 */
#pragma once

#include "model/device_set.h"
#include "model/reason.h"
#include "model/role.h"

#include <stdbool.h>
#include <stdint.h>

/* The result of reading its descriptors. */
enum hold_access {
	HOLD_NOT_READ,	 /* not tried */
	HOLD_READ,	 /* they were read */
	HOLD_HIDDEN,	 /* they could not be read: see why_hidden */
	HOLD_NO_PROCESS, /* no process has this pid */
};

struct hold_evidence {
	struct device_set driver_lists;
	struct device_set kernel_lists;
	struct device_set open; /* by its descriptors and mappings */
	enum hold_access access;
	enum reason why_hidden; /* KNOWN unless HOLD_HIDDEN */
	bool foreign_pids;	/* the driver lists pids of other namespaces */
	struct role_evidence role;
};

/* One process and one device. */
enum hold_state {
	HOLD_NONE,    /* it does not have the device open, as far as is known */
	HOLD_SEEN,    /* a descriptor or a mapping shows it */
	HOLD_LISTED,  /* the driver lists it, and its descriptors could not be read */
	HOLD_FOREIGN, /* as HOLD_LISTED, but the pid may be that of any process */
	/* the driver lists it, but it exited: another process keeps the device open */
	HOLD_OPENER_EXITED,
	HOLD_OPENER_UNKNOWN, /* the driver lists its pid, but it opened nothing: another one did */
};

enum hold_state hold_judge(const struct hold_evidence *evidence, uint32_t index);

/* The devices that some evidence names: for all others the state is HOLD_NONE. */
static inline struct device_set hold_named_devices(const struct hold_evidence *evidence)
{
	struct device_set named = evidence->driver_lists;

	device_set_add_all(&named, &evidence->kernel_lists);
	device_set_add_all(&named, &evidence->open);
	return named;
}

/* Can hold_is_orphan() be true for some device? */
static inline bool hold_may_have_orphans(const struct hold_evidence *evidence)
{
	return device_set_lacks(&evidence->open, &evidence->driver_lists);
}

/* Is it an entry in the driver's list without a process that belongs to it? */
static inline bool hold_is_orphan(enum hold_state state)
{
	return state == HOLD_OPENER_EXITED || state == HOLD_OPENER_UNKNOWN;
}

/* The meaning of such an entry for a device. */
enum hold_orphan {
	ORPHAN_EXPLAINED, /* the process that inherited the descriptor was seen */
	/* the opener's pid is shown in place of the process that keeps the device open */
	ORPHAN_STANDS_IN,
	ORPHAN_UNKNOWN, /* a process that cannot be identified keeps the device open */
};

/*
 * has_holder: a process was found that has the device open. saw_all: every process of the
 * machine was examined.
 */
enum hold_orphan hold_judge_orphan(enum hold_state state, bool has_holder, bool saw_all);
