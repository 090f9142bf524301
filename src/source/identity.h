/* Which chip a program means: by the most reliable of the ids it gave, or by TT-Metal's number. */
#pragma once

#include "model/snapshot.h"
#include "proto/table.h"
#include "proto/visible_devices.h"

#include <stdbool.h>

/* A chip without PCIe only if the server names it: programs name what they opened. */
bool identity_find(const struct snapshot *snapshot, const struct table_device *wanted, size_t *ret);

/* The PCIe devices of a snapshot in the order of their addresses. */
struct identity_order {
	struct visible_card cards[VISIBLE_CARDS];
	size_t at[VISIBLE_CARDS]; /* their positions in the snapshot */
	size_t count;
	bool complete; /* no device is missing for lack of an address or of room */
};

void identity_order(const struct snapshot *snapshot, struct identity_order *ret);

/*
 * TT-Metal's logical numbers are positions in the order of PCI addresses among the devices
 * that the process sees: those that TT_VISIBLE_DEVICES selects if it is set and may be read
 * (source/visible.c), else those that the process holds. Chips without PCIe follow, in the
 * order of their gateways. A process that holds a single device means that one.
 *
 * False: it sees no such chip, or which one it is cannot be told (process->visible_why).
 */
bool identity_logical(const struct snapshot *snapshot, const struct process *process, uint64_t id,
		      size_t *ret);

/*
 * Some releases of TT-Metal number chips by UMD's unique ids instead, those with PCIe first. Do
 * the chips of the process have the same numbers either way? False also if an id is not known.
 */
bool identity_orders_agree(const struct snapshot *snapshot, const struct process *process);

/*
 * What the process has of the device, or of the gateway through which the device is reached; NULL
 * if it has neither open.
 */
const struct usage *identity_find_hold(const struct snapshot *snapshot,
				       const struct process *process, size_t device);

/*
 * The chip of a report: logical number, and what else is known of the device. A library or a
 * server that translated the number may not have seen which devices the process has; if those
 * do not include what it found, they decide. process may be NULL: not visible to us.
 */
bool identity_reported(const struct snapshot *snapshot, const struct process *process,
		       const struct table_device *wanted, uint32_t logical, size_t *ret);
