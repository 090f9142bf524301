/*
 * A small reader of ELF files for x86-64: symbols, relocations, where an address is
 * in the file. Read in pieces, never mapped: a file that shrinks under a mapping kills
 * the reader. The file is untrusted input: every number in it is checked before it is used.
 *
 * What the loader itself needs (segments, the dynamic section) is believed first.
 * Section headers may be stripped; they only add the full symbol table and tell where
 * the stubs of the PLT are.
 */
#pragma once

#include "basic/macros.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Larger tables are not believed: a sparse file could claim any. */
#define ELF_TABLE_MAX (UINT64_C(512) << 20)

struct elf_range {
	uint64_t address, offset, size;
};

/* A table of symbols and its strings; count 0: not there. */
struct elf_symbols {
	uint64_t offset, count;
	uint64_t strings, strings_size;
};

struct elf_file {
	int fd;
	uint64_t size;
	struct elf_range loads[32]; /* what is mapped from the file */
	bool runs[32];		    /* whether as code */
	size_t n_loads;
	bool has_interpreter; /* it is a program that a loader starts, not a static one */
	struct elf_range notes[8];
	size_t n_notes;
	struct elf_symbols dynamic, full;
	uint64_t gnu_hash, hash;      /* offsets; 0: not there */
	struct elf_range plt_slots;   /* relocations of the PLT */
	struct elf_range relative;    /* those that name no symbol */
	struct elf_range relocations; /* the others */
	struct elf_range stubs[4];    /* .plt, .plt.sec, .plt.got */
	size_t n_stubs;
};

/* What a file is made for, on any machine. -ENOENT: it is no ELF file. */
struct elf_target {
	uint8_t class; /* ELFCLASS64 */
	uint16_t machine;
};
MUST_CHECK int elf_read_target(int fd, struct elf_target *ret);

/* -ENOENT: no ELF file for x86-64; -EBADMSG: a broken one; others: of reading. */
MUST_CHECK int elf_open(struct elf_file *ret, int fd);

/* Adds what the section headers know, if there are any. */
MUST_CHECK int elf_read_sections(struct elf_file *elf);

/* All of the bytes; -EBADMSG: the file ends before. */
MUST_CHECK int elf_read(const struct elf_file *elf, uint64_t offset, void *to, size_t length);

/* Where in the file so many bytes at an address are; -ENOENT: nowhere. */
MUST_CHECK int elf_find(const struct elf_file *elf, uint64_t address, size_t length,
			uint64_t *ret_offset);

/* Is this address code that comes from the file? */
bool elf_is_code(const struct elf_file *elf, uint64_t address);

/*
 * A symbol that others can link to, by the hash table of the file. -ENOENT: it is not
 * there; -ENODATA: there is no such hash table.
 */
MUST_CHECK int elf_lookup(const struct elf_file *elf, const char *name, Elf64_Sym *ret,
			  uint32_t *ret_index);

/* Undefined symbols are in no hash table, but come first: the index of the first other one. */
MUST_CHECK int elf_first_hashed(const struct elf_file *elf, uint32_t *ret);

/*
 * Calls visit for each symbol whose name is wanted. Strings are searched first, once
 * and in order, then symbols are compared by number: no seeking whatever the order.
 */
struct elf_search {
	bool (*wants)(const char *name, void *arg);
	void (*visit)(const char *name, uint32_t index, const Elf64_Sym *symbol, void *arg);
	void *arg;
};
MUST_CHECK int elf_search(const struct elf_file *elf, const struct elf_symbols *symbols,
			  const struct elf_search *search);

/* Calls visit for each relocation until it returns non-zero; returns that, or -errno. */
MUST_CHECK int elf_each_relocation(const struct elf_file *elf, const struct elf_range *range,
				   int (*visit)(const Elf64_Rela *relocation, void *arg),
				   void *arg);

/*
 * The address that is stored at an address once the file is loaded, less the load bias: from
 * a relative relocation, or as the file has it. -ENOENT: there is none.
 */
MUST_CHECK int elf_pointer_at(const struct elf_file *elf, uint64_t address, uint64_t *ret);

/* The build id, at most size bytes of it; 0: none. */
size_t elf_build_id(const struct elf_file *elf, uint8_t *id, size_t size);
