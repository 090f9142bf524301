/*
 * A process whose memory the server knows, in whichever way: from a table (client.h), from the
 * legacy protocol (legacy_process.h), or from a sample of the observer (observed_process.h).
 * Reporters share identity, user, pidfd, account and end; what differs is behind an ops table.
 *
 * All of them are on one list, which answers, sums, dumps and accounts walk. The server sees the
 * end of a process by its pidfd: what it held at last becomes its account.
 *
 * One process may be known in several ways. The way with the highest rank is the one to believe;
 * the others would count the same memory again.
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

/* A process on one pool of one device, for every device and pool there can be. */
#define USAGES_MAX (TABLE_DEVICES * POOL_COUNT)

struct reporter;

enum reporter_rank {
	RANK_METAL,   /* TT-Metal's own counters have it */
	RANK_TRACED,  /* the tracer counts its buffers */
	RANK_PRELOAD, /* a table that the preloaded library writes */
	RANK_LEGACY,  /* it reports through the legacy protocol */
	RANK_TABLE,   /* a table that the process writes itself */
};

struct reporter_ops {
	const char *kind; /* for the log */
	enum image_origin origin;

	/* Adds to its record what its way of reporting knows: flags, misuse, a better name. */
	void (*describe)(const struct reporter *reporter, struct image_process *record);

	/* What it uses, into room for USAGES_MAX; bits of image_process_flag are added. */
	uint32_t (*usages)(struct reporter *reporter, struct image_usage *ret, uint32_t *flags);

	/* At most how many usages it has now. */
	uint32_t (*count_usages)(struct reporter *reporter);

	/* And allocations, which costs system calls. */
	uint32_t (*count_allocations)(struct reporter *reporter);

	/* Adds its allocations, and IMAGE_LIST_CUT to the flags if they are not all. */
	void (*list)(struct reporter *reporter, struct image_writer *writer, uint32_t *flags);

	/* Its process has ended: accounts for it and frees it. */
	void (*ended)(struct reporter *reporter);

	/* Frees it without an account: the server ends, its process does not. */
	void (*free)(struct reporter *reporter);
};

/* All of them, and what they need. */
struct reporters {
	struct loop *loop;
	struct users *users;
	struct accounts *accounts;
	struct exit_watches *exit_watches;
	struct list list;		       /* struct reporter */
	struct image_usage usages[USAGES_MAX]; /* room for those of one process */
};

struct reporter {
	const struct reporter_ops *ops;
	struct reporters *all;
	struct list member;
	struct peer peer;
	struct user *user; /* that it counts for */
	struct watch life; /* its pidfd */
	enum reporter_rank rank;
	uint32_t better; /* reporters of the same process with a higher rank */
	bool dormant;	 /* nothing is known of it now: kept for its account, not in answers */
};

static inline struct reporter *reporter_of(struct list *member)
{
	return container_of(member, struct reporter, member);
}

void reporters_init(struct reporters *reporters, struct loop *loop, struct users *users,
		    struct accounts *accounts, struct exit_watches *exit_watches);
void reporters_done(struct reporters *reporters);

/* Not on the list yet, and without a pidfd. -ENOMEM. */
MUST_CHECK int reporter_init(struct reporter *reporter, const struct reporter_ops *ops,
			     struct reporters *reporters, const struct peer *peer);

/* Lists it. */
void reporter_list(struct reporter *reporter, enum reporter_rank rank);

/* From now on the end of its process is seen. The pidfd is its own on success. */
MUST_CHECK int reporter_watch(struct reporter *reporter, int pidfd);

/* Both. */
MUST_CHECK int reporter_start(struct reporter *reporter, enum reporter_rank rank, int pidfd);

/* The opposite of all of these; for one that was not started too. */
void reporter_done(struct reporter *reporter);

/* Its record, without flags about lists. */
void reporter_describe(const struct reporter *reporter, struct image_process *ret);

/* Writes its account, with what it uses now. */
void reporter_account(struct reporter *reporter);

/* The one of this process that reports in this way; NULL: none. */
struct reporter *reporter_find(struct reporters *reporters, const struct reporter_ops *ops,
			       const struct peer *peer);
