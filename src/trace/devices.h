/* Writes the device numbers of the driver's nodes into the map that the holders iterator reads. */
#pragma once

#include "trace/tracer.h"

MUST_CHECK int devices_update(const struct tracer *tracer);
