/*
 * The machine code of Device::id(), which contains the offset of the chip number: see metal/chip.h.
 */
#pragma once

#include "basic/macros.h"

#include <stddef.h>
#include <stdint.h>

/* The longest form: endbr64, frame setup, argument to the stack and back, load, return. */
enum { CHIP_CODE_MAX = 32 };

/* -ENOENT: the code is not recognised. */
MUST_CHECK int chip_offset_in_code(const uint8_t *code, size_t length, uint32_t *ret);
