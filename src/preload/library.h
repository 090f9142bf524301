/*
 * The libraries that call the interposed functions, each with the real functions.
 *
 * The dynamic linker finds our functions before TT-Metal's. The real function is the one that it
 * would have found without us: the next one among the program's libraries or, if the caller was
 * loaded with RTLD_LOCAL (as Python loads extensions), one among the caller's own dependencies.
 * Two copies of TT-Metal in one process are two callers.
 *
 * A caller is resolved once, at its first call, and stays loaded from then on. Finding a known
 * caller takes no lock.
 */
#pragma once

#include "metal/shape.h"
#include "preload/names.h"

#include <stdbool.h>
#include <stdint.h>

typedef void (*any_function)(void);

struct library {
	uintptr_t start, length; /* range of the caller's code in memory */
	any_function real[INTERPOSED_COUNT];
	const char *path; /* of TT-Metal */
	uintptr_t metal;  /* where it is loaded: identifies the copy */
	bool counted;	  /* its shape is known */
	bool tracks;	  /* before v0.56: only the tracker's functions can be interposed */
	struct metal_shape shape;
	uint64_t device_vtable, mesh_vtable; /* 0: no such class */
	struct metal_vector (*members)(const void *mesh);
	void (*delete)(void *);
};

#define LIBRARIES_MAX 64

extern struct library libraries[LIBRARIES_MAX];
extern uint32_t n_libraries;

/* The slow path: resolves an unknown caller of this function. */
const struct library *library_resolve_caller(uintptr_t caller, enum interposed wanted);

/* The library that contains the code at this address. */
static inline const struct library *library_of(const void *code, enum interposed wanted)
{
	uintptr_t caller = (uintptr_t)code;
	uint32_t count = __atomic_load_n(&n_libraries, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < count; i++) {
		const struct library *library = &libraries[i];

		if (caller - library->start < library->length && library->real[wanted])
			return library;
	}
	return library_resolve_caller(caller, wanted);
}
