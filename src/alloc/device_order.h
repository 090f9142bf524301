/*
 * Which card a logical device number means when nobody says so.
 *
 * TT-Metal numbers the cards it may use by their position in the order of PCI
 * addresses. It may use those that have a node in /dev/tenstorrent, less those
 * that TT_VISIBLE_DEVICES leaves out: a list of node numbers or PCI addresses,
 * separated by commas. Chips that have no node of their own (the second one of
 * an n300) come after all others and are not found here.
 *
 * Only directory entries and links are read, nothing that could wake or wait
 * for a card.
 */
#pragma once

#include "basic/macros.h"
#include "proto/table.h"

/* "dddd:bb:dd.f", hexadecimal; the domain may have more digits. -EINVAL */
MUST_CHECK int bdf_parse(const char *text, uint64_t *ret);

/*
 * Looks below root ("" for the machine itself) for the card at this position;
 * visible is the list, or NULL. Sets node and PCI address, or nothing if there
 * is no such card or if the list cannot be understood.
 */
void device_order_find(const char *root, const char *visible, uint32_t device,
		       struct table_device *ret);
