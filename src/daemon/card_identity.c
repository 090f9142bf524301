#include "daemon/card_identity.h"

#include "basic/pci_address.h"

void card_identify(const struct device *device, struct table_device *ret)
{
	*ret = (struct table_device){ .known = TABLE_HAS_NODE, .node = device->index };
	if (device->remote) {
		ret->known = TABLE_BEHIND;
		return;
	}
	if (device_knows(device, DEV_BDF) && pci_address_parse(device->bdf, &ret->bdf) == 0)
		ret->known |= TABLE_HAS_BDF;
	if (device_knows(device, DEV_ASIC_ID)) {
		ret->asic = device->asic_id;
		ret->known |= TABLE_HAS_ASIC;
	}
}
