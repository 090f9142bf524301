/* Styles of a device's readings, shared by the printed table and the full screen. */
#pragma once

#include "model/device.h"
#include "render/style.h"

/* STYLE_DIM: the value is unknown. */
enum style device_temperature_style(const struct device *dev);
enum style device_power_style(const struct device *dev);

/* share: used part of the memory, 0 to 1; negative: unknown. */
enum style memory_style(double share);

/* The style for device_condition_text(). */
enum style device_condition_style(const struct device *dev);
