/* A version of the driver or of the firmware bundle. */
#pragma once

#include "basic/macros.h"

#include <stdbool.h>
#include <stdint.h>

struct version {
	unsigned part[4];
	char text[32]; /* as given, e.g. 2.10.1-pre for a driver */
};

/* Two to four numbers separated by dots, and for a driver an optional suffix after a dash. */
MUST_CHECK int version_parse(const char *text, struct version *ret);

bool version_at_least(const struct version *v, unsigned major, unsigned minor);

/* The four bytes that firmware publishes, most significant first. */
uint32_t version_pack(const struct version *v);
