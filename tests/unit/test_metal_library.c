/* Reads files of TT-Metal: those that tests/unit/metal builds, and damaged copies. */
#include "metal/chip.h"
#include "metal/elf_file.h"
#include "metal/library.h"
#include "metal/stub.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define SENTINEL 12345 /* untouched by what failed */

static struct metal_library library;

static int open_file(const char *name)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", METAL_FOLDER, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fail_msg("%s: cannot be opened", path);
	return fd;
}

static int read_library(const char *name)
{
	CLEANUP_CLOSE int fd = open_file(name);

	library = (struct metal_library){ .build_id_length = SENTINEL };
	return metal_library_read(&library, fd);
}

/* The file as bytes that can be changed; must be freed. */
static uint8_t *load(const char *name, size_t *ret_size)
{
	CLEANUP_CLOSE int fd = open_file(name);
	struct stat st;
	uint8_t *bytes;

	assert_int_equal(fstat(fd, &st), 0);
	*ret_size = (size_t)st.st_size;
	bytes = malloc(*ret_size);
	assert_non_null(bytes);
	assert_int_equal(pread(fd, bytes, *ret_size, 0), *ret_size);
	return bytes;
}

static int read_bytes(const uint8_t *bytes, size_t size)
{
	CLEANUP_CLOSE int fd = memfd_create("library", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	return metal_library_read(&library, fd);
}

static const char *fault(const char *name)
{
	assert_int_equal(read_library(name), 0);
	return trace_fault_word(metal_library_fault(&library));
}

static enum metal_entry entry(enum metal_hook hook)
{
	return library.hooks[hook].entry;
}

/* The files of this test have no views of meshes; tests/metal has them. */
static bool is_of_views(unsigned hook)
{
	return hook == METAL_VIEW || hook == METAL_VIEW_LOCAL;
}

TEST(every_release_has_its_shape)
{
	static const struct {
		const char *name, *versions;
		unsigned device, chip;
	} files[] = {
		{ "v56", "v0.56", 0, 8 },
		{ "v57", "v0.57 to v0.59", 0, 8 },
		{ "v60", "v0.60 to v0.65", 16, 8 },
		{ "v66", "v0.66 to v0.67", 16, 8 },
		{ "v68", "v0.68 to v0.69", 16, 24 },
		{ "v70", "v0.70 to v0.76", 16, 24 },
		{ "v77", "v0.77 or later", 16, 24 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		assert_int_equal(read_library(files[i].name), 0);
		assert_string_equal(library.shape.versions, files[i].versions);
		assert_int_equal(library.shape.device, files[i].device);
		assert_int_equal(library.shape.chip, files[i].chip);
		assert_true(library.tracks);
		assert_int_equal(library.build_id_length, 20);
		assert_true(library.device_vtable && library.mesh_vtable);
		for (unsigned hook = 0; hook < METAL_HOOKS; hook++)
			if (entry(hook) == METAL_ENTRY_NONE && !is_of_views(hook))
				fail_msg("%s: hook %u", files[i].name, hook);
		assert_int_equal(metal_library_fault(&library), TRACE_FAULT_NONE);
	}
}

/* Nightly builds of v0.68 have the symbols of v0.68 and the chip number where v0.67 has it. */
TEST(the_code_of_the_getter_contains_the_offset_of_the_chip_number)
{
	static const char *const files[] = { "nightly", "nightly_packed", "nightly_unoptimised",
					     "nightly_ibt", "nightly_program" };

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		assert_int_equal(read_library(files[i]), 0);
		assert_string_equal(library.shape.versions, "v0.68 to v0.69");
		if (library.shape.chip != 8)
			fail_msg("%s: %u", files[i], library.shape.chip);
		assert_int_equal(metal_library_fault(&library), TRACE_FAULT_NONE);
	}
}

TEST(without_the_chip_number_nothing_is_traced)
{
	assert_string_equal(fault("computed_68"), "unknown-shape");
	assert_null(fault("computed_77")); /* the symbols show it */
	assert_int_equal(library.shape.chip, 24);
	assert_string_equal(fault("moved"), "unknown-shape");
}

static int64_t chip_in(const char *code, size_t length)
{
	uint32_t offset = SENTINEL;
	int r = chip_offset_in_code((const uint8_t *)code, length, &offset);

	if (r < 0)
		assert_int_equal(offset, SENTINEL);
	return r < 0 ? r : (int64_t)offset;
}

#define CHIP_IN(code) chip_in(code, sizeof(code) - 1)

TEST(getters_of_every_compiler_are_recognised)
{
	assert_int_equal(CHIP_IN("\x8b\x47\x18\xc3"), 24);
	assert_int_equal(CHIP_IN("\x8b\x47\x08\xf3\xc3"), 8);
	assert_int_equal(CHIP_IN("\x8b\x07\xc3"), 0);
	assert_int_equal(CHIP_IN("\x8b\x87\x18\0\0\0\xc3"), 24);
	assert_int_equal(CHIP_IN("\xf3\x0f\x1e\xfa\x8b\x47\x18\xc3"), 24);
	assert_int_equal(CHIP_IN("\x55\x48\x89\xe5\x8b\x47\x18\x5d\xc3"), 24);
	assert_int_equal(CHIP_IN("\x55\x48\x89\xe5\x48\x89\x7d\xf8\x48\x8b\x45\xf8"
				 "\x8b\x40\x08\x5d\xc3"),
			 8);
}

TEST(code_that_is_not_exactly_a_getter_is_rejected)
{
	assert_int_equal(CHIP_IN(""), -ENOENT);
	assert_int_equal(CHIP_IN("\x8b\x47"), -ENOENT);
	assert_int_equal(CHIP_IN("\x8b\x47\x18"), -ENOENT);
	assert_int_equal(CHIP_IN("\x8b\x87\x18\0\0"), -ENOENT);
	assert_int_equal(CHIP_IN("\x8b\x47\xf8\xc3"), -ENOENT); /* before the object */
	assert_int_equal(CHIP_IN("\x8b\x87\xf8\xff\xff\xff\xc3"), -ENOENT);
	assert_int_equal(CHIP_IN("\x8b\x46\x18\xc3"), -ENOENT); /* of another register */
	assert_int_equal(CHIP_IN("\x8b\x40\x18\xc3"), -ENOENT);
	assert_int_equal(CHIP_IN("\x8b\x5f\x18\xc3"), -ENOENT);	    /* to another register */
	assert_int_equal(CHIP_IN("\x8b\xc7\xc3"), -ENOENT);	    /* not of memory */
	assert_int_equal(CHIP_IN("\x48\x8b\x47\x18\xc3"), -ENOENT); /* 64 bits */
	assert_int_equal(CHIP_IN("\x8b\x47\x18\x83\xc0\x01\xc3"), -ENOENT); /* and adds 1 */
	assert_int_equal(CHIP_IN("\x55\x48\x89\xe5\x8b\x47\x18\xc3"), -ENOENT);
}

/* The linker's own view: the addresses of the symbol table, without its section headers. */
static uint64_t address_of(const char *file, const char *symbol)
{
	CLEANUP_CLOSE int fd = open_file(file);
	struct elf_file elf;
	Elf64_Sym found;
	uint32_t index;

	assert_int_equal(elf_open(&elf, fd), 0);
	assert_int_equal(elf_lookup(&elf, symbol, &found, &index), 0);
	return found.st_value;
}

TEST(hooks_are_at_their_functions)
{
	const struct metal_place *place = &library.hooks[METAL_ALLOCATE];
	size_t size;
	CLEANUP_FREE uint8_t *bytes = load("v77", &size);

	assert_int_equal(read_library("v77"), 0);
	assert_int_equal(
		place->address,
		address_of("v77", "_ZN2tt8tt_metal13AllocatorImpl15allocate_bufferEPNS0_6BufferE"));
	assert_int_equal(place->entry, METAL_ENTRY_PUSH);
	assert_true((bytes[place->offset] & 0xf8) == 0x50 || bytes[place->offset] == 0x41);
	assert_int_equal(library.device_vtable,
			 address_of("v77", "_ZTVN2tt8tt_metal6DeviceE") + 16);
	assert_int_equal(entry(METAL_FORGET), METAL_ENTRY_STEPPED);
}

/* The code of a stub: a jump through the slot, whatever precedes it. */
static void assert_is_stub(const char *file)
{
	size_t size;
	CLEANUP_FREE uint8_t *bytes = load(file, &size);
	uint64_t at = library.hooks[METAL_THROW].offset;

	assert_true(entry(METAL_THROW) != METAL_ENTRY_NONE);
	if (bytes[at] == 0xf2)
		at++;
	assert_int_equal(bytes[at], 0xff);
	assert_int_equal(bytes[at + 1], 0x25);
}

TEST(exceptions_are_seen_where_the_library_throws_them)
{
	static const char *const files[] = { "v77", "stripped", "ibt", "bound_now", "sysv_hash" };

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		assert_int_equal(read_library(files[i]), 0);
		assert_is_stub(files[i]);
	}
	/* Defined here: the function itself. */
	assert_null(fault("own_throw"));
	assert_int_equal(library.hooks[METAL_THROW].address,
			 address_of("own_throw", "__cxa_throw"));
	assert_true(metal_library_uses(&library, METAL_THROW));
	/* Called without a stub: not visible. */
	assert_int_equal(read_library("no_plt"), 0);
	assert_int_equal(entry(METAL_THROW), METAL_ENTRY_NONE);
}

/* Where a stub with these bytes starts; its jump leads to 0x1000 behind its last byte. */
static int64_t find_stub(const char *lead, size_t length, uint64_t address)
{
	CLEANUP_CLOSE int fd = memfd_create("stubs", MFD_CLOEXEC);
	struct elf_file elf = { .fd = fd, .size = length + 6, .n_stubs = 1 };
	const char jump[] = { '\xff', '\x25', 0, 0x10, 0, 0 };
	uint64_t found = 0;
	int r;

	elf.stubs[0] = (struct elf_range){ address, 0, elf.size };
	assert_int_equal(write(fd, lead, length), length);
	assert_int_equal(write(fd, jump, sizeof(jump)), sizeof(jump));
	r = stub_find(&elf, address + length + 6 + 0x1000, &found);
	assert_int_equal(stub_find(&elf, address + length + 6 + 0x1008, &found), -ENOENT);
	return r < 0 ? r : (int64_t)found;
}

/* Also those that the linker of this machine does not generate. */
TEST(stubs_of_every_linker_are_recognised)
{
	assert_int_equal(find_stub("", 0, 0x4000), 0x4000);
	assert_int_equal(find_stub("\xf3\x0f\x1e\xfa", 4, 0x4000), 0x4004);
	assert_int_equal(find_stub("\xf2", 1, 0x4000), 0x4000);
	assert_int_equal(find_stub("\xf3\x0f\x1e\xfa\xf2", 5, 0x4000), 0x4004);
	assert_int_equal(find_stub("\xf3\x0f\x1e\xfa\x41\xbb\1\0\0\0", 10, 0x4000), 0x4004);
}

/* A probe inside an instruction would break the program. */
TEST(code_similar_to_a_stub_is_rejected)
{
	assert_int_equal(find_stub("\x90", 1, 0x4000), -ENOENT);
	assert_int_equal(find_stub("\x90\x90\x90\x90", 4, 0x4000), -ENOENT);
	assert_int_equal(find_stub("\x90\xf2", 2, 0x4000), -ENOENT);
	assert_int_equal(find_stub("\x90\x90\x41\xbb\1\0\0\0\x90", 9, 0x4000), -ENOENT);
}

TEST(an_endbr64_is_skipped)
{
	size_t size;
	CLEANUP_FREE uint8_t *bytes = load("ibt", &size);

	assert_null(fault("ibt"));
	for (unsigned hook = 0; hook < METAL_HOOKS; hook++) {
		uint64_t at = library.hooks[hook].offset;

		if (is_of_views(hook))
			continue;
		assert_int_equal(memcmp(bytes + at - 4, "\xf3\x0f\x1e\xfa", 4), 0);
		assert_int_not_equal(memcmp(bytes + at, "\xf3\x0f\x1e\xfa", 4), 0);
	}
	assert_int_equal(entry(METAL_TRACK_ALLOCATE), METAL_ENTRY_PUSH);
}

TEST(relocations_show_whether_the_tracker_is_called)
{
	assert_null(fault("no_plt")); /* by the GOT alone */
	assert_true(library.tracks);
	assert_false(metal_library_uses(&library, METAL_ALLOCATE));
	assert_false(metal_library_uses(&library, METAL_THROW));
	assert_null(fault("untracked"));
	assert_false(library.tracks);
	assert_true(metal_library_uses(&library, METAL_ALLOCATE));
	assert_true(metal_library_uses(&library, METAL_TRACK_ALLOCATE));
	assert_false(metal_library_uses(&library, METAL_TRACK_DEALLOCATE));
	assert_string_equal(fault("untracked_no_plt"), "no-throw");
}

TEST(an_expensive_tracker_is_avoided_if_possible)
{
	assert_null(fault("stepped"));
	assert_int_equal(entry(METAL_TRACK_ALLOCATE), METAL_ENTRY_STEPPED);
	assert_false(library.tracks);
	assert_false(metal_library_uses(&library, METAL_TRACK_ALLOCATE));
	assert_string_equal(fault("stepped_no_plt"), "single-step");
	assert_true(library.tracks);
}

TEST(without_a_hook_for_closing_a_device_nothing_is_traced)
{
	assert_string_equal(fault("no_free_all"), "missed-free");
}

TEST(a_program_that_contains_it_is_read_by_its_full_table)
{
	assert_null(fault("program"));
	assert_string_equal(library.shape.versions, "v0.77 or later");
	assert_false(library.tracks); /* it is called, but no relocation shows it */
	assert_int_equal(read_library("program_stripped"), -ENOENT);
}

TEST(an_unknown_metal_is_distinguished_from_other_files)
{
	CLEANUP_CLOSE int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	CLEANUP_CLOSE int text = open(__FILE__, O_RDONLY | O_CLOEXEC);
	CLEANUP_CLOSE int device = open("/dev/null", O_RDONLY | O_CLOEXEC);
	CLEANUP_CLOSE int folder = open("/", O_RDONLY | O_CLOEXEC);

	assert_int_equal(read_library("unknown"), -ENOTSUP);
	assert_int_equal(library.build_id_length, SENTINEL);
	assert_int_equal(metal_library_read(&library, self), -ENOENT);
	if (text >= 0)
		assert_int_equal(metal_library_read(&library, text), -ENOENT);
	assert_int_equal(metal_library_read(&library, device), -ENOENT);
	assert_int_equal(metal_library_read(&library, folder), -ENOENT);
	assert_int_equal(metal_library_read(&library, -1), -EBADF);
}

TEST(section_headers_may_be_missing)
{
	static const char *const files[] = { "v77", "sysv_hash", "v57", "v56" };

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		size_t size;
		CLEANUP_FREE uint8_t *bytes = load(files[i], &size);
		Elf64_Ehdr *header = (void *)bytes; /* of malloc: aligned */

		header->e_shoff = 0;
		header->e_shnum = 0;
		assert_int_equal(read_bytes(bytes, size), 0);
		assert_int_equal(metal_library_fault(&library), TRACE_FAULT_NONE);
		assert_is_stub(files[i]);
		assert_true(library.tracks);
		assert_true(entry(METAL_CREATE_AT) == METAL_ENTRY_PUSH);
		/* Or have impossible values. */
		header->e_shoff = size - 3;
		header->e_shnum = 0xfff0;
		assert_int_equal(read_bytes(bytes, size), 0);
	}
}

TEST(files_for_other_machines_are_rejected)
{
	size_t size;
	CLEANUP_FREE uint8_t *bytes = load("v77", &size);
	Elf64_Ehdr *header = (void *)bytes; /* of malloc: aligned */

	header->e_machine = EM_AARCH64;
	assert_int_equal(read_bytes(bytes, size), -ENOENT);
	header->e_machine = EM_X86_64;
	header->e_ident[EI_CLASS] = ELFCLASS32;
	assert_int_equal(read_bytes(bytes, size), -ENOENT);
}

static void assert_answer(int r)
{
	if (r == 0)
		for (unsigned hook = 0; hook < METAL_HOOKS; hook++)
			assert_in_range(entry(hook), 0, METAL_ENTRY_STEPPED);
	else
		assert_true(r == -ENOENT || r == -ENOTSUP || r == -EBADMSG);
}

TEST(a_file_truncated_anywhere_is_harmless)
{
	size_t size;
	CLEANUP_FREE uint8_t *bytes = load("v77", &size);

	for (size_t cut = 0; cut < size; cut += cut < 4096 ? 61 : 997)
		assert_answer(read_bytes(bytes, cut));
}

TEST(a_file_with_random_bytes_in_it_is_harmless)
{
	static const char *const files[] = { "v77", "sysv_hash", "program" };
	uint64_t seed = 42;

	for (unsigned run = 0; run < 600; run++) {
		size_t size;
		CLEANUP_FREE uint8_t *bytes = load(files[run % ARRAY_SIZE(files)], &size);

		for (unsigned i = 0; i < 20; i++) {
			/* Headers and tables are at the start and at the end. */
			unsigned at = random_below(&seed, 4096);

			if (i % 4 == 3)
				at = (unsigned)size - 1 - at % (unsigned)size;
			bytes[at] = (uint8_t)random_next(&seed);
		}
		assert_answer(read_bytes(bytes, size));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_release_has_its_shape),
		cmocka_unit_test(the_code_of_the_getter_contains_the_offset_of_the_chip_number),
		cmocka_unit_test(without_the_chip_number_nothing_is_traced),
		cmocka_unit_test(getters_of_every_compiler_are_recognised),
		cmocka_unit_test(code_that_is_not_exactly_a_getter_is_rejected),
		cmocka_unit_test(hooks_are_at_their_functions),
		cmocka_unit_test(exceptions_are_seen_where_the_library_throws_them),
		cmocka_unit_test(stubs_of_every_linker_are_recognised),
		cmocka_unit_test(code_similar_to_a_stub_is_rejected),
		cmocka_unit_test(an_endbr64_is_skipped),
		cmocka_unit_test(relocations_show_whether_the_tracker_is_called),
		cmocka_unit_test(an_expensive_tracker_is_avoided_if_possible),
		cmocka_unit_test(without_a_hook_for_closing_a_device_nothing_is_traced),
		cmocka_unit_test(a_program_that_contains_it_is_read_by_its_full_table),
		cmocka_unit_test(an_unknown_metal_is_distinguished_from_other_files),
		cmocka_unit_test(section_headers_may_be_missing),
		cmocka_unit_test(files_for_other_machines_are_rejected),
		cmocka_unit_test(a_file_truncated_anywhere_is_harmless),
		cmocka_unit_test(a_file_with_random_bytes_in_it_is_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
