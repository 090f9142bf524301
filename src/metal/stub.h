/*
 * Finds the PLT stub through which a file calls a function of another file. A probe there sees the
 * calls of this file only.
 */
#pragma once

#include "metal/elf_file.h"

/*
 * The address of the stub that jumps through a slot of the GOT, after its endbr64 if it
 * has one. -ENOENT: no stub is recognised.
 */
MUST_CHECK int stub_find(const struct elf_file *elf, uint64_t slot, uint64_t *ret_address);
