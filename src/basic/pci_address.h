/*
 * PCI addresses, as text "dddd:bb:dd.f" and as a number with the same order: domain << 16 | bus <<
 * 8 | device << 3 | function.
 */
#pragma once

#include "basic/macros.h"

#include <stdint.h>

/* Room for a domain of eight digits and the terminating NUL. */
#define PCI_ADDRESS_SIZE 17

/* Hexadecimal digits of either case; the domain may have up to eight. -EINVAL */
MUST_CHECK int pci_address_parse(const char *text, uint64_t *ret);

/* Lower case, with at least four digits of the domain, as the kernel writes it. */
void pci_address_format(uint64_t address, char text[PCI_ADDRESS_SIZE]);
