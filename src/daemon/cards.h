/*
 * The cards of this machine, found by the kmd source when the server starts and
 * again when device nodes come or go. Also what is counted of programs that do not report:
 * by the tracer, and by TT-Metal.
 */
#pragma once

#include "basic/root.h"
#include "basic/macros.h"
#include "daemon/loop.h"
#include "model/merge.h"
#include "proto/table.h"
#include "proto/visible_devices.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct looker;

struct card {
	struct table_device identity;
	char name[32];
	enum arch arch;
	uint64_t dram, l1; /* bytes; 0 unknown */
	uint32_t channels; /* 0 unknown */
};

struct cards {
	struct card list[TABLE_DEVICES]; /* by PCI address: TT-Metal's order */
	size_t count;
	const struct root *root;
	struct loop *loop;
	struct looker *looker;	  /* the sources, from the first question on */
	struct watch changes;	  /* inotify */
	struct timer settle;	  /* looks again once changes have settled */
	unsigned looks;		  /* still to be made, at most */
	bool complete;		  /* the last one found out everything */
	struct snapshot *claimed; /* what the tracer and TT-Metal said at claims_ns */
	struct claim *claims;
	size_t n_claims;
	int64_t claims_ns;
};

/* Finding no driver is no failure: cards may come. */
MUST_CHECK int cards_init(struct cards *cards, struct loop *loop, const struct root *root);
void cards_done(struct cards *cards);

/*
 * The card that a process with this list means by a logical id. NULL: none, or it cannot be
 * told.
 */
const struct card *cards_logical(const struct cards *cards, const struct visible_devices *visible,
				 enum visible_meaning meaning, uint32_t id);

/* How many it sees; 0 also if that cannot be told. */
size_t cards_count_visible(const struct cards *cards, const struct visible_devices *visible,
			   enum visible_meaning meaning);

/*
 * What the tracer and TT-Metal's own counters say of processes, one claim per card of each;
 * remembered for a moment. The claims' devices are places in the snapshot, NULL if nobody
 * counts. Valid until the next call.
 */
size_t cards_counts(struct cards *cards, const struct claim **ret_claims,
		    const struct snapshot **ret_snapshot);

/* Identity of a device of such a snapshot. */
void card_identify(const struct device *device, struct table_device *ret);
