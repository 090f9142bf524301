/*
 * Identifies the chip that a program refers to: by the most reliable of the given ids, or by
 * TT-Metal's number.
 */
#pragma once

#include "model/snapshot.h"
#include "proto/table.h"
#include "proto/visible_devices.h"

#include <stdbool.h>

/*
 * Finds a chip without PCIe only if the server identified it: programs identify devices they
 * opened.
 */
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
 * TT-Metal's logical numbers are positions in the order of PCI addresses among the devices that the
 * process sees: those that TT_VISIBLE_DEVICES selects if it is set and readable (source/visible.c),
 * else those that the process holds. Chips without PCIe follow, in the order of their gateways. If
 * a process holds a single device, the number refers to that one.
 */
struct identity_numbers {
	size_t at[TABLE_DEVICES]; /* positions in the snapshot, by number; IDENTITY_UNKNOWN */
	size_t count;		  /* 0 also if they cannot be determined (process->visible_why) */
	bool is_single;		  /* any number refers to the only chip */
};

#define IDENTITY_UNKNOWN SIZE_MAX

void identity_numbers(const struct snapshot *snapshot, const struct process *process,
		      struct identity_numbers *ret);

/* False: there is no such chip, or it cannot be determined. */
bool identity_numbers_find(const struct identity_numbers *numbers, uint64_t id, size_t *ret);

/* Both in one step, for a single number. */
bool identity_logical(const struct snapshot *snapshot, const struct process *process, uint64_t id,
		      size_t *ret);

/*
 * Some releases of TT-Metal number chips by UMD's unique ids instead, those with PCIe first. Do the
 * chips of the process have the same numbers either way? False also if an id is unknown.
 */
bool identity_orders_agree(const struct snapshot *snapshot, const struct process *process);

/*
 * The usage of the device, or of the gateway through which it is reached; NULL if the process has
 * neither open.
 */
const struct usage *identity_find_hold(const struct snapshot *snapshot,
				       const struct process *process, size_t device);

/*
 * The chip of a report, by logical number and other known ids of the device. A library or a server
 * that translated the number may not have known which devices the process holds; if those do not
 * include the chip it found, they take precedence. process may be NULL: not visible.
 */
bool identity_reported(const struct snapshot *snapshot, const struct process *process,
		       const struct table_device *wanted, uint32_t logical, size_t *ret);
