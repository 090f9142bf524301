/*
 * The stub of the PLT through which a file calls a function of another file. That is
 * where a probe sees the calls of this file only, whoever else calls the function.
 */
#pragma once

#include "metal/elf_file.h"

/*
 * The address of the stub that jumps to what is in a slot of the GOT, behind its
 * endbr64 if it has one. -ENOENT: there is none that is recognised.
 */
MUST_CHECK int stub_find(const struct elf_file *elf, uint64_t slot, uint64_t *ret_address);
