/*
 * Parts that a build may lack: what to install and which option of CMake to set to build them. All
 * programs and tt_smi doctor take it from here.
 */
#pragma once

#include "basic/buf.h"

enum optional_part { PART_TRACER, PART_SCREEN, PART_SERVE, PART_FLEET, PART_FUSE, OPTIONAL_PARTS };

struct optional_part_build {
	const char *name; /* as in "built without NAME" */
	const char *packages;
	const char *option; /* as it is passed to cmake */
};

extern const struct optional_part_build optional_parts[OPTIONAL_PARTS];

/* "built without tracing: install …, then build again with …" */
void optional_part_put_missing(struct buf *out, enum optional_part part);
