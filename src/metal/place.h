/* Where a probe on a function goes, and what it costs there. */
#pragma once

#include "metal/elf_file.h"

/* The first instruction decides the cost of a probe: the kernel emulates some, and single-steps
 * the others. */
enum metal_entry {
	METAL_ENTRY_NONE, /* the file has no such function */
	METAL_ENTRY_NOP,
	METAL_ENTRY_PUSH, /* or a jump or a call, which are emulated too */
	METAL_ENTRY_STEPPED,
};

/* The place of a probe: after endbr64, if the function starts with it. */
struct metal_place {
	uint64_t address; /* as linked; add the load bias for the address in a process */
	uint64_t offset;  /* in the file */
	enum metal_entry entry;
};

/* -ENOENT: the address is not in a code segment. */
MUST_CHECK int metal_place_find(const struct elf_file *elf, uint64_t address,
				struct metal_place *ret);
