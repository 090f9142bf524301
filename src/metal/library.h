/*
 * An ELF file that is TT-Metal, or contains it: recognised by its symbols, whatever its name. The
 * file is untrusted input.
 */
#pragma once

#include "basic/trace_fault.h"
#include "metal/hook.h"
#include "metal/place.h"
#include "metal/shape.h"

#include <stddef.h>

struct metal_library {
	struct metal_shape shape;
	struct metal_place hooks[METAL_HOOKS];
	/*
	 * Allocations are counted at track_allocate: the library calls it through its own PLT
	 * or GOT, and a probe there is not more expensive than at allocate_buffer.
	 */
	bool tracks;
	uint64_t device_vtable,
		mesh_vtable; /* the vtable pointers of these classes; 0: not defined */
	uint8_t build_id[20];
	size_t build_id_length;
};

/*
 * 0: TT-Metal of a known shape. -ENOENT: not TT-Metal (or not ELF for this machine).
 * -ENOTSUP: TT-Metal of an unknown shape. -EBADMSG: a broken file. Others: read errors.
 */
int metal_library_read(struct metal_library *ret, int fd);

/* Is a probe on this hook needed? Not if another hook reports the same. */
bool metal_library_uses(const struct metal_library *library, enum metal_hook hook);

/* Why probes cannot follow its allocations; TRACE_FAULT_NONE if they can. */
enum trace_fault metal_library_fault(const struct metal_library *library);
