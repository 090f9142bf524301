#include "cli/device_request.h"

#include "basic/parse.h"
#include "basic/pci_address.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct device_request device_request_default(void)
{
	return (struct device_request){ .root = option_root_default() };
}

void device_request_done(struct device_request *request)
{
	selection_done(&request->selection);
}

int option_bytes(const struct option_given *given, void *member)
{
	static const char units[] = "KMGT";
	const char *unit;
	char digits[16];
	size_t length = strspn(given->value, "0123456789");
	unsigned shift = 0;
	uint64_t number;

	snprintf(digits, sizeof(digits), "%.*s", (int)MIN(length, sizeof(digits)), given->value);
	unit = given->value[length] ? strchr(units, given->value[length]) : NULL;
	if (unit)
		shift = 10 * (unsigned)(unit - units + 1);
	if (parse_u64(digits, &number) < 0 || number == 0 || length >= sizeof(digits) ||
	    (given->value[length] && (!unit || given->value[length + 1])) ||
	    number > UINT64_MAX >> shift)
		return option_error(given, EXIT_USAGE,
				    "%s: \"%s\" is not a size, such as 512M or 8G", given->word,
				    given->value);
	*(uint64_t *)member = number << shift;
	return 0;
}

void device_request_wants(const struct device_request *request, struct want *want)
{
	want_add_list(want, FIELDS(DEVICE_FIELD(BDF), DEVICE_FIELD(BOARD)));
	if (request->selection.count)
		want_add_list(want, FIELDS(DEVICE_FIELD(ASIC_ID), DEVICE_FIELD(SERIAL),
					   DEVICE_FIELD(TRAY)));
	if (request->memory)
		want_add_list(want, FIELDS(DEVICE_FIELD(DRAM_TOTAL)));
}

static int by_address(const void *a, const void *b)
{
	uint64_t x = ((const struct visible_card *)a)->bdf,
		 y = ((const struct visible_card *)b)->bdf;

	return (x > y) - (x < y);
}

/* Clears keep[] for devices that our own TT_VISIBLE_DEVICES excludes, as any release reads it. */
static void keep_visible(const struct visible_devices *list, const struct snapshot *snapshot,
			 bool *keep)
{
	struct visible_card cards[VISIBLE_CARDS];
	uint64_t masks[2];
	size_t count = 0;

	if (list->status == VISIBLE_UNSET)
		return;
	for (size_t i = 0; i < snapshot->n_devices && count < VISIBLE_CARDS; i++) {
		const struct device *dev = &snapshot->devices[i];

		if (device_is_served(dev) && pci_address_parse(dev->bdf, &cards[count].bdf) == 0)
			cards[count++].node = dev->index;
	}
	qsort(cards, count, sizeof(cards[0]), by_address);
	if (visible_resolve(list, VISIBLE_BY_EITHER, cards, count, masks) == 2)
		masks[0] &= masks[1];
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		bool visible = false;

		for (size_t c = 0; c < count; c++)
			visible |= cards[c].node == snapshot->devices[i].index && masks[0] >> c & 1;
		keep[i] &= visible;
	}
}

/* Does its address select only this device? Releases accept any part of an address. */
static bool has_own_address(const struct snapshot *snapshot, const struct device *dev)
{
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		const struct device *other = &snapshot->devices[i];

		if (other != dev && device_has_node(other) && strstr(other->bdf, dev->bdf))
			return false;
	}
	return device_knows(dev, DEV_BDF);
}

static bool is_fit(const struct device_request *request, const struct snapshot *snapshot,
		   const struct device *dev)
{
	if (!device_has_node(dev) || !has_own_address(snapshot, dev))
		return false;
	if (request->board && !device_is_board(dev, request->board))
		return false;
	return !request->memory || (device_knows(dev, DEV_DRAM_TOTAL) &&
				    dev->memory_total[POOL_DRAM] >= request->memory);
}

int device_request_select(const struct device_request *request,
			  const struct visible_devices *visible, struct session *session,
			  bool *keep)
{
	const struct snapshot *snapshot = session->snapshot;
	int code = session_select(session, &request->selection, snapshot, keep);

	if (code)
		return code;
	keep_visible(visible, snapshot, keep);
	for (size_t i = 0; i < snapshot->n_devices; i++)
		keep[i] &= is_fit(request, snapshot, &snapshot->devices[i]);
	return 0;
}
