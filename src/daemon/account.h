/*
 * Accounts of finished processes: what they were and what they held at most.
 *
 * Bounded per user and in all, in processes and in usages, so that a process which claims
 * to have used everything costs no more than that. A user over its share loses its own oldest
 * account; if all of them are too many, the user with the most accounts does.
 */
#pragma once

#include "basic/macros.h"
#include "daemon/users.h"
#include "proto/snapshot_image.h"

#include <stddef.h>
#include <stdint.h>

#define ACCOUNT_USAGES_MAX	(1u << 17) /* of all accounts together: 10 MB */
#define ACCOUNT_USAGES_USER_MAX (1u << 15) /* of those of one user */

struct accounts_entry {
	struct list member;  /* of all, oldest first */
	struct list of_user; /* of those of its user, oldest first */
	struct user *user;
	uint64_t serial;
	uint32_t place; /* among all, while state_save() works */
	struct image_process process;
	uint32_t n_usages;
	struct image_usage usages[];
};

struct accounts {
	struct users *users;
	struct list list;
	uint32_t count, usages; /* of all */
	uint64_t last;		/* serial */
	uint64_t total;		/* ever */
};

void accounts_init(struct accounts *accounts, struct users *users);
void accounts_done(struct accounts *accounts);

/*
 * Remembers a process that has ended: now, unless its record says when. Both are
 * copied. Returns the serial, 0 if there is no memory for it.
 */
uint64_t accounts_add(struct accounts *accounts, const struct image_process *process,
		      const struct image_usage *usages, uint32_t n_usages);

/* NULL: forgotten. Recent ones are found soonest. */
struct accounts_entry *accounts_find(struct accounts *accounts, uint64_t serial);

static inline struct accounts_entry *accounts_entry_of(struct list *member)
{
	return container_of(member, struct accounts_entry, member);
}
