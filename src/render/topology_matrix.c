#include "render/topology_matrix.h"

#include "basic/macros.h"
#include "basic/text.h"

#include <string.h>

static const struct {
	const char *word, *meaning;
} distances[DISTANCES] = {
	[DISTANCE_UNKNOWN] = { "N/A", "unknown: sysfs does not say where the device is" },
	[DISTANCE_SELF] = { "X", "the device itself" },
	[DISTANCE_ETHERNET] = { "ETH", "chips of one board, connected by Ethernet" },
	[DISTANCE_BRIDGE] = { "PIX", "at most one PCIe switch between them" },
	[DISTANCE_BRIDGES] = { "PXB", "several PCIe switches, but no host bridge" },
	[DISTANCE_HOST] = { "PHB", "a PCIe host bridge, usually the CPU" },
	[DISTANCE_NODE] = { "NODE", "two host bridges of the same NUMA node" },
	[DISTANCE_SYSTEM] = { "SYS", "two NUMA nodes" },
};

static size_t name_width(const struct topology *topology)
{
	size_t width = strlen("NODE");

	for (size_t i = 0; i < topology->count; i++)
		width = MAX(width, strlen(topology->nodes[i].name));
	return width;
}

static size_t cpus_width(const struct topology *topology)
{
	size_t width = strlen("CPU Affinity");

	for (size_t i = 0; i < topology->count; i++)
		width = MAX(width, strlen(topology->nodes[i].cpus));
	return width;
}

static void put_row(struct buf *out, const struct topology *topology, size_t row, size_t width,
		    size_t cpus)
{
	const struct topology_node *node = &topology->nodes[row];
	const struct topology_node *near = &topology->nodes[node->gateway];

	buf_printf(out, "%-*s", (int)width, node->name);
	for (size_t i = 0; i < topology->count; i++)
		buf_printf(out, "  %-*s", (int)width,
			   distances[topology_distance(topology, row, i)].word);
	buf_printf(out, "  %-*s  ", (int)cpus, near->cpus[0] ? near->cpus : "N/A");
	if (near->numa_node >= 0)
		buf_printf(out, "%d\n", near->numa_node);
	else
		buf_puts(out, "N/A\n");
}

static void put_legend(struct buf *out, const struct render_options *options,
		       const struct topology *topology)
{
	buf_puts(out, "\nLegend:\n\n");
	for (size_t i = 0; i < ARRAY_SIZE(distances); i++)
		buf_printf(out, "  %-4s  %s\n", distances[i].word, distances[i].meaning);
	for (size_t i = 0; i < topology->count; i++) {
		const struct topology_node *node = &topology->nodes[i];

		if (!node->is_adapter)
			continue;
		buf_printf(out, "  %s: ", node->name);
		text_clean(out, node->label, strlen(node->label), options->utf8);
		buf_putc(out, '\n');
	}
}

void topology_render(struct buf *out, const struct render_options *options,
		     const struct topology *topology)
{
	size_t width = name_width(topology), cpus = cpus_width(topology);

	buf_printf(out, "%*s", (int)width, "");
	for (size_t i = 0; i < topology->count; i++)
		buf_printf(out, "  %-*s", (int)width, topology->nodes[i].name);
	buf_printf(out, "  %-*s  NUMA Affinity\n", (int)cpus, "CPU Affinity");
	for (size_t i = 0; i < topology->count; i++)
		put_row(out, topology, i, width, cpus);
	put_legend(out, options, topology);
}
