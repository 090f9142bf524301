/* The chip of an id in a file name. */
#include "source/metal_id.h"
#include "unit.h"

#include <stdio.h>

static struct snapshot *snapshot;

static struct device *add(uint32_t index, const char *board, bool remote, uint64_t serial,
			  uint64_t asic, const char *bdf)
{
	struct device dev;

	device_init(&dev, index);
	dev.type = board_by_name(board);
	assert_non_null(dev.type);
	dev.arch = dev.type->arch;
	dev.remote = remote;
	dev.gateway = index;
	dev.serial = serial;
	dev.why[DEV_SERIAL] = KNOWN;
	snprintf(dev.bdf, sizeof(dev.bdf), "%s", bdf);
	if (asic) {
		dev.asic_id = asic;
		dev.why[DEV_ASIC_ID] = KNOWN;
	}
	return snapshot_add_device(snapshot, &dev);
}

static int setup(void **state)
{
	(void)state;
	return snapshot_new(&snapshot);
}

static int teardown(void **state)
{
	(void)state;
	snapshot = snapshot_free(snapshot);
	return 0;
}

/* The position of the device with this id, or -1; *ret_rule is how it was found. */
static int find(uint64_t id, enum metal_id_rule *ret_rule)
{
	const struct metal_id *found;
	struct metal_ids ids;
	int device = -1;

	assert_int_equal(metal_ids_init(&ids, snapshot), 0);
	found = metal_ids_find(&ids, id);
	if (found) {
		device = (int)found->device;
		*ret_rule = found->rule;
	}
	metal_ids_done(&ids);
	return device;
}

TEST(both_chips_of_an_n300_have_ids_of_ethernet_firmware)
{
	enum metal_id_rule rule;

	add(0, "n300", false, 0x010001461190302B, 0x2F9C2B4A51D01A2B, "0000:01:00.0");
	add(0, "n300", true, 0x010001461190302B, 0, "");
	assert_int_equal(find(0x26190302B, &rule), 0);
	assert_int_equal(rule, METAL_ID_ETHERNET);
	assert_int_equal(find(0x36190302B, &rule), 1);
	assert_int_equal(find(0x2F9C2B4A51D01A2B, &rule), 0);
	assert_int_equal(rule, METAL_ID_ASIC);
	assert_int_equal(find(0x46190302B, &rule), -1);
	assert_int_equal(find(0x16190302B, &rule), -1);
}

TEST(the_boards_of_a_t3000_do_not_share_an_id)
{
	enum metal_id_rule rule;

	for (uint32_t i = 0; i < 4; i++) {
		char bdf[16];

		snprintf(bdf, sizeof(bdf), "0000:%02x:00.0", i + 1);
		add(i, "n300", false, 0x0100014611903020 + i, i + 1, bdf);
		add(i, "n300", true, 0x0100014611903020 + i, 0, "");
	}
	for (uint64_t i = 0; i < 4; i++) {
		assert_int_equal(find(0x261903020 + i, &rule), 2 * i);
		assert_int_equal(find(0x361903020 + i, &rule), 2 * i + 1);
	}
}

/* Both chips of a p300 have PCIe, and no ids from Ethernet firmware. */
TEST(a_p300_is_identified_by_asic_and_by_place)
{
	const uint64_t serial = 0x00000441319AE0A5;
	enum metal_id_rule rule;

	add(0, "p300b", false, serial, 0x1111, "0000:04:00.0");
	add(1, "p300b", false, serial, 0x2222, "0000:05:00.0");
	assert_int_equal(find(0x2222, &rule), 1);
	assert_int_equal(find(serial * 32, &rule), 0);
	assert_int_equal(find(serial * 32 + 1, &rule), 1);
	assert_int_equal(rule, METAL_ID_UMD_PLACE);
	assert_int_equal(find(serial << 8 | 1, &rule), 1);
	assert_int_equal(find(0x2319AE0A5, &rule), -1);
}

TEST(an_asic_id_outranks_every_other_rule)
{
	enum metal_id_rule rule;

	/* The serial number of the first is the ASIC id of the second. */
	add(0, "n150", false, 0x5555, 0x1111, "0000:01:00.0");
	add(1, "n150", false, 0x6666, 0x5555, "0000:02:00.0");
	assert_int_equal(find(0x5555, &rule), 1);
	assert_int_equal(rule, METAL_ID_ASIC);
	assert_int_equal(find(0x6666, &rule), 1);
	assert_int_equal(rule, METAL_ID_BOARD);
}

TEST(without_devices_nothing_is_found)
{
	enum metal_id_rule rule;

	assert_int_equal(find(0, &rule), -1);
	assert_int_equal(find(UINT64_MAX, &rule), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(both_chips_of_an_n300_have_ids_of_ethernet_firmware,
						setup, teardown),
		cmocka_unit_test_setup_teardown(the_boards_of_a_t3000_do_not_share_an_id, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_p300_is_identified_by_asic_and_by_place, setup,
						teardown),
		cmocka_unit_test_setup_teardown(an_asic_id_outranks_every_other_rule, setup,
						teardown),
		cmocka_unit_test_setup_teardown(without_devices_nothing_is_found, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
