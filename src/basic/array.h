/* Arrays that grow as items are added. */
#pragma once

#include "basic/macros.h"

#include <stddef.h>

/*
 * Returns the array, moved if necessary, with room for one more item than count; *room doubles when
 * it is used up. NULL: out of memory; the array is unchanged.
 */
MUST_CHECK void *array_grow(void *items, size_t count, size_t *room, size_t item_size);
