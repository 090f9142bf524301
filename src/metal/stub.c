#include "metal/stub.h"

#include <errno.h>
#include <string.h>

#define JUMP_LENGTH 6  /* ff 25, then the offset of the slot */
#define LEAD_MAX    10 /* instructions before the jump: endbr64, mov */

static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };

/* Is this a jump through the slot? */
static bool jumps(const uint8_t *code, uint64_t address, uint64_t slot)
{
	int32_t distance;

	if (code[0] != 0xff || code[1] != 0x25)
		return false;
	memcpy(&distance, code + 2, sizeof(distance));
	return address + JUMP_LENGTH + (uint64_t)(int64_t)distance == slot;
}

/*
 * A probe inside an instruction would break the program, so a stub is accepted only where stubs
 * start: at a multiple of eight, or after an endbr64.
 */
static bool starts_stub(const uint8_t *code, size_t at, uint64_t address)
{
	if (address % 8 == 0)
		return true;
	return at >= sizeof(endbr64) && address % 8 == sizeof(endbr64) &&
	       memcmp(code + at - sizeof(endbr64), endbr64, sizeof(endbr64)) == 0;
}

/* The start of the stub whose jump is at code[at]; 0: not recognised. */
static uint64_t stub_start(const uint8_t *code, size_t at, uint64_t address)
{
	if (starts_stub(code, at, address))
		return address;
	/* bnd jmp */
	if (at >= 1 && code[at - 1] == 0xf2 && starts_stub(code, at - 1, address - 1))
		return address - 1;
	/* mov $number, %r11d, as mold does */
	if (at >= 6 && code[at - 6] == 0x41 && code[at - 5] == 0xbb &&
	    starts_stub(code, at - 6, address - 6))
		return address - 6;
	return 0;
}

static uint64_t find_in_piece(const uint8_t *code, size_t length, uint64_t address, uint64_t slot)
{
	for (size_t i = 0; i + JUMP_LENGTH <= length; i++) {
		uint64_t start;

		if (!jumps(code + i, address + i, slot))
			continue;
		start = stub_start(code, i, address + i);
		if (start)
			return start;
	}
	return 0;
}

/* Pieces overlap by the length of a stub, so that none is split. */
static int find_in_range(const struct elf_file *elf, const struct elf_range *range, uint64_t slot,
			 uint64_t *ret)
{
	uint8_t code[16384];
	const size_t step = sizeof(code) - JUMP_LENGTH - LEAD_MAX;

	for (uint64_t at = 0; at < range->size; at += step) {
		size_t length = MIN(sizeof(code), range->size - at);
		uint64_t found;
		int r;

		r = elf_read(elf, range->offset + at, code, length);
		if (r < 0)
			return r;
		found = find_in_piece(code, length, range->address + at, slot);
		if (found) {
			*ret = found;
			return 0;
		}
	}
	return -ENOENT;
}

/*
 * Without section headers: before lazy binding, a slot points back into its stub, to the
 * instruction after the jump.
 */
static int find_by_slot(const struct elf_file *elf, uint64_t slot, uint64_t *ret)
{
	uint8_t code[JUMP_LENGTH];
	uint64_t back, offset;
	int r;

	r = elf_find(elf, slot, sizeof(back), &offset);
	if (r == 0)
		r = elf_read(elf, offset, &back, sizeof(back));
	if (r < 0)
		return r;
	back -= JUMP_LENGTH;
	if (!elf_is_code(elf, back) || back % 8)
		return -ENOENT;
	r = elf_find(elf, back, sizeof(code), &offset);
	if (r == 0)
		r = elf_read(elf, offset, code, sizeof(code));
	if (r < 0)
		return r;
	if (!jumps(code, back, slot))
		return -ENOENT;
	*ret = back;
	return 0;
}

int stub_find(const struct elf_file *elf, uint64_t slot, uint64_t *ret_address)
{
	for (size_t i = 0; i < elf->n_stubs; i++) {
		int r = find_in_range(elf, &elf->stubs[i], slot, ret_address);

		if (r != -ENOENT)
			return r;
	}
	return elf->n_stubs ? -ENOENT : find_by_slot(elf, slot, ret_address);
}
