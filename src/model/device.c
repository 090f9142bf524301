#include "model/device.h"

#include "basic/digits.h"
#include "basic/parse.h"
#include "basic/pci_address.h"
#include "basic/text.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void device_init(struct device *dev, uint32_t index)
{
	*dev = (struct device){ .index = index, .holders_why = NOT_ASKED };
	memset(dev->why, NOT_ASKED, sizeof(dev->why));
	digits_put(dev->id, index);
	dev->why[DEV_ID] = KNOWN;
	dev->why[DEV_REMOTE] = KNOWN;
	dev->why[DEV_GATEWAY] = NOT_APPLICABLE;
	dev->why[DEV_STATE] = KNOWN;
}

void device_name_board(struct device *dev)
{
	if (dev->type) {
		text_copy(dev->board, sizeof(dev->board), dev->type->name);
		dev->why[DEV_BOARD] = KNOWN;
		dev->arch = dev->type->arch;
	} else if (device_knows(dev, DEV_PCI_DEVICE)) {
		dev->arch = arch_of_pci(dev->pci_device);
	}
}

void device_copy_use(struct device *dev, const struct device *from)
{
	const size_t first = offsetof(struct device, unseen_holders);

	memcpy((char *)dev + first, (const char *)from + first, sizeof(*dev) - first);
	memcpy(dev->why + DEV_DRAM_TOTAL, from->why + DEV_DRAM_TOTAL,
	       DEVICE_N_FIELDS - DEV_DRAM_TOTAL);
}

_Static_assert(DEV_OPERATION - DEV_DISPATCH == UTIL_OPERATION, "the fields of struct utilization");

void device_set_utilization(struct device *dev, const struct utilization_figure *figure)
{
	dev->utilization = figure->value;
	memcpy(dev->why + DEV_DISPATCH, figure->why, sizeof(figure->why));
}

void device_mark(struct device *dev, const struct fieldset *fields, enum reason why)
{
	for (unsigned f = 0; f < DEVICE_N_FIELDS; f++)
		if (fieldset_has(fields, f) && dev->why[f] != KNOWN &&
		    dev->why[f] != NOT_APPLICABLE)
			dev->why[f] = (uint8_t)why;
}

enum reason device_absence(const struct device *dev)
{
	switch (dev->state) {
	case DEVICE_LOST: return GONE;
	case DEVICE_NO_DRIVER: return NO_DRIVER;
	case DEVICE_OTHER_DRIVER: return OTHER_DRIVER;
	case DEVICE_OK:
	case DEVICE_NO_TELEMETRY:
	case DEVICE_RESETTING:
	case DEVICE_TIMED_OUT:
	case DEVICE_NOT_ANSWERING:
	case DEVICE_UNREADABLE: break;
	}
	return KNOWN;
}

/* Without strtoul() for speed: this runs for every sample. */
uint32_t device_bundle(const struct device *dev)
{
	const char *at = dev->fw_bundle;
	uint32_t bundle = 0;

	if (!device_knows(dev, DEV_FW_BUNDLE))
		return 0;
	for (unsigned i = 0; i < 4; i++, at++) {
		const char *digits = at;
		unsigned part = 0;

		for (; *at >= '0' && *at <= '9' && part <= 255; at++)
			part = part * 10 + (unsigned)(*at - '0');
		if (at == digits || part > 255 || *at != (i < 3 ? '.' : '\0'))
			return 0;
		bundle = bundle << 8 | part;
	}
	return bundle;
}

int device_bus(const struct device *dev)
{
	const char *colon = strchr(dev->bdf, ':');
	char digits[3] = { 0 };
	uint64_t bus;

	if (!colon || strlen(colon) < 4 || colon[3] != ':')
		return -1;
	memcpy(digits, colon + 1, 2);
	return parse_hex(digits, &bus) < 0 ? -1 : (int)bus;
}

/* "TT-" and sixteen digits. Written without printf() for speed: this runs for every sample. */
static void derive_uuid(struct device *dev)
{
	static const char digits[] = "0123456789abcdef";
	char *at = dev->uuid + 3;

	dev->why[DEV_UUID] = dev->why[DEV_ASIC_ID];
	if (!device_knows(dev, DEV_ASIC_ID))
		return;
	memcpy(dev->uuid, "TT-", 3);
	for (int shift = 60; shift >= 0; shift -= 4)
		*at++ = digits[dev->asic_id >> shift & 15];
	*at = '\0';
}

static void derive_node(struct device *dev)
{
	static const char folder[] = "/dev/tenstorrent/";
	const size_t length = sizeof(folder) - 1;

	if (!device_has_node(dev))
		return;
	memcpy(dev->node, folder, length);
	text_copy(dev->node + length, sizeof(dev->node) - length, dev->id);
	dev->why[DEV_NODE] = KNOWN;
}

static void derive_address(struct device *dev)
{
	enum reason why = dev->why[DEV_BDF];
	uint64_t address;

	if (why == KNOWN && pci_address_parse(dev->bdf, &address) < 0)
		why = MALFORMED;
	dev->why[DEV_PCI_DOMAIN] = dev->why[DEV_PCI_BUS] = dev->why[DEV_PCI_SLOT] = why;
	if (why != KNOWN)
		return;
	dev->pci_domain = (uint32_t)(address >> 16);
	dev->pci_bus = address >> 8 & 0xff;
	dev->pci_slot = address >> 3 & 0x1f;
}

static void derive_identity(struct device *dev)
{
	int bus = device_bus(dev);

	derive_address(dev);
	dev->why[DEV_NAME] = KNOWN;
	dev->why[DEV_ARCHITECTURE] = KNOWN;
	dev->why[DEV_TRAY] = dev->why[DEV_CHIP] = NOT_APPLICABLE;
	if (dev->type && bus >= 0 && board_place(dev->type, (unsigned)bus, &dev->tray, &dev->chip))
		dev->why[DEV_TRAY] = dev->why[DEV_CHIP] = KNOWN;
	derive_uuid(dev);
	derive_node(dev);
}

static void derive_headroom(struct device *dev)
{
	enum reason why = dev->why[DEV_TEMPERATURE];

	if (why == KNOWN)
		why = dev->why[DEV_TEMPERATURE_LIMIT];
	dev->why[DEV_TEMPERATURE_HEADROOM] = (uint8_t)why;
	if (why == KNOWN)
		dev->temperature_headroom = dev->temperature_limit - dev->temperature;
}

/* Some Wormhole firmware starts counting at 0xA5A5A5A5 (kmd-abi 2.1). */
static void derive_uptime(struct device *dev)
{
	static const uint32_t base = 0xA5A5A5A5;

	dev->why[DEV_UPTIME] = dev->why[DEV_HEARTBEAT];
	if (!device_knows(dev, DEV_HEARTBEAT))
		return;
	dev->uptime = (dev->heartbeat >= base ? dev->heartbeat - base : dev->heartbeat) / 10.0;
}

static void derive_capacity(struct device *dev)
{
	uint64_t dram = dev->type ? board_dram(dev->type) : 0;
	uint64_t l1 = dev->type ? board_l1(dev->type, device_bundle(dev)) : 0;

	dev->memory_total[POOL_DRAM] = dram;
	dev->why[DEV_DRAM_TOTAL] = dram ? KNOWN : UNKNOWN_BOARD;
	dev->memory_total[POOL_L1] = l1;
	dev->why[DEV_L1_TOTAL] = l1				 ? KNOWN
				 : dev->type && dev->type->cores ? UNKNOWN_FIRMWARE
								 : UNKNOWN_BOARD;
}

void device_derive(struct device *dev)
{
	derive_identity(dev);
	derive_headroom(dev);
	derive_uptime(dev);
	derive_capacity(dev);
}

bool device_is_board(const struct device *dev, const char *name)
{
	return device_knows(dev, DEV_BOARD) && strcasecmp(dev->board, name) == 0;
}
