/*
 * A PCIe link: what it is trained to, and what it should be. Pure functions, no files.
 */
#pragma once

#include "model/device.h"

struct pcie_link {
	uint32_t gen, width; /* 0: not known */
};

/* What the link of a device is trained to. */
struct pcie_link pcie_link_trained(const struct device *dev);

/*
 * What it should be trained to: the lesser of what the card and the port above it can do, and
 * no more lanes than the board has wired.
 */
struct pcie_link pcie_link_expected(const struct device *dev, const struct pcie_link *port);
