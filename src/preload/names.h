/*
 * The interposed functions of all known versions of TT-Metal. A library has some of them; the
 * others are never called.
 */
#pragma once

#include "metal/names.h"
#include "metal/program_names.h"

/* X(our name, TT-Metal's symbol, hook): memory */
#define INTERPOSED_MEMORY(X)                                                                       \
	X(ALLOCATE_IMPL, METAL_NAME_ALLOCATE_IMPL, METAL_ALLOCATE)                                 \
	X(ALLOCATE, METAL_NAME_ALLOCATE, METAL_ALLOCATE)                                           \
	X(ALLOCATE_V0, METAL_NAME_ALLOCATE_V0, METAL_ALLOCATE)                                     \
	X(DEALLOCATE_IMPL, METAL_NAME("13AllocatorImpl17deallocate_bufferEPNS0_6BufferE"),         \
	  METAL_DEALLOCATE)                                                                        \
	X(DEALLOCATE, METAL_NAME("9Allocator17deallocate_bufferEPNS0_6BufferE"), METAL_DEALLOCATE) \
	X(DEALLOCATE_V0, METAL_NAME("9Allocator17deallocate_bufferEPNS0_2v06BufferE"),             \
	  METAL_DEALLOCATE)                                                                        \
	X(FORGET, METAL_NAME("6Buffer19mark_as_deallocatedEv"), METAL_FORGET)                      \
	X(FORGET_V0, METAL_NAME("2v06Buffer19mark_as_deallocatedEv"), METAL_FORGET)                \
	X(FORGET_ALL_IMPL, METAL_NAME("13AllocatorImpl18deallocate_buffersEv"), METAL_FORGET_ALL)  \
	X(FORGET_ALL, METAL_NAME("9Allocator18deallocate_buffersEv"), METAL_FORGET_ALL)            \
	X(DESTROY_IMPL_2, METAL_NAME("13AllocatorImplD2Ev"), METAL_DESTROY)                        \
	X(DESTROY_IMPL_1, METAL_NAME("13AllocatorImplD1Ev"), METAL_DESTROY)                        \
	X(DESTROY_2, METAL_NAME("9AllocatorD2Ev"), METAL_DESTROY)                                  \
	X(DESTROY_1, METAL_NAME("9AllocatorD1Ev"), METAL_DESTROY)                                  \
	X(TRACK_V0, METAL_NAME_TRACK_V0, METAL_TRACK_ALLOCATE)                                     \
	X(UNTRACK_V0, METAL_NAME("12GraphTracker16track_deallocateEPNS0_2v06BufferE"),             \
	  METAL_TRACK_DEALLOCATE)

/* Memory, and programs on the chips. */
#define INTERPOSED_NAMES(X)  \
	INTERPOSED_MEMORY(X) \
	PROGRAM_NAMES(X)

enum interposed {
#define X(id, name, hook) INTERPOSED_##id,
	INTERPOSED_NAMES(X)
#undef X
		INTERPOSED_COUNT,
};

/* A std::vector of pointers as the ABI returns it: the devices of a mesh. */
struct metal_vector {
	void **begin, **end, **room;
};

#define METAL_NAME_MEMBERS "_ZNK2tt8tt_metal11distributed10MeshDevice11get_devicesEv"
#define METAL_NAME_DELETE  "_ZdlPv"
