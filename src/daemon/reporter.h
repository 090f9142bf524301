/*
 * A process whose memory the server knows, whichever way it learns of it: from a table
 * (client.h), from the legacy protocol (legacy_process.h), or from the tracer (traced.h). They
 * share identity, user, pidfd, account and end; what differs is behind an ops table.
 *
 * All of them are on one list, which answers, sums and accounts walk. The end of a process is seen
 * by its pidfd: what it held at last becomes its account.
 */
#pragma once

#include "basic/macros.h"
#include "daemon/list.h"
#include "daemon/loop.h"
#include "daemon/peer.h"
#include "proto/snapshot_image.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct manager;
struct reporter;
struct user;

struct reporter_ops {
	const char *kind; /* for the log */
	enum image_origin origin;

	/* Adds to its record what its way of reporting knows: flags, misuse, a better name. */
	void (*describe)(const struct reporter *reporter, struct image_process *record);

	/* What it uses, into room for USAGES_MAX; bits of image_process_flag are added. */
	uint32_t (*usages)(struct reporter *reporter, struct image_usage *ret, uint32_t *flags);

	/* At most how many usages it has now; NULL: its answers come from elsewhere. */
	uint32_t (*count_usages)(struct reporter *reporter);

	/* And allocations, which costs system calls. */
	uint32_t (*count_allocations)(struct reporter *reporter);

	/* Adds its allocations, and IMAGE_LIST_CUT to the flags if they are not all. */
	void (*list)(struct reporter *reporter, struct image_writer *writer, uint32_t *flags);

	/* Does another one tell of the same memory, and better? Then it is not summed up. */
	bool (*is_outdone)(const struct reporter *reporter);

	/* Its process has ended: accounts for it and frees it. */
	void (*ended)(struct reporter *reporter);
};

struct reporter {
	const struct reporter_ops *ops;
	struct manager *manager;
	struct list member; /* of manager->reporters */
	struct peer peer;
	struct user *user; /* that it counts for */
	struct watch life; /* its pidfd */
};

static inline struct reporter *reporter_of(struct list *member)
{
	return container_of(member, struct reporter, member);
}

/* Not on the list yet, and without a pidfd. -ENOMEM. */
MUST_CHECK int reporter_init(struct reporter *reporter, const struct reporter_ops *ops,
			     struct manager *manager, const struct peer *peer);

/* From now on it is listed, and its end is seen. The pidfd is its own on success. */
MUST_CHECK int reporter_start(struct reporter *reporter, int pidfd);

/* The opposite of both; for one that was not started too. */
void reporter_done(struct reporter *reporter);

/* Its record, without flags about lists. */
void reporter_describe(const struct reporter *reporter, struct image_process *ret);

/* Writes its account, with what it uses now. */
void reporter_account(struct reporter *reporter);

/* The one of this process that reports in this way; NULL: none. */
struct reporter *reporter_find(struct manager *manager, const struct reporter_ops *ops,
			       const struct peer *peer);
