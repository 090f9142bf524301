#include "model/topology.h"

#include "basic/pci_address.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void topology_done(struct topology *topology)
{
	free(topology->nodes);
	*topology = (struct topology){ 0 };
}

static bool is_host_bridge(const char *part, size_t length)
{
	return length > 3 && strncmp(part, "pci", 3) == 0 && isxdigit((unsigned char)part[3]) &&
	       memchr(part, ':', length);
}

static bool is_address(const char *part, size_t length)
{
	char text[PCI_ADDRESS_SIZE] = { 0 };
	uint64_t address;

	if (length >= sizeof(text))
		return false;
	memcpy(text, part, length);
	return pci_address_parse(text, &address) >= 0;
}

bool topology_path(const char *link, char *ret, size_t size)
{
	const char *begin = NULL, *end = NULL;

	for (const char *part = link; *part; part += *part == '/') {
		size_t length = strcspn(part, "/");

		if (!begin && is_host_bridge(part, length))
			begin = part;
		if (begin && is_address(part, length))
			end = part + length;
		part += length;
	}
	if (!end || (size_t)(end - begin) >= size)
		return false;
	memcpy(ret, begin, (size_t)(end - begin));
	ret[end - begin] = '\0';
	return true;
}

static size_t count_parts(const char *path)
{
	size_t count = 0;

	for (; *path; path += *path == '/') {
		path += strcspn(path, "/");
		count++;
	}
	return count;
}

/* How many of the first parts are the same. */
static size_t count_common(const char *a, const char *b)
{
	size_t count = 0;

	for (; *a && *b; a += *a == '/', b += *b == '/') {
		size_t length = strcspn(a, "/");

		if (length != strcspn(b, "/") || strncmp(a, b, length) != 0)
			break;
		a += length;
		b += length;
		count++;
	}
	return count;
}

/* Below a switch are its downstream port and the device: two parts. */
enum { BELOW_SWITCH = 2 };

static enum distance judge(const struct topology_node *a, const struct topology_node *b)
{
	size_t common = count_common(a->path, b->path);

	if (!a->path[0] || !b->path[0])
		return DISTANCE_UNKNOWN;
	if (common == 0)
		return a->numa_node == b->numa_node ? DISTANCE_NODE : DISTANCE_SYSTEM;
	if (common == 1)
		return DISTANCE_HOST;
	return count_parts(a->path) - common <= BELOW_SWITCH &&
			       count_parts(b->path) - common <= BELOW_SWITCH
		       ? DISTANCE_BRIDGE
		       : DISTANCE_BRIDGES;
}

enum distance topology_distance(const struct topology *topology, size_t a, size_t b)
{
	size_t near_a = topology->nodes[a].gateway, near_b = topology->nodes[b].gateway;

	if (a == b)
		return DISTANCE_SELF;
	if (near_a == near_b)
		return DISTANCE_ETHERNET;
	return judge(&topology->nodes[near_a], &topology->nodes[near_b]);
}
