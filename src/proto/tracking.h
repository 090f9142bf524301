/* The environment variable by which a user disables the counting of memory in a program. */
#pragma once

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define TRACKING_VARIABLE "TT_ALLOC_TRACKING_ENABLED"

static inline bool tracking_is_disabled(void)
{
	const char *enabled = getenv(TRACKING_VARIABLE);

	return enabled && strcmp(enabled, "0") == 0;
}
