/*
 * A process whose memory the server knows from one source: a table (client.h), the legacy protocol
 * (legacy_process.h), or a sample of the observer (observed_process.h). Reporters share identity,
 * user, pidfd, account and end; the differences are in an ops table.
 *
 * All of them are in one list, which answers, sums, dumps and accounts iterate over. The pidfd
 * shows the end of the process: what it held last becomes its account.
 *
 * A process may have several reporters. The one with the highest rank counts; the others describe
 * the same memory.
 */
#pragma once

#include "basic/macros.h"
#include "daemon/exit_watch.h"
#include "daemon/list.h"
#include "daemon/loop.h"
#include "daemon/peer.h"
#include "daemon/users.h"
#include "proto/snapshot_image.h"
#include "proto/table.h"

#include <stdbool.h>
#include <stdint.h>

/* Maximum usages of a process: one per device and pool. */
#define USAGES_MAX (TABLE_DEVICES * POOL_COUNT)

struct reporter;

enum reporter_rank {
	RANK_METAL,   /* TT-Metal's own counters */
	RANK_TRACED,  /* counted by the tracer */
	RANK_PRELOAD, /* a table written by the preloaded library */
	RANK_LEGACY,  /* reports of the legacy protocol */
	RANK_TABLE,   /* a table written by the process itself */
};

struct reporter_ops {
	const char *kind; /* for the log */
	enum image_origin origin;

	/* Adds what this source knows to its record: flags, ignored reports, a better name. */
	void (*describe)(const struct reporter *reporter, struct image_process *record);

	/* Fills its usages, at most USAGES_MAX, and adds bits of image_process_flag. */
	uint32_t (*usages)(struct reporter *reporter, struct image_usage *ret, uint32_t *flags);

	/* Maximum number of its current usages. */
	uint32_t (*count_usages)(struct reporter *reporter);

	/* Maximum number of its allocations. Costs system calls. */
	uint32_t (*count_allocations)(struct reporter *reporter);

	/* Adds its allocations, and IMAGE_LIST_CUT to the flags if the list is incomplete. */
	void (*list)(struct reporter *reporter, struct image_writer *writer, uint32_t *flags);

	/* Its process has ended: adds its account and frees it. */
	void (*ended)(struct reporter *reporter);

	/* Frees it without an account: the server ends, not the process. */
	void (*free)(struct reporter *reporter);
};

/* The list of all reporters, and what they share. */
struct reporters {
	struct loop *loop;
	struct users *users;
	struct accounts *accounts;
	struct exit_watches *exit_watches;
	struct list list;		       /* struct reporter */
	struct image_usage usages[USAGES_MAX]; /* scratch space for those of one process */
};

struct reporter {
	const struct reporter_ops *ops;
	struct reporters *all;
	struct list member;
	struct peer peer;
	struct user *user;	  /* whose limits it counts against */
	struct watch pidfd_watch; /* its pidfd */
	enum reporter_rank rank;
	uint32_t better; /* reporters of the same process with a higher rank */
	bool dormant; /* not in the latest sample: kept for its account, not included in answers */
};

static inline struct reporter *reporter_of(struct list *member)
{
	return container_of(member, struct reporter, member);
}

void reporters_init(struct reporters *reporters, struct loop *loop, struct users *users,
		    struct accounts *accounts, struct exit_watches *exit_watches);
void reporters_done(struct reporters *reporters);

/* Initializes it without listing it and without a pidfd. -ENOMEM. */
MUST_CHECK int reporter_init(struct reporter *reporter, const struct reporter_ops *ops,
			     struct reporters *reporters, const struct peer *peer);

/* Adds it to the list. */
void reporter_list(struct reporter *reporter, enum reporter_rank rank);

/* Watches for the end of its process. Takes ownership of pidfd on success. */
MUST_CHECK int reporter_watch(struct reporter *reporter, int pidfd);

/* reporter_list() and reporter_watch(). */
MUST_CHECK int reporter_start(struct reporter *reporter, enum reporter_rank rank, int pidfd);

/* Reverts all of these, as far as they were done. */
void reporter_done(struct reporter *reporter);

/* Its record, without flags about lists. */
void reporter_describe(const struct reporter *reporter, struct image_process *ret);

/* Adds its account, with its current usage. */
void reporter_account(struct reporter *reporter);

/* The reporter of this process and kind; NULL: none. */
struct reporter *reporter_find(struct reporters *reporters, const struct reporter_ops *ops,
			       const struct peer *peer);
