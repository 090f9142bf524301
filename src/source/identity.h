/* Which chip a program means: by the surest of what it told, or by TT-Metal's number. */
#pragma once

#include "model/snapshot.h"
#include "proto/table.h"

#include <stdbool.h>

/* A chip without PCIe only if the server names it: programs name what they opened. */
bool identity_find(const struct snapshot *snapshot, const struct table_device *wanted, size_t *ret);

/*
 * TT-Metal's logical numbers are places in bus order among the devices that the
 * process may see: by its environment if we may read it, else those it holds. Chips
 * without PCIe follow, in the order of their gateways. Who holds a single device means
 * that one.
 */
bool identity_logical(const struct snapshot *snapshot, const struct process *process, uint64_t id,
		      size_t *ret);
