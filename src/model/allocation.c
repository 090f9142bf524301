#include "model/allocation.h"

#include <errno.h>
#include <string.h>

/* Makes room for more items. Doubling keeps a million items at twenty copies. */
static int reserve(struct allocation_list *list, size_t more)
{
	size_t room = list->room ? list->room : 64;
	struct allocation *grown;

	while (room - list->count < more)
		room *= 2;
	if (room == list->room)
		return 0;
	grown = reallocarray(list->items, room, sizeof(*grown));
	if (!grown) {
		list->cut = true;
		return -ENOMEM;
	}
	list->items = grown;
	list->room = room;
	return 0;
}

int allocation_list_add(struct allocation_list *list, const struct allocation *allocation)
{
	int r = reserve(list, 1);

	if (r >= 0)
		list->items[list->count++] = *allocation;
	return r;
}

void allocation_list_join(struct allocation_list *list, struct allocation_list *other)
{
	list->cut |= other->cut;
	if (other->count && reserve(list, other->count) >= 0) {
		memcpy(list->items + list->count, other->items,
		       other->count * sizeof(*other->items));
		list->count += other->count;
	}
	if (other->why != KNOWN)
		list->cut = true;
	allocation_list_reset(other, NOT_REPORTED);
}

void allocation_list_reset(struct allocation_list *list, enum reason why)
{
	free(list->items);
	*list = (struct allocation_list){ .why = why };
}
