#include "metal/chip.h"

#include "metal/shape.h"

#include <errno.h>

int chip_offset(const struct elf_file *elf, uint64_t vtable, uint32_t *ret)
{
	uint8_t code[CHIP_CODE_MAX];
	uint64_t function, offset;
	size_t length;
	int r;

	r = elf_pointer_at(elf, vtable + METAL_SLOT_ID * sizeof(uint64_t), &function);
	if (r < 0)
		return r;
	if (!elf_is_code(elf, function))
		return -ENOENT;
	r = elf_find(elf, function, 1, &offset);
	if (r < 0)
		return r;
	length = MIN(sizeof(code), elf->size - offset);
	r = elf_read(elf, offset, code, length);
	if (r < 0)
		return r;
	return chip_offset_in_code(code, length, ret);
}
