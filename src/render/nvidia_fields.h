/*
 * Fields of nvidia-smi --query-gpu that have no meaning for these devices. Every query of
 * nvidia-smi works here too: the value of these fields is [N/A].
 */
#pragma once

#include "model/field.h"

/* Made by the first call. */
const struct field_table *nvidia_fields(void);
