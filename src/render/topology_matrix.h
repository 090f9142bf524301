/* The matrix of tt_smi topo: distances of devices and adapters, and the CPUs near them. */
#pragma once

#include "basic/buf.h"
#include "model/topology.h"
#include "render/render_options.h"

void topology_render(struct buf *out, const struct render_options *options,
		     const struct topology *topology);
