#include "model/pcie_link.h"

#include "basic/macros.h"

/* The lesser of those that are known. */
static uint32_t lesser(uint32_t one, uint32_t other)
{
	return one && other ? MIN(one, other) : MAX(one, other);
}

static uint32_t known(const struct device *dev, enum device_field field, uint32_t value)
{
	return device_knows(dev, field) ? value : 0;
}

struct pcie_link pcie_link_trained(const struct device *dev)
{
	return (struct pcie_link){
		.gen = known(dev, DEV_LINK_GEN, dev->link_gen),
		.width = known(dev, DEV_LINK_WIDTH, dev->link_width),
	};
}

struct pcie_link pcie_link_expected(const struct device *dev, const struct pcie_link *port)
{
	struct pcie_link expected = {
		.gen = known(dev, DEV_LINK_GEN_MAX, dev->link_gen_max),
		.width = known(dev, DEV_LINK_WIDTH_MAX, dev->link_width_max),
	};
	int bus = device_bus(dev);

	expected.gen = lesser(expected.gen, port->gen);
	expected.width = lesser(expected.width, port->width);
	if (dev->type && bus >= 0)
		expected.width = lesser(expected.width, board_lanes(dev->type, (unsigned)bus));
	return expected;
}
