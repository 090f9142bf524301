#include "metal/elf_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

int elf_read(const struct elf_file *elf, uint64_t offset, void *to, size_t length)
{
	char *at = to;

	if (offset > elf->size || length > elf->size - offset)
		return -EBADMSG;
	while (length) {
		ssize_t n = pread(elf->fd, at, length, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -EBADMSG; /* the file has shrunk */
		at += n;
		offset += (uint64_t)n;
		length -= (size_t)n;
	}
	return 0;
}

static const struct elf_range *load_of(const struct elf_file *elf, uint64_t address, size_t length)
{
	for (size_t i = 0; i < elf->n_loads; i++) {
		const struct elf_range *load = &elf->loads[i];

		if (address >= load->address && address - load->address < load->size &&
		    length <= load->size - (address - load->address))
			return load;
	}
	return NULL;
}

int elf_find(const struct elf_file *elf, uint64_t address, size_t length, uint64_t *ret_offset)
{
	const struct elf_range *load = load_of(elf, address, length);

	if (!load)
		return -ENOENT;
	*ret_offset = load->offset + (address - load->address);
	return 0;
}

bool elf_is_code(const struct elf_file *elf, uint64_t address)
{
	const struct elf_range *load = load_of(elf, address, 1);

	return load && elf->runs[load - elf->loads];
}

static int read_header(struct elf_file *elf, Elf64_Ehdr *ret)
{
	struct stat st;
	int r;

	if (fstat(elf->fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size < (off_t)sizeof(*ret))
		return -ENOENT;
	elf->size = (uint64_t)st.st_size;
	r = elf_read(elf, 0, ret, sizeof(*ret));
	if (r < 0)
		return r;
	return memcmp(ret->e_ident, ELFMAG, SELFMAG) == 0 ? 0 : -ENOENT;
}

int elf_read_target(int fd, struct elf_target *ret)
{
	struct elf_file elf = { .fd = fd };
	Elf64_Ehdr header;
	int r = read_header(&elf, &header);

	/* The machine is at the same offset in both classes. */
	if (r >= 0)
		*ret = (struct elf_target){ header.e_ident[EI_CLASS], header.e_machine };
	return r;
}

static bool is_supported(const Elf64_Ehdr *header)
{
	return header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == ELFDATA2LSB &&
	       header->e_machine == EM_X86_64;
}

static void keep_segment(struct elf_file *elf, const Elf64_Phdr *segment,
			 struct elf_range *ret_dynamic)
{
	struct elf_range range = { segment->p_vaddr, segment->p_offset, segment->p_filesz };

	elf->has_interpreter |= segment->p_type == PT_INTERP;
	if (range.offset > elf->size || range.size > elf->size - range.offset)
		return;
	if (segment->p_type == PT_LOAD && elf->n_loads < ARRAY_SIZE(elf->loads)) {
		elf->runs[elf->n_loads] = segment->p_flags & PF_X;
		elf->loads[elf->n_loads++] = range;
	} else if (segment->p_type == PT_NOTE && elf->n_notes < ARRAY_SIZE(elf->notes)) {
		elf->notes[elf->n_notes++] = range;
	} else if (segment->p_type == PT_DYNAMIC) {
		*ret_dynamic = range;
	}
}

static int read_segments(struct elf_file *elf, const Elf64_Ehdr *header,
			 struct elf_range *ret_dynamic)
{
	Elf64_Phdr segments[64];
	int r;

	if (header->e_phnum > ARRAY_SIZE(segments) || header->e_phentsize != sizeof(segments[0]))
		return -EBADMSG;
	r = elf_read(elf, header->e_phoff, segments, header->e_phnum * sizeof(segments[0]));
	if (r < 0)
		return r;
	for (size_t i = 0; i < header->e_phnum; i++)
		keep_segment(elf, &segments[i], ret_dynamic);
	return 0;
}

/* The dynamic section: older tags by number, and the others that are used. */
struct dynamic {
	uint64_t at[DT_JMPREL + 1];
	uint64_t gnu_hash, relative_count;
};

static int read_dynamic(const struct elf_file *elf, const struct elf_range *range,
			struct dynamic *ret)
{
	Elf64_Dyn entries[128];
	size_t count = MIN(range->size / sizeof(entries[0]), ARRAY_SIZE(entries));
	int r;

	r = elf_read(elf, range->offset, entries, count * sizeof(entries[0]));
	if (r < 0)
		return r;
	for (size_t i = 0; i < count && entries[i].d_tag != DT_NULL; i++) {
		int64_t tag = entries[i].d_tag;

		if (tag == DT_GNU_HASH)
			ret->gnu_hash = entries[i].d_un.d_ptr;
		else if (tag == DT_RELACOUNT)
			ret->relative_count = entries[i].d_un.d_val;
		else if (tag > 0 && tag < (int64_t)ARRAY_SIZE(ret->at))
			ret->at[tag] = entries[i].d_un.d_val;
	}
	return 0;
}

/* A table given by its address; empty unless it is completely in the file. */
static struct elf_range table_at(const struct elf_file *elf, uint64_t address, uint64_t size)
{
	struct elf_range range = { .address = address };

	if (!address || !size || size > ELF_TABLE_MAX ||
	    elf_find(elf, address, size, &range.offset) < 0)
		return (struct elf_range){ 0 };
	range.size = size;
	return range;
}

static uint64_t offset_at(const struct elf_file *elf, uint64_t address)
{
	return table_at(elf, address, sizeof(uint64_t)).offset;
}

static void place_tables(struct elf_file *elf, const struct dynamic *dynamic)
{
	struct elf_range strings = table_at(elf, dynamic->at[DT_STRTAB], dynamic->at[DT_STRSZ]);
	uint64_t relative = 0;

	elf->dynamic = (struct elf_symbols){
		.offset = offset_at(elf, dynamic->at[DT_SYMTAB]),
		.strings = strings.offset,
		.strings_size = strings.size,
	};
	if (elf->dynamic.offset && strings.size) {
		elf->gnu_hash = offset_at(elf, dynamic->gnu_hash);
		elf->hash = offset_at(elf, dynamic->at[DT_HASH]);
	}
	elf->plt_slots = table_at(elf, dynamic->at[DT_JMPREL], dynamic->at[DT_PLTRELSZ]);
	elf->relocations = table_at(elf, dynamic->at[DT_RELA], dynamic->at[DT_RELASZ]);
	/* Most of them are relative. Linkers put these first. */
	if (dynamic->relative_count <= elf->relocations.size / sizeof(Elf64_Rela))
		relative = dynamic->relative_count * sizeof(Elf64_Rela);
	elf->relative = elf->relocations;
	elf->relative.size = relative;
	elf->relocations.offset += relative;
	elf->relocations.size -= relative;
}

int elf_open(struct elf_file *ret, int fd)
{
	struct elf_file elf = { .fd = fd };
	struct elf_range range = { 0 };
	struct dynamic dynamic = { 0 };
	Elf64_Ehdr header;
	int r;

	r = read_header(&elf, &header);
	if (r < 0)
		return r;
	if (!is_supported(&header))
		return -ENOENT;
	r = read_segments(&elf, &header, &range);
	if (r < 0)
		return r;
	if (range.size) {
		r = read_dynamic(&elf, &range, &dynamic);
		if (r < 0)
			return r;
		place_tables(&elf, &dynamic);
	}
	*ret = elf;
	return 0;
}

/* The length of the build id, if these bytes are a note that contains one. */
static size_t id_in_note(const uint8_t *note, size_t length, const uint8_t **ret_id)
{
	Elf64_Nhdr header;

	if (length < sizeof(header) + 4)
		return 0;
	memcpy(&header, note, sizeof(header));
	if (header.n_type != NT_GNU_BUILD_ID || header.n_namesz != 4 ||
	    memcmp(note + sizeof(header), "GNU", 4) != 0 ||
	    header.n_descsz > length - sizeof(header) - 4)
		return 0;
	*ret_id = note + sizeof(header) + 4;
	return header.n_descsz;
}

size_t elf_build_id(const struct elf_file *elf, uint8_t *id, size_t size)
{
	for (size_t i = 0; i < elf->n_notes; i++) {
		uint8_t bytes[1024];
		size_t length = MIN(elf->notes[i].size, sizeof(bytes));

		if (elf_read(elf, elf->notes[i].offset, bytes, length) < 0)
			continue;
		/* Notes start at multiples of four. Other data does not match. */
		for (size_t at = 0; at < length; at += 4) {
			const uint8_t *found;
			size_t found_length = id_in_note(bytes + at, length - at, &found);

			if (!found_length)
				continue;
			memcpy(id, found, MIN(found_length, size));
			return MIN(found_length, size);
		}
	}
	return 0;
}
