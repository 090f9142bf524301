/*
 * Maps a logical device number to a card, for programs that do not state it.
 *
 * TT-Metal numbers the cards that it sees by their PCI addresses. It sees those that have a node in
 * /dev/tenstorrent and that TT_VISIBLE_DEVICES does not exclude (proto/visible_devices.h). Chips
 * without their own node (the second one of an n300) come after all others, and are not found here.
 *
 * Only directory entries and links are read: nothing that could wake a card or block.
 */
#pragma once

#include "proto/table.h"
#include "proto/visible_devices.h"

/*
 * Searches below root ("" for the live machine) for the card that has this number in a program with
 * this list. Sets node and PCI address, or nothing if there is no such card, if the number depends
 * on an unknown release, or if the list is invalid.
 */
void device_order_find(const char *root, const struct visible_devices *visible,
		       enum visible_meaning meaning, uint32_t device, struct table_device *ret);
