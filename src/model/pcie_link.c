#include "model/pcie_link.h"

#include "basic/macros.h"

/* The minimum, ignoring unknown values (0). */
static uint32_t lesser(uint32_t one, uint32_t other)
{
	return one && other ? MIN(one, other) : MAX(one, other);
}

static uint32_t known(const struct device *dev, enum device_field field, uint32_t value)
{
	return device_knows(dev, field) ? value : 0;
}

void pcie_link_derive(struct device *dev)
{
	int bus = device_bus(dev);

	dev->link_gen_expected = lesser(known(dev, DEV_LINK_GEN_MAX, dev->link_gen_max),
					known(dev, DEV_UPSTREAM_GEN_MAX, dev->upstream.gen_max));
	dev->link_width_expected =
		lesser(known(dev, DEV_LINK_WIDTH_MAX, dev->link_width_max),
		       known(dev, DEV_UPSTREAM_WIDTH_MAX, dev->upstream.width_max));
	if (dev->type && bus >= 0 && dev->link_width_expected)
		dev->link_width_expected =
			lesser(dev->link_width_expected, board_lanes(dev->type, (unsigned)bus));
	dev->why[DEV_LINK_GEN_EXPECTED] =
		dev->link_gen_expected ? KNOWN : dev->why[DEV_LINK_GEN_MAX];
	dev->why[DEV_LINK_WIDTH_EXPECTED] =
		dev->link_width_expected ? KNOWN : dev->why[DEV_LINK_WIDTH_MAX];
}

bool pcie_link_is_slow(const struct device *dev)
{
	return device_knows(dev, DEV_LINK_GEN) && device_knows(dev, DEV_LINK_GEN_EXPECTED) &&
	       dev->link_gen < dev->link_gen_expected;
}

bool pcie_link_is_narrow(const struct device *dev)
{
	return device_knows(dev, DEV_LINK_WIDTH) && device_knows(dev, DEV_LINK_WIDTH_EXPECTED) &&
	       dev->link_width < dev->link_width_expected;
}
