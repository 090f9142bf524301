/*
 * A sparse array: memory is allocated in pieces of 32 items, when the first item of a piece is
 * written. For many small arrays that stay mostly empty, this takes less memory than a mapping
 * each, with its pages of 4 KiB.
 */
#pragma once

#include "basic/macros.h"

#include <stddef.h>

struct sparse {
	size_t item, count; /* size of an item in bytes, number of items */
	char **pieces;	    /* of SPARSE_PIECE items each; NULL: not allocated */
};

enum { SPARSE_PIECE = 32 };

MUST_CHECK int sparse_init(struct sparse *array, size_t item, size_t count); /* -ENOMEM */
void sparse_done(struct sparse *array);

/* Frees all pieces; the array is then as after sparse_init(). */
void sparse_clear(struct sparse *array);

/*
 * The item at an index. NULL if its piece is not allocated, so the item was never written. An item
 * that was never written in an allocated piece is all zeros.
 */
const void *sparse_at(const struct sparse *array, size_t index);

/* The item at an index, for writing; allocates its piece, filled with zeros. NULL: no memory. */
void *sparse_write(struct sparse *array, size_t index);
