/* Styles of what is shown of a device, for the printed table and the full screen alike. */
#pragma once

#include "model/device.h"
#include "render/style.h"

/* STYLE_DIM: not known. */
enum style device_temperature_style(const struct device *dev);
enum style device_power_style(const struct device *dev);

/* Of a share in use, 0 to 1; negative: not known. */
enum style memory_style(double share);

/* Of device_condition_text(). */
enum style device_condition_style(const struct device *dev);
