#include "metal/name_search.h"

#include <errno.h>
#include <string.h>

static void take(struct name_search *search, unsigned name, uint32_t index, const Elf64_Sym *symbol)
{
	struct symbol_match *found = &search->found[name];
	bool defined = symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < SHN_LORESERVE;

	if (search->dynamic && !found->index && (defined || !found->address))
		found->index = index;
	if (defined && !found->address)
		found->address = symbol->st_value;
}

static bool wants(const char *name, void *arg)
{
	(void)arg;
	return metal_name_find(name) != METAL_NAMES;
}

static void visit(const char *name, uint32_t index, const Elf64_Sym *symbol, void *arg)
{
	take(arg, metal_name_find(name), index, symbol);
}

static int search_all(struct name_search *search, const struct elf_file *elf, bool dynamic)
{
	search->dynamic = dynamic;
	return elf_search(elf, dynamic ? &elf->dynamic : &elf->full,
			  &(struct elf_search){ wants, visit, search });
}

/* Looks up each name that is not a pattern in the hash table. */
static int look_up(struct name_search *search, const struct elf_file *elf)
{
	search->dynamic = true;
	for (unsigned i = 0; i < METAL_NAMES; i++) {
		Elf64_Sym symbol;
		uint32_t index;
		int r;

		if (strpbrk(metal_names[i].pattern, "?*"))
			continue;
		r = elf_lookup(elf, metal_names[i].pattern, &symbol, &index);
		if (r < 0 && r != -ENOENT)
			return r;
		if (r == 0)
			take(search, i, index, &symbol);
	}
	return 0;
}

const struct symbol_match *name_search_find(const struct name_search *search, const char *name)
{
	for (unsigned i = 0; i < METAL_NAMES; i++)
		if (strcmp(metal_names[i].pattern, name) == 0)
			return &search->found[i];
	return NULL;
}

bool name_search_has(const char *symbol, void *arg)
{
	const struct symbol_match *found = name_search_find(arg, symbol);

	return found && found->address;
}

const struct symbol_match *name_search_hook(const struct name_search *search, enum metal_hook hook)
{
	for (unsigned i = 0; i < METAL_NAMES; i++)
		if (metal_names[i].hook == hook && search->found[i].address)
			return &search->found[i];
	return NULL;
}

/* Only recent versions have the constructors of views; __cxa_throw is mostly imported. */
static bool is_optional(enum metal_hook hook)
{
	return hook == METAL_THROW || hook == METAL_VIEW || hook == METAL_VIEW_LOCAL;
}

static bool lacks_hooks(const struct name_search *search)
{
	for (unsigned hook = 0; hook < METAL_HOOKS; hook++)
		if (!is_optional(hook) && !name_search_hook(search, hook))
			return true;
	return false;
}

int name_search_run(struct name_search *search, struct elf_file *elf)
{
	int r;

	r = look_up(search, elf);
	if (r < 0 && r != -ENODATA)
		return r;
	if (r == 0 && !lacks_hooks(search))
		return elf_read_sections(elf);
	if (elf_read_sections(elf) < 0)
		return -EBADMSG;
	if (r == -ENODATA || (name_search_hook(search, METAL_TRACK_ALLOCATE) &&
			      !name_search_hook(search, METAL_CREATE_AT))) {
		r = search_all(search, elf, true);
		if (r < 0)
			return r;
	}
	return lacks_hooks(search) ? search_all(search, elf, false) : 0;
}
