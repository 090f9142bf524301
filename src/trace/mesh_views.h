/*
 * Removes the probe of METAL_CREATE_AT, which is hit once per device of each mesh buffer, from
 * libraries where the devices of meshes are known without it: see trace/kernel/view.h.
 */
#pragma once

#include "trace/scan_state.h"

void mesh_views_use(struct scan_state *scan);
