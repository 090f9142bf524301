/*
 * The offset of the chip number in a Device. It is a private member that moved between releases, in
 * some of them without any change of symbols. The code of its getter, the virtual function
 * Device::id(), contains the offset: a load and a return.
 */
#pragma once

#include "metal/chip_code.h"
#include "metal/elf_file.h"

/*
 * The offset in a Device. vtable is the address of its first virtual function's slot.
 * -ENOENT: the function is not found, or its code is not recognised.
 */
MUST_CHECK int chip_offset(const struct elf_file *elf, uint64_t vtable, uint32_t *ret);
