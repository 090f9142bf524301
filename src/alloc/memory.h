/* Memory for the library's own use, and for the table. Never from malloc(), which belongs to the
 * program. errno stays as it is. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Reserves address space that becomes resident, and zero, page by page. A forked child does not
 * inherit it. No huge pages: the first allocation of a small program should not cost two megabytes.
 * NULL: not enough.
 */
void *memory_reserve(size_t bytes);

/* The same, but with huge pages after the first 2 MiB: for random access to all of it. */
void *memory_reserve_large(size_t bytes);

void memory_release(void *start, size_t bytes); /* NULL: nothing */

/*
 * Populates a range of a mapping. Writing to it would do that too, but if memory is short that
 * raises SIGBUS in the host program, whereas this returns false. Kernels that cannot populate
 * a range do it on the first write.
 */
bool memory_prepare(void *start, size_t bytes);
