/*
 * Which card a logical device number means if the program does not say so.
 *
 * TT-Metal numbers the cards that it sees by their PCI addresses. It sees those that
 * have a node in /dev/tenstorrent and that TT_VISIBLE_DEVICES does not leave out
 * (proto/visible_devices.h). Chips without a node of their own (the second one of an n300)
 * follow after all others and are not found here.
 *
 * Only directory entries and links are read, nothing that could wake a card or wait for one.
 */
#pragma once

#include "proto/table.h"
#include "proto/visible_devices.h"

/*
 * Looks below root ("" for the machine itself) for the card that a program with this list calls
 * by this number. Sets node and PCI address, or nothing if there is no such card, if its
 * number depends on a release that is not known, or if the list is not understood.
 */
void device_order_find(const char *root, const struct visible_devices *visible,
		       enum visible_meaning meaning, uint32_t device, struct table_device *ret);
