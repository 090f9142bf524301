/* The two boxes of the default table. */
#pragma once

#include "model/snapshot.h"
#include "model/want.h"
#include "render/boxed_table.h"

void device_box(struct boxed_table *box, const struct snapshot *snapshot);
void device_box_wants(size_t room, struct want *want);

void process_box(struct boxed_table *box, const struct snapshot *snapshot);
void process_box_wants(size_t room, struct want *want);

/* Columns for text in a line of the given width. */
static inline size_t box_room(size_t columns)
{
	return columns - 4; /* a border and a blank on either side */
}
