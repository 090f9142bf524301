/* Symbol look-up: by the hash table that the loader uses, or by a sequential search. */
#include "metal/elf_file.h"

#include <errno.h>
#include <string.h>

/* Maximum length of a wanted name. */
#define NAME_MAX_WANTED 512

struct gnu_hash {
	uint32_t n_buckets, first, n_bloom, bloom_shift;
};

static int read_gnu_hash(const struct elf_file *elf, struct gnu_hash *ret)
{
	int r;

	if (!elf->gnu_hash)
		return -ENODATA;
	r = elf_read(elf, elf->gnu_hash, ret, sizeof(*ret));
	if (r < 0)
		return r;
	return ret->n_buckets && ret->n_bloom ? 0 : -ENODATA;
}

static uint64_t buckets_at(const struct elf_file *elf, const struct gnu_hash *table)
{
	return elf->gnu_hash + sizeof(*table) + UINT64_C(8) * table->n_bloom;
}

static uint64_t chains_at(const struct elf_file *elf, const struct gnu_hash *table)
{
	return buckets_at(elf, table) + UINT64_C(4) * table->n_buckets;
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (uint8_t)*name;
	return hash;
}

/*
 * Bloom filter: two bits of one word are set for each name in the table, so most look-ups of other
 * names end here.
 */
static int bloom_has(const struct elf_file *elf, const struct gnu_hash *table, uint32_t hash)
{
	uint64_t word, index = (hash / 64) % table->n_bloom;
	int r;

	r = elf_read(elf, elf->gnu_hash + sizeof(*table) + 8 * index, &word, sizeof(word));
	if (r < 0)
		return r;
	return (word >> hash % 64 & 1) && (word >> (hash >> (table->bloom_shift % 32)) % 64 & 1);
}

/* Returns 1 if this is the symbol with that name. */
static int compare(const struct elf_file *elf, uint32_t index, const char *name, Elf64_Sym *ret)
{
	char found[NAME_MAX_WANTED];
	size_t length = strlen(name) + 1;
	int r;

	r = elf_read(elf, elf->dynamic.offset + (uint64_t)index * sizeof(*ret), ret, sizeof(*ret));
	if (r < 0)
		return r;
	if (length > sizeof(found) || ret->st_name >= elf->dynamic.strings_size ||
	    length > elf->dynamic.strings_size - ret->st_name)
		return 0;
	r = elf_read(elf, elf->dynamic.strings + ret->st_name, found, length);
	if (r < 0)
		return r;
	return memcmp(found, name, length) == 0;
}

/* A chain ends with an odd value; the limit protects against malformed files. */
static int follow(const struct elf_file *elf, const struct gnu_hash *table, uint32_t index,
		  const char *name, Elf64_Sym *ret, uint32_t *ret_index)
{
	uint32_t hash = hash_of(name);

	for (unsigned i = 0; i < 4096; i++, index++) {
		uint32_t link;
		int r;

		r = elf_read(elf, chains_at(elf, table) + UINT64_C(4) * (index - table->first),
			     &link, sizeof(link));
		if (r == 0 && (link | 1) == (hash | 1))
			r = compare(elf, index, name, ret);
		if (r < 0)
			return r;
		if (r > 0) {
			*ret_index = index;
			return 0;
		}
		if (link & 1)
			break;
	}
	return -ENOENT;
}

int elf_lookup(const struct elf_file *elf, const char *name, Elf64_Sym *ret, uint32_t *ret_index)
{
	struct gnu_hash table;
	uint32_t hash = hash_of(name), index;
	int r;

	r = read_gnu_hash(elf, &table);
	if (r < 0)
		return r;
	r = bloom_has(elf, &table, hash);
	if (r <= 0)
		return r < 0 ? r : -ENOENT;
	r = elf_read(elf, buckets_at(elf, &table) + UINT64_C(4) * (hash % table.n_buckets), &index,
		     sizeof(index));
	if (r < 0)
		return r;
	if (index < table.first)
		return -ENOENT;
	return follow(elf, &table, index, name, ret, ret_index);
}

int elf_first_hashed(const struct elf_file *elf, uint32_t *ret)
{
	struct gnu_hash table;
	int r;

	r = read_gnu_hash(elf, &table);
	if (r < 0)
		return r;
	*ret = table.first;
	return 0;
}

/* Wanted names, by their offset in the string table. */
struct wanted {
	const struct elf_search *search;
	size_t count;
	struct {
		uint64_t at;
		char name[NAME_MAX_WANTED];
	} names[64];
	uint8_t seen[4096]; /* filter by the low bits of the offset: most symbols end here */
};

static void take_string(struct wanted *wanted, const char *name, uint64_t at)
{
	size_t length = strlen(name);

	if (wanted->count == ARRAY_SIZE(wanted->names) || length >= NAME_MAX_WANTED ||
	    !wanted->search->wants(name, wanted->search->arg))
		return;
	wanted->names[wanted->count].at = at;
	memcpy(wanted->names[wanted->count].name, name, length + 1);
	wanted->count++;
	wanted->seen[at % sizeof(wanted->seen)] = 1;
}

/* Takes the strings of one piece; one that continues in the next piece is moved to its start. */
static size_t take_strings(struct wanted *wanted, char *block, size_t length, uint64_t at)
{
	char *string = block, *end = block + length, *nul;

	while ((nul = memchr(string, '\0', (size_t)(end - string)))) {
		take_string(wanted, string, at + (uint64_t)(string - block));
		string = nul + 1;
	}
	if ((size_t)(end - string) >= NAME_MAX_WANTED)
		/* too long for a wanted name: keep just enough to stay so */
		string = end - NAME_MAX_WANTED;
	memmove(block, string, (size_t)(end - string));
	return (size_t)(end - string);
}

static int search_strings(const struct elf_file *elf, const struct elf_symbols *symbols,
			  struct wanted *wanted)
{
	enum { PIECE = 128 << 10 };
	CLEANUP_FREE char *block = malloc(PIECE + NAME_MAX_WANTED);
	size_t kept = 0;

	if (!block)
		return -ENOMEM;
	for (uint64_t at = 0; at < symbols->strings_size; at += PIECE) {
		size_t length = MIN(PIECE, symbols->strings_size - at);
		int r;

		r = elf_read(elf, symbols->strings + at, block + kept, length);
		if (r < 0)
			return r;
		kept = take_strings(wanted, block, kept + length, at - kept);
	}
	return 0;
}

static void visit_symbol(const struct wanted *wanted, uint32_t index, const Elf64_Sym *symbol)
{
	if (!wanted->seen[symbol->st_name % sizeof(wanted->seen)])
		return;
	for (size_t i = 0; i < wanted->count; i++)
		if (wanted->names[i].at == symbol->st_name)
			wanted->search->visit(wanted->names[i].name, index, symbol,
					      wanted->search->arg);
}

static int visit_symbols(const struct elf_file *elf, const struct elf_symbols *symbols,
			 uint64_t count, const struct wanted *wanted)
{
	Elf64_Sym block[1024];

	for (uint64_t at = 0; at < count; at += ARRAY_SIZE(block)) {
		size_t n = MIN(ARRAY_SIZE(block), count - at);
		int r;

		r = elf_read(elf, symbols->offset + at * sizeof(block[0]), block,
			     n * sizeof(block[0]));
		if (r < 0)
			return r;
		for (size_t i = 0; i < n; i++)
			visit_symbol(wanted, (uint32_t)(at + i), &block[i]);
	}
	return 0;
}

/*
 * Without section headers the number of dynamic symbols is unknown: as many as fit before their
 * strings, which linkers put behind them, else the count of the old hash table.
 */
static uint64_t count_symbols(const struct elf_file *elf, const struct elf_symbols *symbols)
{
	uint32_t hash[2];

	if (symbols->count || symbols->offset != elf->dynamic.offset)
		return symbols->count;
	if (elf->hash && elf_read(elf, elf->hash, hash, sizeof(hash)) == 0)
		return hash[1];
	if (symbols->strings > symbols->offset)
		return (symbols->strings - symbols->offset) / sizeof(Elf64_Sym);
	return 0;
}

int elf_search(const struct elf_file *elf, const struct elf_symbols *symbols,
	       const struct elf_search *search)
{
	CLEANUP_FREE struct wanted *wanted = NULL;
	uint64_t count = count_symbols(elf, symbols);
	int r;

	if (!count || !symbols->strings_size)
		return 0;
	if (count > MIN(elf->size, ELF_TABLE_MAX) / sizeof(Elf64_Sym))
		return -EBADMSG;
	wanted = calloc(1, sizeof(*wanted));
	if (!wanted)
		return -ENOMEM;
	wanted->search = search;
	r = search_strings(elf, symbols, wanted);
	if (r < 0 || !wanted->count)
		return r;
	return visit_symbols(elf, symbols, count, wanted);
}
