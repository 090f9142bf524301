#include "source/identity.h"

#include "basic/parse.h"

#include <stdio.h>
#include <string.h>

static uint64_t bdf_number(const char *text)
{
	unsigned domain, bus, slot, function;

	if (sscanf(text, "%8x:%2x:%2x.%1x", &domain, &bus, &slot, &function) != 4)
		return UINT64_MAX;
	return (uint64_t)domain << 16 | bus << 8 | slot << 3 | function;
}

static bool is_meant(const struct device *dev, const struct table_device *wanted)
{
	if (wanted->known & TABLE_BEHIND)
		return dev->remote && dev->gateway == wanted->node;
	if (dev->remote)
		return false;
	/* Not every output reads every id, and a dead chip does not tell it. */
	if (wanted->known & TABLE_HAS_ASIC && device_knows(dev, DEV_ASIC_ID))
		return dev->asic_id == wanted->asic;
	if (wanted->known & TABLE_HAS_BDF && device_knows(dev, DEV_BDF))
		return bdf_number(dev->bdf) == wanted->bdf;
	return (wanted->known & TABLE_HAS_NODE) && dev->index == wanted->node;
}

bool identity_find(const struct snapshot *snapshot, const struct table_device *wanted, size_t *ret)
{
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		if (is_meant(&snapshot->devices[i], wanted)) {
			*ret = i;
			return true;
		}
	}
	return false;
}

/* Is this device in a list of node numbers and PCI addresses? */
static bool is_visible(const struct device *dev, const char *list)
{
	while (*list) {
		size_t length = strcspn(list, ",");
		char word[24] = { 0 };
		uint32_t index;

		memcpy(word, list, MIN(length, sizeof(word) - 1));
		if (parse_u32(word, &index) == 0 ? index == dev->index
						 : strcmp(word, dev->bdf) == 0)
			return true;
		list += length;
		list += *list == ',';
	}
	return false;
}

/* The chips of a process, in the order of their numbers. */
struct chips {
	size_t at[TABLE_DEVICES];
	size_t count;
};

static void chips_insert(struct chips *chips, const struct snapshot *snapshot, size_t device)
{
	const char *bdf = snapshot->devices[device].bdf;
	size_t at;

	if (chips->count == ARRAY_SIZE(chips->at))
		return;
	for (at = chips->count++; at > 0; at--) {
		if (strcmp(snapshot->devices[chips->at[at - 1]].bdf, bdf) <= 0)
			break;
		chips->at[at] = chips->at[at - 1];
	}
	chips->at[at] = device;
}

static void chips_add_remote(struct chips *chips, const struct snapshot *snapshot)
{
	size_t gateways = chips->count;

	for (size_t k = 0; k < gateways; k++)
		for (size_t i = 0; i < snapshot->n_devices; i++)
			if (snapshot->devices[i].remote &&
			    snapshot->devices[i].gateway == snapshot->devices[chips->at[k]].index &&
			    chips->count < ARRAY_SIZE(chips->at))
				chips->at[chips->count++] = i;
}

static unsigned count_held(const struct snapshot *snapshot, const struct process *process)
{
	unsigned held = 0;

	for (size_t i = 0; i < process->n_usages; i++)
		held += !snapshot->devices[process->usages[i].device].remote;
	return held;
}

bool identity_logical(const struct snapshot *snapshot, const struct process *process, uint64_t id,
		      size_t *ret)
{
	bool one = count_held(snapshot, process) == 1;
	const char *visible = one ? NULL : process->visible;
	struct chips chips = { 0 };

	for (size_t i = 0; i < snapshot->n_devices; i++) {
		const struct device *dev = &snapshot->devices[i];

		if (!dev->remote &&
		    (visible ? is_visible(dev, visible) : process_find_usage(process, i) != NULL))
			chips_insert(&chips, snapshot, i);
	}
	chips_add_remote(&chips, snapshot);
	if (id >= chips.count && !(one && chips.count == 1 && id < TABLE_DEVICES))
		return false;
	*ret = chips.at[id < chips.count ? id : 0];
	return true;
}
