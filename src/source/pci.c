#include "source/pci.h"

#include <stdio.h>
#include <string.h>

struct count {
	const struct root *root;
	unsigned found;
	char *bdf;
	size_t size;
};

static int visit_function(const char *name, void *arg)
{
	struct count *count = arg;
	char path[128], text[256];

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%.64s/vendor", name);
	if (root_read(count->root, path, text, sizeof(text)) < 0 || strcmp(text, "0x1e52\n") != 0)
		return 0;
	snprintf(path, sizeof(path), "sys/bus/pci/devices/%.64s/driver", name);
	if (root_readlink(count->root, path, text, sizeof(text)) > 0)
		return 0;
	if (count->found++ == 0)
		snprintf(count->bdf, count->size, "%s", name);
	return 0;
}

unsigned pci_count_unserved(const struct root *root, char *bdf, size_t size)
{
	struct count count = { .root = root, .bdf = bdf, .size = size };

	if (root_each(root, "sys/bus/pci/devices", visit_function, &count) < 0)
		return 0;
	return count.found;
}
