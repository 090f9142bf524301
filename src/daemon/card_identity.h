/* How the server's answers identify a device of a snapshot. */
#pragma once

#include "model/device.h"
#include "proto/table.h"

void card_identify(const struct device *device, struct table_device *ret);
