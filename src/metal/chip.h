/*
 * Where a Device keeps its chip number. It is a private member that moved between releases, in
 * some of them without any change of symbols. The code of its getter, the virtual function
 * Device::id(), has the offset in it: a load and a return.
 */
#pragma once

#include "metal/elf_file.h"

/*
 * The offset in a Device. vtable is the address of its first virtual function's slot.
 * -ENOENT: the function is not found, or its code is not recognised.
 */
MUST_CHECK int chip_offset(const struct elf_file *elf, uint64_t vtable, uint32_t *ret);

/* The same from the code of the function alone; exposed for tests. */
MUST_CHECK int chip_offset_in_code(const uint8_t *code, size_t length, uint32_t *ret);
