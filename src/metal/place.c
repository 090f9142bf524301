#include "metal/place.h"

#include <errno.h>
#include <string.h>

static enum metal_entry entry_of(const uint8_t *code)
{
	static const uint8_t nop[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

	if (code[0] == 0x90 || memcmp(code, nop, sizeof(nop)) == 0)
		return METAL_ENTRY_NOP;
	if ((code[0] & 0xf8) == 0x50 || (code[0] == 0x41 && (code[1] & 0xf8) == 0x50))
		return METAL_ENTRY_PUSH;
	/* jmp, call and conditional jumps */
	if (code[0] == 0xe8 || code[0] == 0xe9 || code[0] == 0xeb || (code[0] & 0xf0) == 0x70 ||
	    (code[0] == 0x0f && (code[1] & 0xf0) == 0x80))
		return METAL_ENTRY_PUSH;
	return METAL_ENTRY_STEPPED;
}

int metal_place_find(const struct elf_file *elf, uint64_t address, struct metal_place *ret)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	uint8_t code[16] = { 0 };
	size_t skip = 0;
	uint64_t offset;
	int r;

	if (!elf_is_code(elf, address))
		return -ENOENT;
	r = elf_find(elf, address, 1, &offset);
	if (r < 0)
		return r;
	r = elf_read(elf, offset, code, MIN(sizeof(code), elf->size - offset));
	if (r < 0)
		return r;
	if (memcmp(code, endbr64, sizeof(endbr64)) == 0)
		skip = sizeof(endbr64);
	*ret = (struct metal_place){ address + skip, offset + skip, entry_of(code + skip) };
	return 0;
}
