#include "metal/program_hooks.h"

#include "basic/macros.h"
#include "metal/program_names.h"

#include <errno.h>

/* If two names of one hook are defined, the first in this table is used. */
static const struct {
	enum program_hook hook;
	const char *symbol;
} names[] = {
#define X(id, name, hook) { hook, name },
	PROGRAM_NAMES(X)
#undef X
};

int program_hooks_read(struct program_hooks *ret, int fd)
{
	struct program_hooks hooks = { 0 };
	struct elf_file elf;
	int r = elf_open(&elf, fd);

	for (size_t i = 0; i < ARRAY_SIZE(names) && r == 0; i++) {
		struct metal_place *place = &hooks.places[names[i].hook];
		Elf64_Sym symbol;
		uint32_t index;

		if (place->entry != METAL_ENTRY_NONE)
			continue;
		r = elf_lookup(&elf, names[i].symbol, &symbol, &index);
		if (r == 0 && symbol.st_shndx != SHN_UNDEF)
			r = metal_place_find(&elf, symbol.st_value, place);
		if (r == -ENOENT || r == -ENODATA)
			r = 0;
	}
	if (r == 0)
		*ret = hooks;
	return r;
}

bool program_hooks_has_rings(const struct program_hooks *hooks)
{
	return hooks->places[PROGRAM_PUBLISH].entry != METAL_ENTRY_NONE;
}

bool program_hooks_has_records(const struct program_hooks *hooks)
{
	return hooks->places[PROGRAM_RECORD].entry != METAL_ENTRY_NONE &&
	       !program_hooks_has_rings(hooks);
}
