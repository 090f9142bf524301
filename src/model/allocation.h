/*
 * Single allocations that a process holds on a device, as far as somebody tells.
 */
#pragma once

#include "basic/macros.h"
#include "model/pool.h"
#include "model/reason.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct allocation {
	uint64_t id; /* address or number, as its program says */
	uint64_t size;
	int64_t time_ns; /* CLOCK_MONOTONIC; 0: not known */
	enum pool pool;
};

struct allocation_list {
	struct allocation *items; /* in no order */
	size_t count, room;
	enum reason why; /* KNOWN if there is a list */
	bool cut;	 /* more are held than are listed */
};

/* -ENOMEM; the list is then marked as cut and stays as it was. */
MUST_CHECK int allocation_list_add(struct allocation_list *list,
				   const struct allocation *allocation);

/* Appends all of another list, which is empty afterwards. */
void allocation_list_join(struct allocation_list *list, struct allocation_list *other);

/* Gives the memory back; it is then an empty list that is not known for this reason. */
void allocation_list_reset(struct allocation_list *list, enum reason why);
