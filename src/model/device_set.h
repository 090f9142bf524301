/* A set of devices, by the N of /dev/tenstorrent/N. */
#pragma once

#include "basic/macros.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEVICE_SET_MAX 256 /* four times what a machine holds today; larger numbers are ignored */

struct device_set {
	uint64_t words[DEVICE_SET_MAX / 64];
};

static inline void device_set_add(struct device_set *set, uint32_t index)
{
	if (index < DEVICE_SET_MAX)
		set->words[index / 64] |= UINT64_C(1) << index % 64;
}

static inline bool device_set_has(const struct device_set *set, uint32_t index)
{
	return index < DEVICE_SET_MAX && set->words[index / 64] >> index % 64 & 1;
}

static inline void device_set_add_all(struct device_set *set, const struct device_set *others)
{
	for (size_t i = 0; i < ARRAY_SIZE(set->words); i++)
		set->words[i] |= others->words[i];
}

static inline bool device_set_is_empty(const struct device_set *set)
{
	for (size_t i = 0; i < ARRAY_SIZE(set->words); i++)
		if (set->words[i])
			return false;
	return true;
}

/* Is one of the others missing in the set? */
static inline bool device_set_lacks(const struct device_set *set, const struct device_set *others)
{
	for (size_t i = 0; i < ARRAY_SIZE(set->words); i++)
		if (others->words[i] & ~set->words[i])
			return true;
	return false;
}
