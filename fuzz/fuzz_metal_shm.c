/*
 * Fuzzes the parser of TT-Metal's counters. Few inputs have one of the sizes it accepts: a short
 * one is also tried as the beginning of a file of each layout.
 */
#include "fuzz.h"

#include "proto/metal_shm.h"

#include <errno.h>

static void try(const uint8_t *data, size_t size)
{
	static struct metal_counters counters;
	uint32_t version = 0;
	int r;

	memset(&counters, 0xAA, sizeof(counters));
	r = metal_decode(data, size, &counters, &version);
	CHECK(r == 0 || r == -EBADMSG || r == -EPROTONOSUPPORT || r == -EAGAIN);
	if (r == -EPROTONOSUPPORT)
		CHECK(version == 0 || version > 4);
	if (r < 0)
		return;
	CHECK(size == (version == 1 ? 9280 : 8576));
	CHECK(version >= 1 && version <= 4 && counters.version == version);
	CHECK(counters.n_slots <= METAL_SLOTS);
	for (size_t i = 0; i < counters.n_slots; i++) {
		CHECK(counters.slots[i].pid > 0);
		CHECK(fuzz_is_text(counters.slots[i].name, sizeof(counters.slots[i].name)));
	}
}

static void try_sized(const uint8_t *data, size_t size, size_t want, uint8_t version)
{
	uint8_t *file = calloc(1, want);

	CHECK(file);
	memcpy(file, data, size < want ? size : want);
	memcpy(file, (uint8_t[]){ version, 0, 0, 0 }, 4);
	try(file, want);
	if (version == 4) {
		memcpy(file + 8536, "YDER", 4);
		try(file, want);
	}
	free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try(data, size);
	for (uint8_t version = 1; version <= 4; version++)
		try_sized(data, size, version == 1 ? 9280 : 8576, version);
	return 0;
}
