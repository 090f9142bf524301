#include "metal/library.h"

#include "metal/chip.h"
#include "metal/elf_file.h"
#include "metal/name_search.h"
#include "metal/names.h"
#include "metal/stub.h"

#include <errno.h>
#include <string.h>

/* Undefined symbols come before those of the hash table. 0: not imported. */
static uint32_t find_import(const struct elf_file *elf, const char *name)
{
	enum { IMPORTS_MAX = 1 << 16 }; /* each may cost a read; no real library has more */
	Elf64_Sym block[256];
	uint32_t first;
	size_t length = strlen(name) + 1;

	if (elf_first_hashed(elf, &first) < 0 || first > IMPORTS_MAX)
		return 0;
	for (uint32_t at = 0; at < first; at += ARRAY_SIZE(block)) {
		size_t count = MIN(ARRAY_SIZE(block), first - at);

		if (elf_read(elf, elf->dynamic.offset + at * sizeof(block[0]), block,
			     count * sizeof(block[0])) < 0)
			return 0;
		for (size_t i = 0; i < count; i++) {
			char found[32];

			if (block[i].st_shndx != SHN_UNDEF || length > sizeof(found) ||
			    block[i].st_name >= elf->dynamic.strings_size ||
			    elf_read(elf, elf->dynamic.strings + block[i].st_name, found, length) <
				    0)
				continue;
			if (memcmp(found, name, length) == 0)
				return at + (uint32_t)i;
		}
	}
	return 0;
}

/* The relocations of two symbols. */
struct slots {
	uint32_t track, throw; /* indexes of dynamic symbols; 0: not in the table */
	bool tracks;
	uint64_t throw_slot;
};

static int visit_relocation(const Elf64_Rela *relocation, void *arg)
{
	struct slots *slots = arg;
	uint64_t type = ELF64_R_TYPE(relocation->r_info);
	uint64_t symbol = ELF64_R_SYM(relocation->r_info);

	if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) || symbol == 0)
		return 0;
	if (symbol == slots->track)
		slots->tracks = true;
	else if (symbol == slots->throw)
		slots->throw_slot = relocation->r_offset;
	return 0;
}

static bool is_complete(const struct slots *slots)
{
	return (slots->tracks || !slots->track) && (slots->throw_slot || !slots->throw);
}

static int read_slots(const struct elf_file *elf, const struct name_search *search,
		      struct slots *ret)
{
	const struct symbol_match *track = name_search_hook(search, METAL_TRACK_ALLOCATE);
	const struct symbol_match *throw = name_search_find(search, METAL_NAME_THROW);
	int r;

	ret->track = track ? track->index : 0;
	if (!throw->address)
		ret->throw = throw->index ? throw->index : find_import(elf, METAL_NAME_THROW);
	r = elf_each_relocation(elf, &elf->plt_slots, visit_relocation, ret);
	if (r == 0 && !is_complete(ret))
		r = elf_each_relocation(elf, &elf->relocations, visit_relocation, ret);
	return r;
}

/* Hooks outside of code segments, or beyond the end of the file, count as missing. */
static int place_hooks(struct metal_library *library, const struct elf_file *elf,
		       const struct name_search *search)
{
	struct slots slots = { 0 };
	uint64_t stub;
	int r = 0;

	for (unsigned hook = 0; hook < METAL_HOOKS && (r == 0 || r == -ENOENT); hook++) {
		const struct symbol_match *found = name_search_hook(search, hook);

		r = found ? metal_place_find(elf, found->address, &library->hooks[hook]) : 0;
	}
	if (r == 0 || r == -ENOENT)
		r = read_slots(elf, search, &slots);
	if (r == 0 && slots.throw_slot) {
		r = stub_find(elf, slots.throw_slot, &stub);
		if (r == 0)
			r = metal_place_find(elf, stub, &library->hooks[METAL_THROW]);
	}
	library->tracks = slots.tracks;
	return r == -ENOENT ? 0 : r;
}

static bool is_cheap(const struct metal_library *library, enum metal_hook hook)
{
	enum metal_entry entry = library->hooks[hook].entry;

	return entry == METAL_ENTRY_PUSH || entry == METAL_ENTRY_NOP;
}

static bool is_there(const struct metal_library *library, enum metal_hook hook)
{
	return library->hooks[hook].entry != METAL_ENTRY_NONE;
}

/* Counting at allocate_buffer is equivalent if failed allocations can be subtracted. */
static void choose_allocation_hook(struct metal_library *library)
{
	if (library->tracks && !is_cheap(library, METAL_TRACK_ALLOCATE) &&
	    is_cheap(library, METAL_ALLOCATE) && is_there(library, METAL_THROW))
		library->tracks = false;
	if (!is_there(library, METAL_TRACK_ALLOCATE))
		library->tracks = false;
}

/* The vtable pointer of an object points after the first two words of the vtable symbol. */
static uint64_t vtable(const struct name_search *search, const char *name)
{
	uint64_t address = name_search_find(search, name)->address;

	return address ? address + 16 : 0;
}

static void find_vtables(struct metal_library *library, const struct name_search *search)
{
	library->device_vtable = vtable(search, METAL_NAME_DEVICE);
	if (!library->device_vtable)
		library->device_vtable = vtable(search, METAL_NAME_DEVICE_V0);
	library->mesh_vtable = vtable(search, METAL_NAME_MESH);
}

/*
 * The offset in the code of Device::id() takes precedence. If the code is not recognised, the
 * offset of the shape is kept. An offset that no known release has means an unknown release.
 */
static int find_chip(struct metal_library *library, const struct elf_file *elf)
{
	uint32_t offset;
	int r;

	if (!library->device_vtable)
		return 0;
	r = chip_offset(elf, library->device_vtable, &offset);
	if (r == -ENOENT)
		return 0;
	if (r == 0)
		library->shape.chip = offset == 8 || offset == 24 ? (uint16_t)offset : 0;
	return r;
}

int metal_library_read(struct metal_library *ret, int fd)
{
	struct metal_library library = { 0 };
	struct name_search search = { 0 };
	struct elf_file elf;
	int r;

	r = elf_open(&elf, fd);
	if (r < 0)
		return r;
	r = name_search_run(&search, &elf);
	if (r < 0)
		return r;
	r = metal_shape_find(&library.shape, name_search_has, &search);
	if (r < 0)
		return r;
	r = place_hooks(&library, &elf, &search);
	if (r < 0)
		return r;
	choose_allocation_hook(&library);
	find_vtables(&library, &search);
	r = find_chip(&library, &elf);
	if (r < 0)
		return r;
	library.build_id_length = elf_build_id(&elf, library.build_id, sizeof(library.build_id));
	*ret = library;
	return 0;
}

bool metal_library_uses(const struct metal_library *library, enum metal_hook hook)
{
	if (!is_there(library, hook))
		return false;
	if (hook == METAL_TRACK_ALLOCATE)
		return library->tracks || is_cheap(library, hook);
	if (hook == METAL_ALLOCATE || hook == METAL_THROW)
		return !library->tracks;
	if (hook == METAL_TRACK_DEALLOCATE)
		return !is_there(library, METAL_DEALLOCATE);
	return true;
}

enum trace_fault metal_library_fault(const struct metal_library *library)
{
	/* Called for every buffer; the other hooks may be slow. */
	static const enum metal_hook often[] = {
		METAL_TRACK_ALLOCATE, METAL_ALLOCATE,  METAL_TRACK_DEALLOCATE,
		METAL_DEALLOCATE,     METAL_CREATE_AT,
	};

	if (!library->device_vtable || !library->shape.chip ||
	    (!library->tracks && !is_there(library, METAL_ALLOCATE)))
		return TRACE_FAULT_UNKNOWN_SHAPE;
	if (!is_there(library, METAL_DEALLOCATE) && !is_there(library, METAL_TRACK_DEALLOCATE))
		return TRACE_FAULT_MISSED_FREE;
	/* Without these hooks, buffers that are freed by closing a device would stay counted. */
	if (!is_there(library, METAL_FORGET_ALL) && !is_there(library, METAL_DESTROY))
		return TRACE_FAULT_MISSED_FREE;
	if (!library->tracks && !is_there(library, METAL_THROW))
		return TRACE_FAULT_NO_THROW;
	for (size_t i = 0; i < ARRAY_SIZE(often); i++)
		if (metal_library_uses(library, often[i]) && !is_cheap(library, often[i]))
			return TRACE_FAULT_SINGLE_STEP;
	return TRACE_FAULT_NONE;
}
