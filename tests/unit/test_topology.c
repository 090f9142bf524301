/* Distances of PCI devices, from paths as sysfs has them. */
#include "model/topology.h"
#include "unit.h"

#include <stdio.h>

static bool path_is(const char *link, const char *expected)
{
	char path[256];

	return topology_path(link, path, sizeof(path)) && strcmp(path, expected) == 0;
}

TEST(the_path_begins_with_the_host_bridge)
{
	char small[8];

	assert_true(path_is("../../../devices/pci0000:00/0000:00:03.0/0000:01:00.0",
			    "pci0000:00/0000:00:03.0/0000:01:00.0"));
	/* the path below the adapter does not count */
	assert_true(path_is("../../devices/pci0000:40/0000:40:01.1/0000:41:00.0/infiniband/mlx5_0",
			    "pci0000:40/0000:40:01.1/0000:41:00.0"));
	/* a host bridge may be below other devices, and a bus below another controller */
	assert_true(path_is(
		"../../../devices/platform/soc/fd500000.pcie/pci0001:00/0001:00:00.0/0001:01:00.0",
		"pci0001:00/0001:00:00.0/0001:01:00.0"));
	assert_true(path_is(
		"../../../devices/pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:06.0/10000:e1:00.0",
		"pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:06.0/10000:e1:00.0"));
	assert_true(!path_is("../../devices/virtual/net/lo", ""));
	assert_true(!path_is("", ""));
	assert_true(!topology_path("../pci0000:00/0000:00:03.0", small, sizeof(small)));
}

static struct topology_node node(const char *path, int numa, size_t own)
{
	struct topology_node node = { .numa_node = numa, .gateway = own };

	snprintf(node.path, sizeof(node.path), "%s", path);
	return node;
}

static enum distance between(const char *a, int numa_a, const char *b, int numa_b)
{
	struct topology_node nodes[] = { node(a, numa_a, 0), node(b, numa_b, 1) };
	struct topology topology = { nodes, 2 };
	enum distance there = topology_distance(&topology, 0, 1);

	assert_true(there == topology_distance(&topology, 1, 0));
	return there;
}

TEST(the_common_part_of_the_paths_decides)
{
	/* two ports of one host bridge */
	assert_true(between("pci0000:00/0000:00:01.0/0000:01:00.0", 0,
			    "pci0000:00/0000:00:02.0/0000:02:00.0", 0) == DISTANCE_HOST);
	/* one switch: upstream port, two downstream ports */
	assert_true(between("pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:00.0/0000:03:00.0", 0,
			    "pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:01.0/0000:04:00.0",
			    0) == DISTANCE_BRIDGE);
	/* a second switch below one of them */
	assert_true(between("pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:00.0/0000:03:00.0/"
			    "0000:04:00.0/"
			    "0000:05:00.0",
			    0, "pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:01.0/0000:06:00.0",
			    0) == DISTANCE_BRIDGES);
	/* two functions of one card */
	assert_true(between("pci0000:00/0000:00:01.0/0000:01:00.0", 0,
			    "pci0000:00/0000:00:01.0/0000:01:00.1", 0) == DISTANCE_BRIDGE);
	/* host bridges whose names begin alike are different ones */
	assert_true(between("pci0000:4/0000:04:01.0/0000:05:00.0", 1,
			    "pci0000:40/0000:40:01.0/0000:41:00.0", 1) == DISTANCE_NODE);
	assert_true(between("pci0000:00/0000:00:01.0/0000:01:00.0", 0,
			    "pci0000:80/0000:80:01.0/0000:81:00.0", 1) == DISTANCE_SYSTEM);
	/* -1: the machine has one node */
	assert_true(between("pci0000:00/0000:00:01.0/0000:01:00.0", -1,
			    "pci0000:80/0000:80:01.0/0000:81:00.0", -1) == DISTANCE_NODE);
	assert_true(between("", 0, "pci0000:80/0000:80:01.0/0000:81:00.0", 0) == DISTANCE_UNKNOWN);
}

TEST(a_chip_without_pcie_is_where_its_gateway_is)
{
	struct topology_node nodes[] = {
		node("pci0000:00/0000:00:01.0/0000:01:00.0", 0, 0),
		node("", -1, 0), /* without PCIe, behind the first */
		node("pci0000:00/0000:00:02.0/0000:02:00.0", 0, 2),
		node("", -1, 2),
	};
	struct topology topology = { nodes, 4 };

	assert_true(topology_distance(&topology, 1, 1) == DISTANCE_SELF);
	assert_true(topology_distance(&topology, 0, 1) == DISTANCE_ETHERNET);
	assert_true(topology_distance(&topology, 1, 2) == DISTANCE_HOST);
	assert_true(topology_distance(&topology, 1, 3) == DISTANCE_HOST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_path_begins_with_the_host_bridge),
		cmocka_unit_test(the_common_part_of_the_paths_decides),
		cmocka_unit_test(a_chip_without_pcie_is_where_its_gateway_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
