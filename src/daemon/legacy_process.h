/*
 * A process that reports through the legacy socket: one ledger for all its
 * connections. It is made by the first report, so who only asks has none.
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

struct manager;
struct user;

struct legacy_process {
	struct reporter reporter;
	struct device_filter *filter;
	uint32_t connections;
	int32_t place;	 /* among all, while state_save() works */
	bool limit_said; /* that it holds too much */
	uint32_t tables; /* that the same process writes: then these are believed */
	struct ledger ledger;
};

/*
 * The process of a peer, one connection more. pidfd is the process's on success
 * if *ret_taken; otherwise it was known and the caller closes it.
 */
MUST_CHECK int legacy_process_get(struct manager *manager, const struct peer *peer, int pidfd,
				  struct legacy_process **ret, bool *ret_taken);

/* The same without making one: NULL. */
struct legacy_process *legacy_process_find(struct manager *manager, const struct peer *peer);

/* A connection has ended: what it made is gone, and with the last one the process. */
void legacy_process_leave(struct legacy_process *process, uint32_t through);

void legacy_process_free(struct legacy_process *process); /* without an account */

/* A table of this process has come or gone. */
void legacy_process_note_table(struct manager *manager, const struct peer *peer, int change);

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
