/*
 * Zeroed memory that is filled gradually. A large block is mapped, so that its pages take memory
 * only once they are written; calloc() may reuse freed memory and zero all of it.
 */
#pragma once

#include <stddef.h>

void *sparse_new(size_t size);		     /* NULL: no memory */
void sparse_free(void *memory, size_t size); /* takes NULL */
