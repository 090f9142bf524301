/*
 * The libraries that call us, each with the functions it meant to call.
 *
 * We stand before TT-Metal's functions in the search for symbols. What would have
 * been found without us is found in the same order: behind us among the program's
 * libraries, or, if the caller was loaded for itself (as Python loads extensions),
 * among the libraries that it brought along. Two copies of TT-Metal in one process are
 * two callers.
 *
 * A library is met once, at its first call, and then stays loaded. The way to a known
 * one has no lock.
 */
#pragma once

#include "metal/shape.h"
#include "preload/names.h"

#include <stdbool.h>
#include <stdint.h>

typedef void (*any_function)(void);

struct library {
	uintptr_t start, length; /* of the caller in memory */
	any_function real[INTERPOSED_COUNT];
	const char *path; /* of TT-Metal */
	bool counted;	  /* a shape that is known */
	bool tracks;	  /* before v0.56: only the tracker's functions tell */
	struct metal_shape shape;
	uint64_t device_vtable, mesh_vtable; /* 0: has none */
	struct metal_vector (*members)(const void *mesh);
	void (*delete)(void *);
};

#define LIBRARIES_MAX 64

extern struct library libraries[LIBRARIES_MAX];
extern uint32_t n_libraries;

/* The slow way: for a caller that is not known, who wants this function. */
const struct library *library_meet(uintptr_t caller, enum interposed wanted);

/* The library that code at this address belongs to. */
static inline const struct library *library_of(const void *code, enum interposed wanted)
{
	uintptr_t caller = (uintptr_t)code;
	uint32_t count = __atomic_load_n(&n_libraries, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < count; i++) {
		const struct library *library = &libraries[i];

		if (caller - library->start < library->length && library->real[wanted])
			return library;
	}
	return library_meet(caller, wanted);
}
