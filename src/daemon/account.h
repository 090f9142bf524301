/*
 * Accounts of finished processes: who they were and what they held at most.
 *
 * The last few thousand are kept, and not more usages than a fixed number, so
 * that a process which claims to have used everything costs no more than that.
 */
#pragma once

#include "basic/macros.h"
#include "proto/snapshot_image.h"

#include <stddef.h>
#include <stdint.h>

#define ACCOUNT_USAGES_MAX (1u << 17) /* of all accounts together: 10 MB */

struct accounts_entry {
	uint64_t serial; /* 0: none */
	struct image_process process;
	struct image_usage *usages;
	uint32_t n_usages;
};

struct accounts {
	struct accounts_entry *ring; /* the one with this serial is at serial % size */
	uint32_t size;
	uint64_t first, next; /* serials that are kept: [first, next) */
	uint32_t usages;      /* of all */
	uint64_t total;	      /* ever */
};

MUST_CHECK int accounts_init(struct accounts *accounts, uint32_t size);
void accounts_done(struct accounts *accounts);

/*
 * Remembers a process that has ended: now, unless its record says when. Both are
 * copied. Returns the serial, 0 if there is no memory for it.
 */
uint64_t accounts_add(struct accounts *accounts, const struct image_process *process,
		      const struct image_usage *usages, uint32_t n_usages);

/* NULL: forgotten. */
struct accounts_entry *accounts_find(struct accounts *accounts, uint64_t serial);
