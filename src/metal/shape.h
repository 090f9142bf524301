/*
 * The layout of TT-Metal's objects in memory. TT-Metal does not document it: an unknown layout is
 * not used.
 *
 * A library has no version number. The symbols that it defines identify its shape:
 * docs/tracing.md has the table.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* TT-Metal's numbering of its pools. */
enum metal_type {
	METAL_DRAM,
	METAL_L1,
	METAL_SYSTEM,
	METAL_L1_SMALL,
	METAL_TRACE,
	METAL_TYPES,
};

/* The index of id() in the vtable of IDevice. */
#define METAL_SLOT_ID 3

/* The offset of the pointer to the implementation in a MeshDevice, since v0.66. */
#define METAL_MESH_IMPL 24

/* Offsets in a Buffer and in a Device. */
struct metal_shape {
	const char *versions; /* "v0.60 to v0.65" */
	uint16_t device, size, type, owns_data, allocator, status, address;
	uint16_t dry_run; /* 0: not to be read; a dry run has no address either */
	uint16_t chip;	  /* of the logical id, in a Device; 0: not determined by the symbols */
	uint8_t allocated_mask; /* bits of the statuses that a buffer with memory may have */
	bool publishes;		/* publishes its own counters in /dev/shm */
	/* meaning of numbers in TT_VISIBLE_DEVICES: see proto/visible_devices.h */
	bool visible_positions;
	bool order_by_id; /* may number chips by UMD's unique ids, not by PCI addresses */
};

/*
 * The shape of a library that has these symbols. -ENOENT: not TT-Metal;
 * -ENOTSUP: TT-Metal with an unknown shape.
 */
int metal_shape_find(struct metal_shape *ret, bool (*has)(const char *symbol, void *arg),
		     void *arg);
