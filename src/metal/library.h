/*
 * An ELF file that may be, or contain, TT-Metal: found by its symbols, whatever its
 * name. Every byte of the file is a stranger's.
 */
#pragma once

#include "basic/trace_fault.h"
#include "metal/hook.h"
#include "metal/shape.h"

#include <stddef.h>

/* What a probe on a first instruction costs: the kernel steps singly over what it does not emulate.
 */
enum metal_entry {
	METAL_ENTRY_NONE, /* there is no such function here */
	METAL_ENTRY_NOP,
	METAL_ENTRY_PUSH, /* or a jump, a call: emulated as well */
	METAL_ENTRY_STEPPED,
};

/* Where to probe: behind an endbr64, if the function begins with one. */
struct metal_place {
	uint64_t address; /* as the file is linked: the load bias is yet to be added */
	uint64_t offset;  /* in the file */
	enum metal_entry entry;
};

struct metal_library {
	struct metal_shape shape;
	struct metal_place hooks[METAL_HOOKS];
	/*
	 * Allocations can be counted at track_allocate: it is called through the library's
	 * own PLT or GOT, and a probe there is not dearer than the other way.
	 */
	bool tracks;
	uint64_t device_vtable, mesh_vtable; /* what such an object begins with; 0: not there */
	uint8_t build_id[20];
	size_t build_id_length;
};

/*
 * 0: TT-Metal of a known shape. -ENOENT: not TT-Metal (or not ELF for this machine).
 * -ENOTSUP: TT-Metal, but of no known shape. -EBADMSG: a broken file. Others: of reading.
 */
int metal_library_read(struct metal_library *ret, int fd);

/* Is a probe on this hook of use? Not where another one tells the same. */
bool metal_library_uses(const struct metal_library *library, enum metal_hook hook);

/* Why probes cannot follow its allocations; TRACE_FAULT_NONE if they can. */
enum trace_fault metal_library_fault(const struct metal_library *library);
