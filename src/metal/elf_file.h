/*
 * A small reader of ELF files for x86-64: symbols, relocations, file offsets of addresses. It reads
 * in pieces and never maps the file: truncating a mapped file would kill the reader with SIGBUS.
 * The file is untrusted input: every number in it is checked before it is used.
 *
 * The segments and the dynamic section, which the loader uses, take precedence. Section headers may
 * be stripped; they only add the full symbol table and the location of the PLT stubs.
 */
#pragma once

#include "basic/macros.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Larger tables are rejected: a sparse file could claim any size. */
#define ELF_TABLE_MAX (UINT64_C(512) << 20)

struct elf_range {
	uint64_t address, offset, size;
};

/* A symbol table and its strings; count 0: not present. */
struct elf_symbols {
	uint64_t offset, count;
	uint64_t strings, strings_size;
};

struct elf_file {
	int fd;
	uint64_t size;
	struct elf_range loads[32]; /* parts mapped from the file */
	bool runs[32];		    /* mapped as code */
	size_t n_loads;
	bool has_interpreter; /* it is dynamically linked */
	struct elf_range notes[8];
	size_t n_notes;
	struct elf_symbols dynamic, full;
	uint64_t gnu_hash, hash;      /* offsets; 0: not present */
	struct elf_range plt_slots;   /* relocations of the PLT */
	struct elf_range relative;    /* those without a symbol */
	struct elf_range relocations; /* the others */
	struct elf_range stubs[4];    /* .plt, .plt.sec, .plt.got */
	size_t n_stubs;
};

/* The target of a file, for any machine. -ENOENT: not an ELF file. */
struct elf_target {
	uint8_t class; /* ELFCLASS64 */
	uint16_t machine;
};
MUST_CHECK int elf_read_target(int fd, struct elf_target *ret);

/* -ENOENT: not an ELF file for x86-64; -EBADMSG: malformed; others: read errors. */
MUST_CHECK int elf_open(struct elf_file *ret, int fd);

/* Adds what the section headers contain, if there are any. */
MUST_CHECK int elf_read_sections(struct elf_file *elf);

/* Reads all of the bytes; -EBADMSG: the file is shorter. */
MUST_CHECK int elf_read(const struct elf_file *elf, uint64_t offset, void *to, size_t length);

/* The file offset of a range of addresses; -ENOENT: not in the file. */
MUST_CHECK int elf_find(const struct elf_file *elf, uint64_t address, size_t length,
			uint64_t *ret_offset);

/* Is this address in a code segment of the file? */
bool elf_is_code(const struct elf_file *elf, uint64_t address);

/*
 * Looks up an exported symbol in the hash table of the file. -ENOENT: not defined; -ENODATA: there
 * is no such hash table.
 */
MUST_CHECK int elf_lookup(const struct elf_file *elf, const char *name, Elf64_Sym *ret,
			  uint32_t *ret_index);

/* Index of the first symbol in the hash table. Undefined symbols are not in it and come before. */
MUST_CHECK int elf_first_hashed(const struct elf_file *elf, uint32_t *ret);

/*
 * Calls visit for each symbol whose name is wanted. Searches the strings once, sequentially, then
 * compares symbols by string offset: no random access whatever the order.
 */
struct elf_search {
	bool (*wants)(const char *name, void *arg);
	void (*visit)(const char *name, uint32_t index, const Elf64_Sym *symbol, void *arg);
	void *arg;
};
MUST_CHECK int elf_search(const struct elf_file *elf, const struct elf_symbols *symbols,
			  const struct elf_search *search);

/* Calls visit for each relocation until it returns nonzero; returns that, or -errno. */
MUST_CHECK int elf_each_relocation(const struct elf_file *elf, const struct elf_range *range,
				   int (*visit)(const Elf64_Rela *relocation, void *arg),
				   void *arg);

/*
 * The pointer stored at an address after loading, without the load bias: from a relative
 * relocation, or from the file. -ENOENT: there is none.
 */
MUST_CHECK int elf_pointer_at(const struct elf_file *elf, uint64_t address, uint64_t *ret);

/* Returns the length of the build id, at most size bytes; 0: none. */
size_t elf_build_id(const struct elf_file *elf, uint8_t *id, size_t size);
