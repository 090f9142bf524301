/* Fuzzes the parser of published utilisation; an input is also tried after a valid header. */
#include "fuzz.h"

#include "proto/util_shm.h"

#include <errno.h>

static void try(const uint8_t *data, size_t size)
{
	struct util_figures figures;
	uint32_t version = 0;
	int r;

	r = util_decode(data, size, &figures, &version);
	CHECK(r == 0 || r == -EBADMSG || r == -EPROTONOSUPPORT);
	if (r < 0)
		return;
	CHECK(size >= 72 + 40 && (version == 2 || version == 3));
	CHECK(figures.compute >= 0 && figures.compute <= 1);
	CHECK(figures.dispatch >= 0 && figures.dispatch <= 1);
	if (figures.has_dram)
		CHECK(version == 3 && figures.dram_read >= 0 && figures.dram_write >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try(data, size);
	if (size >= 8) {
		uint8_t *file = malloc(size);

		CHECK(file);
		memcpy(file, data, size);
		memcpy(file, "TTUT\3\0\x28\0", 8);
		try(file, size);
		free(file);
	}
	return 0;
}
