/*
 * Roles of holders: which of them only monitor devices. tt_smi as root judges in the same way
 * (source/role_watch.h). The roles are shown in the kernel's list of holders, for users who may not
 * examine the processes themselves.
 */
#pragma once

#include "trace/device_holder.h"

struct role_watch;

/* Determines the roles of these holders; examines only those that have changed. */
MUST_CHECK int role_update(struct scan_state *scan, struct role_watch *roles,
			   const struct device_holder *holders, size_t count);
