/*
 * PCIe links: what the link of a device should be trained to. Pure functions, no files.
 */
#pragma once

#include "model/device.h"

/*
 * Fills the expected link: the best that both the card and the port above it support, limited to
 * the lanes that the board has wired. An end whose capability is unknown does not count.
 */
void pcie_link_derive(struct device *dev);

/* Is the link trained to a lower generation than expected, to fewer lanes? No, if unknown. */
bool pcie_link_is_slow(const struct device *dev);
bool pcie_link_is_narrow(const struct device *dev);
