/*
 * How far two PCI devices are apart, from their paths in sysfs, in the words of nvidia-smi topo.
 * Pure functions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum distance {
	DISTANCE_UNKNOWN,
	DISTANCE_SELF,
	DISTANCE_ETHERNET, /* chips of one board, of which one has no PCIe */
	DISTANCE_BRIDGE,   /* PIX: at most one switch */
	DISTANCE_BRIDGES,  /* PXB: several switches, below one host bridge */
	DISTANCE_HOST,	   /* PHB: through the host bridge */
	DISTANCE_NODE,	   /* between host bridges of a NUMA node */
	DISTANCE_SYSTEM,   /* between NUMA nodes */
	DISTANCES,
};

/* A device with its place on the bus. Texts are NUL-terminated; empty: unknown. */
struct topology_node {
	char name[32];	/* "GPU0", "NIC0" */
	char label[64]; /* PCI address of a device, "mlx5_0" of an adapter */
	bool is_adapter;
	char path[256];	   /* from the host bridge on: "pci0000:00/0000:00:01.0/0000:01:00.0" */
	char cpus[128];	   /* near ones: "0-31,64-95" */
	int32_t numa_node; /* -1: the machine has one only, or it is unknown */
	size_t gateway;	   /* the node of its gateway, if it has no PCIe itself; else its own */
};

struct topology {
	struct topology_node *nodes;
	size_t count;
};

void topology_done(struct topology *topology);

enum distance topology_distance(const struct topology *topology, size_t a, size_t b);

/*
 * The part of a sysfs path that begins with the host bridge, without what follows the last PCI
 * address. False: it has none.
 */
bool topology_path(const char *link, char *ret, size_t size);
