/*
 * The single allocations of a process on a device, if they are reported.
 */
#pragma once

#include "basic/macros.h"
#include "model/pool.h"
#include "model/reason.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct allocation {
	uint64_t id; /* address or number, chosen by its program */
	uint64_t size;
	int64_t time_ns; /* CLOCK_MONOTONIC; 0: unknown */
	enum pool pool;
};

struct allocation_list {
	struct allocation *items; /* unordered */
	size_t count, room;
	enum reason why; /* KNOWN if there is a list */
	bool cut;	 /* the list is incomplete */
};

/* -ENOMEM: the list is unchanged, but marked as incomplete. */
MUST_CHECK int allocation_list_add(struct allocation_list *list,
				   const struct allocation *allocation);

/* Moves all items of another list, which is empty afterwards. */
void allocation_list_join(struct allocation_list *list, struct allocation_list *other);

/* Frees the items. The list is then unknown for the given reason. */
void allocation_list_reset(struct allocation_list *list, enum reason why);
