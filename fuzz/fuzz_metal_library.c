/*
 * Fuzzes the reader of foreign ELF files. It needs a descriptor, so each input becomes a memfd.
 */
#include "fuzz.h"

#include "metal/library.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

static void check(const struct metal_library *library, size_t size)
{
	enum trace_fault fault = metal_library_fault(library);

	CHECK(fault < TRACE_FAULT_N);
	CHECK(library->shape.versions && library->shape.allocated_mask);
	CHECK(library->shape.chip == 8 || library->shape.chip == 24 || fault);
	CHECK(library->build_id_length <= sizeof(library->build_id));
	for (unsigned hook = 0; hook < METAL_HOOKS; hook++) {
		const struct metal_place *place = &library->hooks[hook];

		CHECK(place->entry <= METAL_ENTRY_STEPPED);
		CHECK(place->entry == METAL_ENTRY_NONE || place->offset < size + 4);
		CHECK(place->entry || !metal_library_uses(library, hook));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct metal_library library;
	int fd = memfd_create("library", MFD_CLOEXEC);
	int r;

	CHECK(fd >= 0);
	CHECK(write(fd, data, size) == (ssize_t)size);
	r = metal_library_read(&library, fd);
	CHECK(r == 0 || r == -ENOENT || r == -ENOTSUP || r == -EBADMSG);
	if (r == 0)
		check(&library, size);
	close(fd);
	return 0;
}
