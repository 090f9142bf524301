#include "basic/pci_address.h"

#include "basic/parse.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Parses hexadecimal digits up to a separator, which is skipped. */
static int field_parse(const char **at, char separator, size_t digits_max, uint64_t max,
		       uint64_t *ret)
{
	char digits[9];
	size_t length = strcspn(*at, ":.");
	uint64_t value;

	if (length == 0 || length > digits_max || (*at)[length] != separator)
		return -EINVAL;
	memcpy(digits, *at, length);
	digits[length] = '\0';
	/* parse_hex() would accept a newline at the end. */
	if (strchr(digits, '\n') || parse_hex(digits, &value) < 0 || value > max)
		return -EINVAL;
	*at += length + (separator != '\0');
	*ret = value;
	return 0;
}

int pci_address_parse(const char *text, uint64_t *ret)
{
	uint64_t domain, bus, device, function;

	if (field_parse(&text, ':', 8, UINT32_MAX, &domain) < 0 ||
	    field_parse(&text, ':', 2, 0xff, &bus) < 0 ||
	    field_parse(&text, '.', 2, 0x1f, &device) < 0 ||
	    field_parse(&text, '\0', 1, 7, &function) < 0)
		return -EINVAL;
	*ret = domain << 16 | bus << 8 | device << 3 | function;
	return 0;
}

void pci_address_format(uint64_t address, char text[PCI_ADDRESS_SIZE])
{
	snprintf(text, PCI_ADDRESS_SIZE, "%04x:%02x:%02x.%x", (unsigned)(address >> 16),
		 (unsigned)(address >> 8 & 0xff), (unsigned)(address >> 3 & 0x1f),
		 (unsigned)(address & 7));
}
