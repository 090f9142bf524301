#include "proto/util_shm.h"

#include "proto/le.h"

#include <errno.h>

enum {
	AT_VERSION = 4,
	AT_ENTRY_SIZE = 6,
	AT_ASIC_ID = 8,
	AT_SOURCES = 20,
	AT_UPDATED = 32,
	AT_CORES = 40,
	AT_COLLECTOR = 48,
	AT_DRAM_READ = 56,
	AT_DRAM_WRITE = 60,
	HEADER_SIZE = 72,
	ENTRY_MIN = 40,
	ENTRY_SFPU = 6,
	ENTRY_DISPATCH = 8,
	ENTRY_FPU = 10,
	SOURCE_DISPATCH = 1,
	SOURCE_COMPUTE = 2,
	PER_MILLE = 1000,
};

static unsigned per_mille(const unsigned char *at)
{
	return MIN(le16_at(at), PER_MILLE);
}

static void read_cores(const unsigned char *data, size_t entry, size_t cores,
		       struct util_figures *ret)
{
	uint64_t dispatch = 0, compute = 0;

	for (size_t i = 0; i < cores; i++) {
		const unsigned char *at = data + HEADER_SIZE + i * entry;
		unsigned fpu = per_mille(at + ENTRY_FPU), sfpu = per_mille(at + ENTRY_SFPU);

		dispatch += per_mille(at + ENTRY_DISPATCH);
		compute += MAX(fpu, sfpu);
	}
	ret->dispatch = (double)dispatch / PER_MILLE / (double)cores;
	ret->compute = (double)compute / PER_MILLE / (double)cores;
}

/* Version 3 has DRAM figures, in MB/s; 0 means not sampled. */
static void read_dram(const unsigned char *data, struct util_figures *ret)
{
	uint32_t read = le32_at(data + AT_DRAM_READ), written = le32_at(data + AT_DRAM_WRITE);

	ret->has_dram = read || written;
	ret->dram_read = read * 1e6;
	ret->dram_write = written * 1e6;
}

int util_decode(const void *data, size_t size, struct util_figures *ret, uint32_t *ret_version)
{
	const unsigned char *at = data;
	uint32_t sources, cores;
	size_t entry;

	if (size < HEADER_SIZE || memcmp(at, "TTUT", 4) != 0)
		return -EBADMSG;
	*ret_version = le16_at(at + AT_VERSION);
	if (*ret_version < 2 || *ret_version > 3)
		return -EPROTONOSUPPORT;
	entry = le16_at(at + AT_ENTRY_SIZE);
	cores = le32_at(at + AT_CORES);
	if (entry < ENTRY_MIN || cores == 0 || cores > UTIL_MAX_CORES ||
	    size < HEADER_SIZE + entry * cores)
		return -EBADMSG;

	sources = le32_at(at + AT_SOURCES);
	*ret = (struct util_figures){
		.asic_id = le64_at(at + AT_ASIC_ID),
		.updated_us = le64_at(at + AT_UPDATED),
		.collector = le32_at(at + AT_COLLECTOR),
		.has_dispatch = sources & SOURCE_DISPATCH,
		.has_compute = sources & SOURCE_COMPUTE,
	};
	read_cores(at, entry, cores, ret);
	if (*ret_version >= 3)
		read_dram(at, ret);
	return 0;
}
