/* What section headers add, where they are not stripped. */
#include "metal/elf_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_inside(const struct elf_file *elf, const Elf64_Shdr *section)
{
	return section->sh_offset <= elf->size &&
	       section->sh_size <= elf->size - section->sh_offset &&
	       section->sh_size <= ELF_TABLE_MAX;
}

static void keep_section(struct elf_file *elf, const Elf64_Shdr *sections, size_t count,
			 const Elf64_Shdr *section, const char *name)
{
	const Elf64_Shdr *strings = section->sh_link < count ? &sections[section->sh_link] : NULL;

	if (!is_inside(elf, section))
		return;
	if (section->sh_type == SHT_SYMTAB && strings && is_inside(elf, strings)) {
		elf->full = (struct elf_symbols){
			.offset = section->sh_offset,
			.count = section->sh_size / sizeof(Elf64_Sym),
			.strings = strings->sh_offset,
			.strings_size = strings->sh_size,
		};
	} else if (section->sh_type == SHT_DYNSYM && section->sh_offset == elf->dynamic.offset) {
		elf->dynamic.count = section->sh_size / sizeof(Elf64_Sym);
	} else if (section->sh_type == SHT_PROGBITS && (section->sh_flags & SHF_EXECINSTR) &&
		   strncmp(name, ".plt", 4) == 0 && elf->n_stubs < ARRAY_SIZE(elf->stubs)) {
		elf->stubs[elf->n_stubs++] = (struct elf_range){
			section->sh_addr,
			section->sh_offset,
			section->sh_size,
		};
	}
}

/* Reads the first bytes of a section's name, which are enough here. */
static void read_name(const struct elf_file *elf, const Elf64_Shdr *names, uint32_t at,
		      char name[static 8])
{
	memset(name, 0, 8);
	if (names && is_inside(elf, names) && at < names->sh_size &&
	    elf_read(elf, names->sh_offset + at, name, MIN(7, names->sh_size - at)) < 0)
		name[0] = '\0';
}

int elf_read_sections(struct elf_file *elf)
{
	CLEANUP_FREE Elf64_Shdr *sections = NULL;
	Elf64_Ehdr header;
	int r;

	r = elf_read(elf, 0, &header, sizeof(header));
	if (r < 0)
		return r;
	if (!header.e_shnum || header.e_shentsize != sizeof(*sections))
		return 0;
	sections = malloc(header.e_shnum * sizeof(*sections));
	if (!sections)
		return -ENOMEM;
	r = elf_read(elf, header.e_shoff, sections, header.e_shnum * sizeof(*sections));
	if (r == -EBADMSG)
		return 0; /* the section headers are truncated */
	if (r < 0)
		return r;
	for (size_t i = 0; i < header.e_shnum; i++) {
		const Elf64_Shdr *names =
			header.e_shstrndx < header.e_shnum ? &sections[header.e_shstrndx] : NULL;
		char name[8] = "";

		if (sections[i].sh_flags & SHF_EXECINSTR)
			read_name(elf, names, sections[i].sh_name, name);
		keep_section(elf, sections, header.e_shnum, &sections[i], name);
	}
	return 0;
}
