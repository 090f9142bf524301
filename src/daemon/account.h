/*
 * Accounts of finished processes: their identity and their peak usage.
 *
 * The number of processes and of usages is limited per user and in total, so that a process that
 * claims to have used everything cannot cost more. A user beyond its share loses its own oldest
 * account; if the total is exceeded, the user with the most accounts does.
 */
#pragma once

#include "basic/macros.h"
#include "daemon/users.h"
#include "proto/snapshot_image.h"

#include <stddef.h>
#include <stdint.h>

#define ACCOUNT_USAGES_MAX	(1u << 17) /* total of all accounts: 10 MB */
#define ACCOUNT_USAGES_USER_MAX (1u << 15) /* per user */

struct accounts_entry {
	struct list member;  /* in the list of all accounts, oldest first */
	struct list of_user; /* in the list of its user, oldest first */
	struct user *user;
	uint64_t serial;
	uint32_t place; /* its index during state_save() */
	struct image_process process;
	uint32_t n_usages;
	struct image_usage usages[];
};

struct accounts {
	struct users *users;
	struct list list;
	uint32_t count, usages; /* current totals */
	uint64_t last;		/* serial of the newest account */
	uint64_t total;		/* number of accounts ever added */
};

void accounts_init(struct accounts *accounts, struct users *users);
void accounts_done(struct accounts *accounts);

/*
 * Adds the account of a process that has ended: now, unless its record has an end time. Both
 * arguments are copied. Returns the serial; 0: out of memory.
 */
uint64_t accounts_add(struct accounts *accounts, const struct image_process *process,
		      const struct image_usage *usages, uint32_t n_usages);

/* NULL if it was dropped. Searches from the newest. */
struct accounts_entry *accounts_find(struct accounts *accounts, uint64_t serial);

static inline struct accounts_entry *accounts_entry_of(struct list *member)
{
	return container_of(member, struct accounts_entry, member);
}
