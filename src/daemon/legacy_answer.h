/* The answers to QUERY and DEVICE_INFO_QUERY of the legacy protocol. */
#pragma once

#include "daemon/device_filter.h"
#include "proto/legacy.h"

#include <stddef.h>
#include <stdint.h>

struct manager;

/* An answer of that size to one of the two. */
void legacy_answer(struct manager *manager, struct device_filter *filter,
		   const struct legacy_record *record, size_t size, uint8_t out[LEGACY_SIZE_MAX]);
