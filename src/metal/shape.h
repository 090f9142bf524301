/*
 * TT-Metal's library as one can know it from outside: which of its functions tell
 * of device memory, and where its objects keep what. Nothing of this is promised by
 * TT-Metal; what is not recognised is left alone.
 *
 * A shape is found by the symbols that are present, since libraries carry no
 * version: docs/tracing.md has the table.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* TT-Metal's numbers of pools. */
enum metal_type {
	METAL_DRAM,
	METAL_L1,
	METAL_SYSTEM,
	METAL_L1_SMALL,
	METAL_TRACE,
	METAL_TYPES,
};

/* The place of id() among the virtual functions of IDevice. */
#define METAL_SLOT_ID 3

/* Offsets in a Buffer and in a Device. */
struct metal_shape {
	const char *versions; /* "v0.60 to v0.65" */
	uint16_t device, size, type, owns_data, allocator, status, address;
	uint16_t dry_run;	/* 0: not to be looked at; a dry run has no address either */
	uint16_t chip;		/* the logical id, in a Device; 0: these symbols do not tell */
	uint8_t allocated_mask; /* a bit per status that a buffer with memory may have */
	bool publishes;		/* has counters of its own in /dev/shm */
	bool visible_positions; /* numbers in TT_VISIBLE_DEVICES: see proto/visible_devices.h */
	bool order_by_id;	/* may number chips by UMD's unique ids, not by PCI addresses */
};

/*
 * The shape of a library that has these symbols. -ENOENT: not TT-Metal;
 * -ENOTSUP: TT-Metal, but not one whose shape is known.
 */
int metal_shape_find(struct metal_shape *ret, bool (*has)(const char *symbol, void *arg),
		     void *arg);
