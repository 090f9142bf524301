#include "render/lower_bound.h"

static const char *at_least(bool utf8)
{
	return rounding_mark(ROUND_DOWN, utf8);
}

enum rounding lower_bound_rounding(const struct device *dev, unsigned field)
{
	if (dev->memory_complete || !device_knows(dev, field))
		return ROUND_NEAREST;
	switch (field) {
	case DEV_DRAM_USED:
	case DEV_TRACE_USED:
	case DEV_L1_USED:
	case DEV_L1_SMALL_USED:
	case DEV_CB_USED:
	case DEV_MEMORY_RATIO: return ROUND_DOWN;
	case DEV_DRAM_FREE:
	case DEV_L1_FREE: return ROUND_UP;
	default: return ROUND_NEAREST;
	}
}

const char *lower_bound_of_device(const struct device *dev, unsigned field, bool utf8)
{
	return rounding_mark(lower_bound_rounding(dev, field), utf8);
}

const char *lower_bound_of_devices(const struct snapshot *snapshot, enum device_field field,
				   bool utf8)
{
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		const struct device *dev = &snapshot->devices[i];

		if (device_is_unserved(dev))
			continue; /* not part of the sum */
		if (!device_knows(dev, field) || lower_bound_of_device(dev, field, utf8)[0])
			return at_least(utf8);
	}
	return "";
}

/* Covers all amounts of a process: bytes in pools, their peaks, number of allocations. */
const char *lower_bound_of_usage(const struct usage *usage, unsigned field, bool utf8)
{
	bool counted = field <= USE_ALLOCATIONS;

	return counted && usage->why[USE_EXACT] == KNOWN && !usage->exact ? at_least(utf8) : "";
}

const char *lower_bound_of_process(const struct process *process, enum usage_field field, bool utf8)
{
	for (size_t i = 0; i < process->n_usages; i++) {
		const struct usage *usage = &process->usages[i];

		if (usage->why[field] != KNOWN || lower_bound_of_usage(usage, field, utf8)[0])
			return at_least(utf8);
	}
	return "";
}
