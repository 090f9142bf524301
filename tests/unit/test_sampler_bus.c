/* Cards on the PCI bus that the driver does not serve. */
#include "sampler_tree.h"

#include <stdio.h>
#include <unistd.h>

#define BUS "sys/bus/pci/devices/"

/* A p150a on the bus; driver NULL: none is bound to it. */
static void put_on_bus(const char *bdf, const char *class, const char *driver)
{
	static const char *const files[][2] = {
		{ "vendor", "0x1e52\n" },	    { "device", "0xb140\n" },
		{ "subsystem_device", "0x0040\n" }, { "numa_node", "1\n" },
		{ "current_link_width", "16\n" },
	};
	char path[64], link[64];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), BUS "%s/%s", bdf, files[i][0]);
		put(path, files[i][1]);
	}
	snprintf(path, sizeof(path), BUS "%s/class", bdf);
	put(path, class);
	snprintf(path, sizeof(path), BUS "%s/driver", bdf);
	unlinkat(root.fd, path, 0);
	snprintf(link, sizeof(link), "../../../drivers/%s", driver ? driver : "");
	if (driver)
		assert_int_equal(symlinkat(link, root.fd, path), 0);
}

static void sample_many(size_t count)
{
	held_ns += 5 * NS_PER_S; /* the bus is not scanned in every sample */
	snapshot_free(before);
	before = now;
	now = NULL;
	assert_int_equal(sampler_take(sampler, before, &now), 0);
	assert_int_equal(now->n_devices, count);
}

TEST(a_card_that_no_driver_serves_is_shown_by_its_address)
{
	const struct device *dev;

	put_on_bus("0000:03:00.0", "0x120000\n", "vfio-pci");
	put_on_bus("0000:02:00.0", "0x120000\n", NULL);
	put_on_bus("0000:01:00.0", "0x120000\n", "tenstorrent");
	put_on_bus("0000:04:00.0", "0x060400\n", NULL); /* a bridge */
	sample_many(3);
	assert_int_equal(now->host.count, 1);
	dev = &now->devices[1];
	assert_string_equal(dev->id, "0000:02:00.0");
	assert_string_equal(dev->bdf, "0000:02:00.0");
	assert_string_equal(dev->board, "p150a");
	assert_int_equal(dev->state, DEVICE_NO_DRIVER);
	assert_string_equal(dev->health, "no driver");
	assert_int_equal(dev->why[DEV_TEMPERATURE], NO_DRIVER);
	assert_int_equal(dev->why[DEV_DRAM_USED], NO_DRIVER);
	assert_int_equal(dev->why[DEV_COMPUTE], NO_DRIVER);
	assert_int_equal(dev->why[DEV_PCIE_RX], NO_DRIVER);
	assert_int_equal(dev->why[DEV_NODE], NO_DRIVER);
	assert_int_equal(dev->why[DEV_GATEWAY], NOT_APPLICABLE);
	assert_int_equal(dev->numa_node, 1);
	/* Its link is not read: that would wake it. */
	assert_int_equal(dev->why[DEV_LINK_WIDTH], NO_DRIVER);
	assert_false(device_has_node(dev));
	dev = &now->devices[2];
	assert_string_equal(dev->id, "0000:03:00.0");
	assert_int_equal(dev->state, DEVICE_OTHER_DRIVER);
	assert_string_equal(dev->health, "bound to vfio-pci");
	assert_int_equal(dev->why[DEV_TEMPERATURE], OTHER_DRIVER);
}

TEST(an_unserved_card_keeps_its_index_while_others_change)
{
	uint32_t index;

	put_on_bus("0000:03:00.0", "0x120000\n", NULL);
	sample_many(2);
	index = now->devices[1].index;
	put_on_bus("0000:02:00.0", "0x000000\n", NULL); /* the class of a card without firmware */
	sample_many(3);
	assert_string_equal(now->devices[1].id, "0000:03:00.0");
	assert_int_equal(now->devices[1].index, index);
	assert_string_equal(now->devices[2].id, "0000:02:00.0");
	drop(BUS "0000:03:00.0/vendor");
	sample_many(2);
	assert_string_equal(now->devices[1].id, "0000:02:00.0");
	assert_int_not_equal(now->devices[1].index, index);
}

TEST(the_kernels_list_of_functions_is_used)
{
	put("proc/bus/pci/devices", "0100\t1e52401e\t0\t0\ttenstorrent\n"
				    "0200\t1e52b140\t0\t0\t\n"
				    "0008\t1b36000c\t0\t0\tpcieport\n");
	put_on_bus("0000:02:00.0", "0x120000\n", NULL);
	put_on_bus("0000:03:00.0", "0x120000\n", NULL);		  /* not listed yet */
	put_on_bus("10000:02:00.0", "0x120000\n", "tenstorrent"); /* in another domain */
	sample_many(2);
	assert_string_equal(now->devices[1].id, "0000:02:00.0");
	/* All listed cards are served by the driver: no further files are read. */
	put("proc/bus/pci/devices", "0100\t1e52401e\t0\t0\ttenstorrent\n");
	sample_many(1);
	/* One more is bound than served: it is read. */
	put("proc/bus/pci/devices", "0100\t1e52401e\t0\t0\ttenstorrent\n"
				    "0300\t1e52b140\t0\t0\ttenstorrent\n");
	sample_many(2);
	assert_string_equal(now->devices[1].id, "0000:03:00.0");
	drop("proc/bus/pci/devices");
	sample_many(3);
}

TEST(an_unbound_card_keeps_its_number_and_has_a_reason)
{
	put_on_bus("0000:01:00.0", "0x120000\n", "tenstorrent");
	sample();
	assert_int_equal(renameat(root.fd, "sys/class/tenstorrent/tenstorrent!0", root.fd,
				  "sys/class/tenstorrent/away"),
			 0);
	put_on_bus("0000:01:00.0", "0x120000\n", NULL);
	/* at once: the set of served cards has changed */
	assert_string_equal(sample()->id, "0");
	assert_int_equal(now->devices[0].state, DEVICE_NO_DRIVER);
	assert_string_equal(now->devices[0].board, "n150");
	assert_int_equal(now->devices[0].why[DEV_TEMPERATURE], NO_DRIVER);
	assert_int_equal(now->devices[0].why[DEV_TEMPERATURE_LIMIT], NO_DRIVER);
	put_on_bus("0000:01:00.0", "0x120000\n", "vfio-pci");
	sample_many(1);
	assert_string_equal(now->devices[0].health, "bound to vfio-pci");
	/* Bound again, it has another number. */
	put_on_bus("0000:01:00.0", "0x120000\n", "tenstorrent");
	assert_int_equal(renameat(root.fd, "sys/class/tenstorrent/away", root.fd,
				  "sys/class/tenstorrent/tenstorrent!1"),
			 0);
	assert_string_equal(sample()->id, "1");
	assert_int_equal(now->devices[0].state, DEVICE_OK);
}

TEST(without_the_module_all_cards_are_unserved)
{
	put_on_bus("0000:01:00.0", "0x120000\n", "tenstorrent");
	sample();
	assert_true(now->driver_loaded);
	assert_int_equal(renameat(root.fd, "sys/class/tenstorrent", root.fd, "sys/class/away"), 0);
	put_on_bus("0000:01:00.0", "0x120000\n", NULL);
	assert_string_equal(sample()->id, "0000:01:00.0");
	assert_false(now->driver_loaded);
	assert_int_equal(now->host.count, 0);
}

TEST(an_unserved_card_may_be_the_other_chip_of_a_p300)
{
	put(CARD "tt_card_type", "p300a\n");
	sample_many(2);
	assert_string_equal(now->devices[1].id, "0R");
	put_on_bus("0000:02:00.0", "0x120000\n", NULL);
	put(BUS "0000:02:00.0/subsystem_device", "0x0045\n");
	sample_many(2);
	assert_string_equal(now->devices[1].id, "0000:02:00.0");
	put(BUS "0000:02:00.0/subsystem_device", "0x0040\n");
	sample_many(3);
	assert_string_equal(now->devices[1].id, "0R");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_TREE(a_card_that_no_driver_serves_is_shown_by_its_address),
		ON_TREE(an_unserved_card_keeps_its_index_while_others_change),
		ON_TREE(the_kernels_list_of_functions_is_used),
		ON_TREE(an_unbound_card_keeps_its_number_and_has_a_reason),
		ON_TREE(without_the_module_all_cards_are_unserved),
		ON_TREE(an_unserved_card_may_be_the_other_chip_of_a_p300),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
