/*
 * A process that reports through the legacy socket: one ledger for all its
 * connections. The first report makes it; a process that only asks has none.
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

/* What legacy processes need. */
struct legacy_processes {
	struct reporters *reporters;
	struct device_filters *filters;
	const struct cards *cards;
};

struct legacy_process;

/* Member of each connection that the process reports through. */
struct legacy_link {
	struct list member;
	struct legacy_process *process; /* NULL: it has reported nothing so far, or has ended */
	uint32_t number;		/* of the connection, in the ledger */
	void (*ended)(struct legacy_link *link); /* the process has */
};

struct legacy_process {
	struct reporter reporter;
	const struct cards *cards;
	struct device_filter *filter;
	struct list links; /* struct legacy_link */
	int32_t place;	   /* among all, while state_save() works */
	bool limit_said;   /* that it holds more than its limit */
	struct ledger ledger;
};

/*
 * The process of a peer. pidfd is the process's on success if *ret_taken; otherwise it was known
 * and the caller closes it.
 */
MUST_CHECK int legacy_process_get(struct legacy_processes *processes, const struct peer *peer,
				  int pidfd, struct legacy_process **ret, bool *ret_taken);

/* One connection more. */
void legacy_process_join(struct legacy_process *process, struct legacy_link *link);

/* It has ended: the process no longer holds what it reported there. With the last one the
 * process goes too. Does nothing without a process.
 */
void legacy_process_leave(struct legacy_link *link);

/* One report. */
void legacy_process_report(struct legacy_process *process, const struct legacy_record *record,
			   uint32_t through);

/* One that cannot be accounted for, see legacy_report_fault(). */
void legacy_process_ignore(struct legacy_process *process, const struct legacy_record *record);

extern const struct reporter_ops legacy_process_ops;

/* The process behind a reporter; NULL: it reports in another way. */
static inline struct legacy_process *legacy_process_of(struct reporter *reporter)
{
	return reporter->ops == &legacy_process_ops
		       ? container_of(reporter, struct legacy_process, reporter)
		       : NULL;
}
