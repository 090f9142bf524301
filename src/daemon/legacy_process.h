/*
 * A process that reports through the legacy socket: one ledger for all its connections. It is
 * created by the first report; a process that only sends queries has none.
 */
#pragma once

#include "daemon/device_filter.h"
#include "daemon/ledger.h"
#include "daemon/list.h"
#include "daemon/loop.h"
#include "daemon/peer.h"
#include "daemon/reporter.h"
#include "proto/legacy.h"
#include "proto/snapshot_image.h"

#include <stdint.h>

struct cards;

/* Shared state of all legacy processes. */
struct legacy_processes {
	struct reporters *reporters;
	struct device_filters *filters;
	const struct cards *cards;
};

struct legacy_process;

/* Member of each connection that the process reports through. */
struct legacy_link {
	struct list member;
	struct legacy_process *process;		 /* NULL: it has reported nothing, or has ended */
	uint32_t number;			 /* number of the connection in the ledger */
	void (*ended)(struct legacy_link *link); /* called when the process has ended */
};

struct legacy_process {
	struct reporter reporter;
	const struct cards *cards;
	struct device_filter *filter;
	struct list links; /* struct legacy_link */
	int32_t place;	   /* its index during state_save() */
	bool limit_said;   /* reaching its limit was logged */
	struct ledger ledger;
};

/*
 * The process of a peer. *ret_taken: it took ownership of pidfd; otherwise it existed already and
 * the caller closes pidfd.
 */
MUST_CHECK int legacy_process_get(struct legacy_processes *processes, const struct peer *peer,
				  int pidfd, struct legacy_process **ret, bool *ret_taken);

/* Adds a connection. */
void legacy_process_join(struct legacy_process *process, struct legacy_link *link);

/*
 * Removes a connection and drops what was reported through it. The last one removes the process.
 * Does nothing if link has no process.
 */
void legacy_process_leave(struct legacy_link *link);

/* Handles one report. */
void legacy_process_report(struct legacy_process *process, const struct legacy_record *record,
			   uint32_t through);

/* Counts an invalid report, see legacy_report_fault(). */
void legacy_process_ignore(struct legacy_process *process, const struct legacy_record *record);

extern const struct reporter_ops legacy_process_ops;

/* The legacy process of a reporter; NULL if it is of another kind. */
static inline struct legacy_process *legacy_process_of(struct reporter *reporter)
{
	return reporter->ops == &legacy_process_ops
		       ? container_of(reporter, struct legacy_process, reporter)
		       : NULL;
}
