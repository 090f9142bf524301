/* Signs before devices and figures, for the screen, its help and the manual page. */
#pragma once

#include "model/device.h"
#include "render/style.h"

struct sign {
	const char *sign, *ascii, *help;
};

extern const struct sign sign_infos[];
extern const size_t n_sign_infos;

/* The sign for the state of a device, and its style. */
const char *device_sign(const struct device *dev, bool utf8, enum style *ret_style);
