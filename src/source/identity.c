#include "source/identity.h"

#include <stdio.h>

static uint64_t bdf_number(const char *text)
{
	unsigned domain, bus, slot, function;

	if (sscanf(text, "%8x:%2x:%2x.%1x", &domain, &bus, &slot, &function) != 4)
		return UINT64_MAX;
	return (uint64_t)domain << 16 | bus << 8 | slot << 3 | function;
}

static bool is_meant(const struct device *dev, const struct table_device *wanted)
{
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
