/* Which chip a reporting program means: by the surest of what it told. */
#pragma once

#include "model/snapshot.h"
#include "proto/table.h"

#include <stdbool.h>

/* Never a chip without PCIe: programs name what they opened. */
bool identity_find(const struct snapshot *snapshot, const struct table_device *wanted, size_t *ret);
