/* Symbols before devices and figures, for the screen, its help and the manual page. */
#pragma once

#include "model/device.h"
#include "render/style.h"

struct device_symbol {
	const char *utf8, *ascii, *help;
};

extern const struct device_symbol device_symbols[];
extern const size_t n_device_symbols;

/* The symbol for the state of a device, and its style. */
const char *device_symbol(const struct device *dev, bool utf8, enum style *ret_style);
