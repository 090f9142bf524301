/* The memory that a process shares with monitors: a sealed memfd that it alone can write. */
#pragma once

#include "basic/macros.h"

#include <stddef.h>
#include <stdint.h>

/*
 * A memfd of this size, empty, with a high number. -EFBIG: more than the process may write; or
 * another error.
 */
MUST_CHECK int shared_file_new(const char *name, size_t bytes, int *ret);

/* From now on only existing mappings can change it, and its size is final. */
MUST_CHECK int shared_file_seal(int fd);

/* Start of this process in clock ticks since boot: field 22 of its stat file, 0 if unknown. */
uint64_t shared_file_start_ticks(void);
