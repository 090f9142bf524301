/* One of TT-Metal's files of memory counters, read and decoded. */
#pragma once

#include "basic/macros.h"
#include "proto/metal_shm.h"
#include "source/shm.h"

struct metal_counters_file {
	uint64_t id; /* in its name */
	uid_t owner;
	ssize_t length;	  /* number of bytes read, or -errno */
	int error;	  /* result of metal_decode(), if it was read */
	uint32_t version; /* if it has one */
	struct metal_counters counters;
};

/* Reads the file at this index of a folder. Errors are in the result. */
void metal_file_read(struct shm_folder *folder, size_t at, struct metal_counters_file *ret);
