#include "basic/array.h"

#include <stdlib.h>

enum { FIRST_ROOM = 16 };

void *array_grow(void *items, size_t count, size_t *room, size_t item_size)
{
	size_t more = *room ? *room * 2 : FIRST_ROOM;
	void *grown;

	if (count < *room)
		return items;
	grown = reallocarray(items, more, item_size);
	if (grown)
		*room = more;
	return grown;
}
