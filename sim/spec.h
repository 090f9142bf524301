/* Parsers for command-line values: numbers with a unit, times, KEY=VALUE lists. */
#pragma once

#include "basic/macros.h"

#include <stddef.h>
#include <stdint.h>

/* "4096", "64K", "1536M", "10G" */
MUST_CHECK int spec_bytes(const char *text, uint64_t *ret);

/* Seconds with up to three decimal places, as milliseconds: "2", "0.25" */
MUST_CHECK int spec_seconds(const char *text, int64_t *ret_ms);

/*
 * The next field of a comma-separated list, "key=value" or "key" (value ""). Modifies the text and
 * advances *text. Returns 0 at the end.
 */
int spec_field(char **text, char **ret_key, char **ret_value);
