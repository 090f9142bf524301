/* Reads where devices and network adapters are on the PCI bus, from sysfs alone. */
#pragma once

#include "basic/macros.h"
#include "basic/root.h"
#include "model/snapshot.h"
#include "model/topology.h"

/*
 * The devices of the snapshot, then the InfiniBand and RoCE adapters. What cannot be read is
 * unknown. -ENOMEM, or -ETIMEDOUT if a read hangs.
 */
MUST_CHECK int topology_read(const struct root *root, const struct snapshot *snapshot,
			     struct topology *ret);
