/* Which numbers the driver's nodes have now, for the iterator that looks for them. */
#pragma once

#include "trace/tracer.h"

MUST_CHECK int devices_update(const struct tracer *tracer);
