/*
 * Fields of nvidia-smi --query-gpu that have no meaning for these devices. Scripts ask for them,
 * and a query that works there works here: the value is [N/A].
 */
#pragma once

#include "model/field.h"

/* Made by the first call. */
const struct field_table *nvidia_fields(void);
