/*
 * Zeroed memory for what is filled in the course of time. A large block is pages of its
 * own, which take room only as they are written to: malloc() would make it of what was
 * used before, and zero all of it.
 */
#pragma once

#include <stddef.h>

void *sparse_new(size_t size);		     /* NULL: no memory */
void sparse_free(void *memory, size_t size); /* takes NULL */
