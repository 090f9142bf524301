/*
 * Checks whether memory contains a Buffer, before any member is used. The header includes nothing
 * of the C library, so that the BPF programs use the same check.
 */
#pragma once

#include "metal/shape.h"

/* More than any card has: 1 TiB. */
#define METAL_SIZE_MAX (UINT64_C(1) << 40)

/* The members of a Buffer that are used. */
struct metal_buffer {
	uint64_t self, device, size, allocator, address;
	uint32_t type;
	uint8_t owns_data, status, dry_run;
};

static inline bool metal_is_pointer(uint64_t value)
{
	return value >= 4096 && value < (UINT64_C(1) << 47) && value % 8 == 0;
}

static inline bool metal_is_buffer(const struct metal_buffer *buffer)
{
	return metal_is_pointer(buffer->self) && metal_is_pointer(buffer->device) &&
	       metal_is_pointer(buffer->allocator) && buffer->type < METAL_TYPES &&
	       buffer->owns_data <= 1 && buffer->dry_run <= 1 && buffer->status <= 3;
}

/*
 * Does its status say that it has memory? To be used only where TT-Metal itself has just said so
 * (track_allocate, the set of live buffers). No symbol distinguishes v0.57, which numbers the
 * states differently, from v0.58 and v0.59, so for these versions both numbers are accepted. Their
 * other meanings, "failed" and "freed", do not occur at those places.
 */
static inline bool metal_has_memory(const struct metal_buffer *buffer, uint8_t allocated_mask)
{
	return buffer->status <= 3 && (allocated_mask >> buffer->status & 1);
}
