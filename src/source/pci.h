/* Cards on the bus that no driver serves: only to explain why nothing is shown. */
#pragma once

#include "basic/root.h"

/* How many functions of the vendor have no driver; the first one's address. */
unsigned pci_count_unserved(const struct root *root, char *bdf, size_t size);
