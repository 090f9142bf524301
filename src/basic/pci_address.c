#include "basic/pci_address.h"

#include <errno.h>
#include <stddef.h>

static int digit_value(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	digit = (char)(digit | 0x20);
	return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/* Parses hexadecimal digits up to a separator, which is skipped. */
static int field_parse(const char **at, char separator, size_t digits_max, uint64_t max,
		       uint64_t *ret)
{
	const char *text = *at;
	uint64_t value = 0;
	size_t length = 0;

	for (int digit; (digit = digit_value(text[length])) >= 0; length++) {
		if (length == digits_max)
			return -EINVAL;
		value = value << 4 | (unsigned)digit;
	}
	if (length == 0 || text[length] != separator || value > max)
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

/* At least so many digits, lower case, and a separator. */
static char *field_put(char *at, uint64_t value, unsigned digits, char separator)
{
	while (digits < 8 && value >> (4 * digits))
		digits++;
	while (digits--)
		*at++ = "0123456789abcdef"[value >> (4 * digits) & 0xf];
	*at++ = separator;
	return at;
}

void pci_address_format(uint64_t address, char text[PCI_ADDRESS_SIZE])
{
	text = field_put(text, address >> 16 & UINT32_MAX, 4, ':');
	text = field_put(text, address >> 8 & 0xff, 2, ':');
	text = field_put(text, address >> 3 & 0x1f, 2, '.');
	field_put(text, address & 7, 1, '\0');
}
