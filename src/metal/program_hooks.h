/* Finds the functions of metal/program_hook.h in a library. */
#pragma once

#include "metal/place.h"
#include "metal/program_hook.h"

struct program_hooks {
	struct metal_place places[PROGRAM_HOOKS]; /* entry METAL_ENTRY_NONE: not in this release */
};

/*
 * Finds the hooks among the symbols that the file fd exports. Hooks that this release does not have
 * are marked so.
 */
MUST_CHECK int program_hooks_read(struct program_hooks *ret, int fd);

/* Does its profiler pass records to callbacks, one by one (v0.71 to v0.75)? */
bool program_hooks_has_records(const struct program_hooks *hooks);

/* Does its profiler have rings that can be sampled (v0.76 and later)? */
bool program_hooks_has_rings(const struct program_hooks *hooks);
