/*
 * The symbols that identify hooks and versions, of all known versions. In a pattern `?` matches
 * one character, and `*` at the end matches the rest of a mangled name.
 */
#pragma once

#include "metal/hook.h"

struct metal_name {
	const char *pattern;
	enum metal_hook hook; /* METAL_HOOKS: not a hook, but identifies a version or a class */
};

#define METAL_NAMES 35
extern const struct metal_name metal_names[METAL_NAMES];

/* Symbols that other files use. */
#define METAL_NAME(rest)	 "_ZN2tt8tt_metal" rest
#define METAL_NAME_TRACK	 METAL_NAME("12GraphTracker14track_allocateEPKNS0_6BufferE")
#define METAL_NAME_TRACK_V0	 METAL_NAME("12GraphTracker14track_allocateEPKNS0_2v06BufferE")
#define METAL_NAME_ALLOCATE_IMPL METAL_NAME("13AllocatorImpl15allocate_bufferEPNS0_6BufferE")
#define METAL_NAME_ALLOCATE	 METAL_NAME("9Allocator15allocate_bufferEPNS0_6BufferE")
#define METAL_NAME_ALLOCATE_V0	 METAL_NAME("9Allocator15allocate_bufferEPNS0_2v06BufferE")
#define METAL_NAME_VIEW		 METAL_NAME("6Buffer4viewERKNS0_12BufferRegionE")
#define METAL_NAME_ENV		 METAL_NAME("8MetalEnvD1Ev")
#define METAL_NAME_RECORD                                                                  \
	METAL_NAME("25SharedMemoryStatsProvider17record_allocationEimNS0_13ShmBufferTypeE" \
		   "j")
#define METAL_NAME_DATAFLOW                                                                 \
	METAL_NAME("12GraphTracker30track_allocate_dataflow_bufferERKNS0_12CoreRangeSetEmm" \
		   "bPKNS0_7IDeviceE")
#define METAL_NAME_DEVICE    "_ZTVN2tt8tt_metal6DeviceE"
#define METAL_NAME_DEVICE_V0 "_ZTVN2tt8tt_metal2v06DeviceE"
#define METAL_NAME_MESH	     "_ZTVN2tt8tt_metal11distributed10MeshDeviceE"
#define METAL_NAME_THROW     "__cxa_throw"

/* The index in metal_names of the pattern that a symbol matches, METAL_NAMES if none. */
unsigned metal_name_find(const char *symbol);
