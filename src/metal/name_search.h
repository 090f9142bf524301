/* Finds the symbols of metal/names.h in an ELF file. */
#pragma once

#include "metal/elf_file.h"
#include "metal/names.h"

/* The symbol that matches one entry of metal_names. */
struct symbol_match {
	uint64_t address; /* 0: not defined in the file */
	uint32_t index;	  /* in the dynamic symbol table; 0: not in it */
};

struct name_search {
	struct symbol_match found[METAL_NAMES];
	bool dynamic; /* the dynamic symbol table is being searched */
};

/*
 * Fills a zeroed search. Starts with the hash table, which is cheap, since almost no file is
 * TT-Metal. Reads all dynamic symbols if there is no hash table, or if the hook without a fixed
 * name was not found; the full symbol table if something is still missing, as in a program that
 * TT-Metal is linked into. Also reads the section headers of the file.
 */
MUST_CHECK int name_search_run(struct name_search *search, struct elf_file *elf);

/* The match of one of the names in metal_names, defined or not. */
const struct symbol_match *name_search_find(const struct name_search *search, const char *name);

/* The preferred defined symbol of a hook; NULL: none. */
const struct symbol_match *name_search_hook(const struct name_search *search, enum metal_hook hook);

/* Is the symbol defined? For metal_shape_find(); arg is the search. */
bool name_search_has(const char *symbol, void *arg);
