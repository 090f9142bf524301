/*
 * "smbus_telem" in the vendor's layout: the firmware's raw registers, reconstructed from readings.
 * Registers that cannot be reconstructed are null.
 */
#pragma once

#include "model/device.h"
#include "render/json_writer.h"

void vendor_put_registers(struct json *json, const struct device *dev);
