/*
 * Symbols are looked up in the hash tables of the loaded objects. dlsym() would miss a library that
 * was loaded with RTLD_LOCAL, as Python loads extensions, and dlopen() takes a lock that a thread
 * may hold while it runs constructors, which may report allocations.
 */
#include "alloc/release.h"

#include "metal/shape.h"

#include <link.h>
#include <string.h>

/* The dynamic symbols of a loaded object. */
struct loaded_object {
	const ElfW(Sym) * symbols;
	const char *names;
	const uint32_t *hash; /* of DT_GNU_HASH; NULL: it has none */
};

static void object_read(struct loaded_object *object, uintptr_t base, const ElfW(Dyn) * entry)
{
	*object = (struct loaded_object){ 0 };
	for (; entry->d_tag != DT_NULL; entry++) {
		/* The loader has added the base address, except for objects of the kernel. */
		uintptr_t address = entry->d_un.d_ptr + (entry->d_un.d_ptr < base ? base : 0);

		if (entry->d_tag == DT_SYMTAB)
			object->symbols = (const ElfW(Sym) *)address;
		else if (entry->d_tag == DT_STRTAB)
			object->names = (const char *)address;
		else if (entry->d_tag == DT_GNU_HASH)
			object->hash = (const uint32_t *)address;
	}
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (uint8_t)*name;
	return hash;
}

/*
 * The table: number of buckets, first symbol in it, number of Bloom filter words, a shift for
 * the filter (not used here), the filter, the buckets, and a chain of hashes whose last
 * member has bit 0 set.
 */
static bool has_symbol(const char *name, void *arg)
{
	const struct loaded_object *object = arg;
	uint32_t n_buckets = object->hash[0], first = object->hash[1], hash = hash_of(name);
	const ElfW(Addr) *filter = (const void *)(object->hash + 4);
	const uint32_t *buckets = (const uint32_t *)(filter + object->hash[2]);
	const uint32_t *chain = buckets + n_buckets;
	uint32_t i = n_buckets ? buckets[hash % n_buckets] : 0;

	if (i < first)
		return false;
	for (;; i++) {
		const ElfW(Sym) *symbol = &object->symbols[i];

		if ((chain[i - first] | 1) == (hash | 1) && symbol->st_shndx != SHN_UNDEF &&
		    strcmp(object->names + symbol->st_name, name) == 0)
			return true;
		if (chain[i - first] & 1)
			return false;
	}
}

static int object_visit(struct dl_phdr_info *info, size_t size, void *arg)
{
	unsigned *meanings = arg;
	struct metal_shape shape;
	struct loaded_object object;

	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
			continue;
		object_read(&object, info->dlpi_addr,
			    (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr));
		if (object.hash && object.symbols && object.names &&
		    metal_shape_find(&shape, has_symbol, &object) == 0)
			*meanings |= visible_meaning_of(shape.visible_positions, shape.order_by_id);
	}
	return 0;
}

enum visible_meaning release_meaning(void)
{
	unsigned meanings = 0;

	dl_iterate_phdr(object_visit, &meanings);
	return meanings ? (enum visible_meaning)meanings : VISIBLE_BY_EITHER;
}
