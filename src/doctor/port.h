/* The PCIe port that a card is plugged into. */
#pragma once

#include "basic/root.h"
#include "model/pcie_link.h"

/*
 * The fastest link that the port above a device can do; 0 where it does not answer in time, or
 * where nothing is above the device (it is then given by the root complex, or by a hypervisor).
 */
struct pcie_link port_capability(const struct root *root, const struct device *dev);
