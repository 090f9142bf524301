#include "basic/sparse.h"

#include <errno.h>
#include <stdlib.h>

static size_t count_pieces(const struct sparse *array)
{
	return (array->count + SPARSE_PIECE - 1) / SPARSE_PIECE;
}

int sparse_init(struct sparse *array, size_t item, size_t count)
{
	*array = (struct sparse){ .item = item, .count = count };
	array->pieces = calloc(count_pieces(array) + 1, sizeof(array->pieces[0]));
	return array->pieces ? 0 : -ENOMEM;
}

void sparse_clear(struct sparse *array)
{
	for (size_t i = 0; array->pieces && i < count_pieces(array); i++) {
		free(array->pieces[i]);
		array->pieces[i] = NULL;
	}
}

void sparse_done(struct sparse *array)
{
	sparse_clear(array);
	free(array->pieces);
	*array = (struct sparse){ 0 };
}

const void *sparse_at(const struct sparse *array, size_t index)
{
	const char *piece = array->pieces[index / SPARSE_PIECE];

	return piece ? piece + index % SPARSE_PIECE * array->item : NULL;
}

void *sparse_write(struct sparse *array, size_t index)
{
	char **piece = &array->pieces[index / SPARSE_PIECE];

	if (!*piece)
		*piece = calloc(MIN(SPARSE_PIECE, array->count), array->item);
	return *piece ? *piece + index % SPARSE_PIECE * array->item : NULL;
}
