/* Relocations, and the pointers that they store. */
#include "metal/elf_file.h"

#include <errno.h>

int elf_each_relocation(const struct elf_file *elf, const struct elf_range *range,
			int (*visit)(const Elf64_Rela *relocation, void *arg), void *arg)
{
	Elf64_Rela block[1024];

	for (uint64_t at = 0; at + sizeof(block[0]) <= range->size; at += sizeof(block)) {
		size_t count = MIN(ARRAY_SIZE(block), (range->size - at) / sizeof(block[0]));
		int r;

		r = elf_read(elf, range->offset + at, block, count * sizeof(block[0]));
		for (size_t i = 0; r == 0 && i < count; i++)
			r = visit(&block[i], arg);
		if (r)
			return r;
	}
	return 0;
}

/* Binary search for the relative relocation of an address, since linkers sort them. */
static int find_relative(const struct elf_file *elf, uint64_t address, Elf64_Rela *ret)
{
	uint64_t low = 0, high = elf->relative.size / sizeof(*ret);

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		Elf64_Rela relocation;
		int r;

		r = elf_read(elf, elf->relative.offset + middle * sizeof(relocation), &relocation,
			     sizeof(relocation));
		if (r < 0)
			return r;
		if (relocation.r_offset == address) {
			*ret = relocation;
			return 0;
		}
		if (relocation.r_offset < address)
			low = middle + 1;
		else
			high = middle;
	}
	return -ENOENT;
}

int elf_pointer_at(const struct elf_file *elf, uint64_t address, uint64_t *ret)
{
	Elf64_Rela relocation = { 0 };
	uint64_t offset, value;
	int r;

	r = find_relative(elf, address, &relocation);
	if (r == 0 && ELF64_R_TYPE(relocation.r_info) == R_X86_64_RELATIVE) {
		*ret = (uint64_t)relocation.r_addend;
		return 0;
	}
	if (r < 0 && r != -ENOENT)
		return r;
	/* The file has fixed addresses or packed relocations (DT_RELR). */
	r = elf_find(elf, address, sizeof(value), &offset);
	if (r < 0)
		return r;
	r = elf_read(elf, offset, &value, sizeof(value));
	if (r < 0)
		return r;
	if (!value)
		return -ENOENT;
	*ret = value;
	return 0;
}
