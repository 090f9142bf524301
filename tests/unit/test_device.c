/* Derived fields, and the state as a whole. */
#include "model/device.h"
#include "unit.h"
#include "model/device_health.h"

#include <stdio.h>

static struct device dev;

static int make_device(void **state)
{
	(void)state;
	device_init(&dev, 3);
	return 0;
}

static void set_bdf(const char *bdf)
{
	snprintf(dev.bdf, sizeof(dev.bdf), "%s", bdf);
	dev.why[DEV_BDF] = KNOWN;
}

static void set_bundle(const char *version)
{
	snprintf(dev.fw_bundle, sizeof(dev.fw_bundle), "%s", version);
	dev.why[DEV_FW_BUNDLE] = KNOWN;
}

static void set_heartbeat(uint32_t value)
{
	dev.heartbeat = value;
	dev.why[DEV_HEARTBEAT] = KNOWN;
}

TEST(an_unread_device_knows_its_number_and_nothing_else)
{
	assert_string_equal(dev.id, "3");
	for (unsigned i = 0; i < DEVICE_N_FIELDS; i++)
		if (i != DEV_ID && i != DEV_REMOTE && i != DEV_STATE && i != DEV_GATEWAY)
			assert_int_equal(dev.why[i], NOT_ASKED);
	assert_int_equal(dev.why[DEV_GATEWAY], NOT_APPLICABLE);
	assert_false(dev.holders_known);
	assert_int_equal(dev.holders_why, NOT_ASKED);
}

TEST(identity_follows_from_board_id_and_address)
{
	dev.type = board_by_name("galaxy-wormhole");
	dev.arch = ARCH_WORMHOLE;
	dev.asic_id = 0x2F9C2B4A51D01A2B;
	dev.why[DEV_ASIC_ID] = KNOWN;
	set_bdf("0000:82:00.0");
	device_derive(&dev);
	assert_string_equal(arch_names[dev.arch], "Wormhole_B0");
	assert_string_equal(arch_identifiers[dev.arch], "wormhole_b0");
	assert_string_equal(dev.uuid, "TT-2f9c2b4a51d01a2b");
	assert_string_equal(dev.node, "/dev/tenstorrent/3");
	assert_int_equal(dev.why[DEV_TRAY], KNOWN);
	assert_int_equal(dev.tray, 2);
	assert_int_equal(dev.chip, 2);
}

TEST(a_card_in_a_slot_has_no_tray_and_an_unknown_id_gives_no_uuid)
{
	dev.type = board_by_name("n150");
	dev.why[DEV_ASIC_ID] = RESETTING;
	set_bdf("0000:c1:00.0");
	device_derive(&dev);
	assert_int_equal(dev.why[DEV_TRAY], NOT_APPLICABLE);
	assert_int_equal(dev.why[DEV_CHIP], NOT_APPLICABLE);
	assert_int_equal(dev.why[DEV_UUID], RESETTING);
}

TEST(a_chip_without_pcie_has_no_node)
{
	dev.remote = true;
	dev.why[DEV_NODE] = NO_PCIE;
	device_derive(&dev);
	assert_int_equal(dev.why[DEV_NODE], NO_PCIE);
	assert_string_equal(dev.node, "");
}

TEST(the_bus_is_read_from_short_and_long_domains)
{
	set_bdf("0000:c1:00.0");
	assert_int_equal(device_bus(&dev), 0xC1);
	set_bdf("10000:02:00.0");
	assert_int_equal(device_bus(&dev), 2);
	set_bdf("");
	assert_int_equal(device_bus(&dev), -1);
	set_bdf("0000:1");
	assert_int_equal(device_bus(&dev), -1);
	set_bdf("0000:xy:00.0");
	assert_int_equal(device_bus(&dev), -1);
}

TEST(headroom_needs_both_temperatures)
{
	dev.temperature = 34.5;
	dev.temperature_limit = 75;
	dev.why[DEV_TEMPERATURE] = KNOWN;
	dev.why[DEV_TEMPERATURE_LIMIT] = NOT_OFFERED;
	device_derive(&dev);
	assert_int_equal(dev.why[DEV_TEMPERATURE_HEADROOM], NOT_OFFERED);
	dev.why[DEV_TEMPERATURE_LIMIT] = KNOWN;
	device_derive(&dev);
	assert_int_equal(dev.why[DEV_TEMPERATURE_HEADROOM], KNOWN);
	assert_near(dev.temperature_headroom, 40.5);
	dev.why[DEV_TEMPERATURE] = IMPLAUSIBLE;
	device_derive(&dev);
	assert_int_equal(dev.why[DEV_TEMPERATURE_HEADROOM], IMPLAUSIBLE);
}

TEST(uptime_starts_at_either_base_of_the_heartbeat)
{
	device_derive(&dev);
	assert_int_equal(dev.why[DEV_UPTIME], NOT_ASKED);
	set_heartbeat(154);
	device_derive(&dev);
	assert_near(dev.uptime, 15.4);
	set_heartbeat(0xA5A5A5A5);
	device_derive(&dev);
	assert_near(dev.uptime, 0);
	set_heartbeat(0xA5A5A5A5 + 36000);
	device_derive(&dev);
	assert_near(dev.uptime, 3600);
}

TEST(a_bundle_is_one_number_or_unknown)
{
	static const struct {
		const char *text;
		uint32_t number;
	} bundles[] = {
		{ "19.5.0.0", 0x13050000 },
		{ "18.12.0.0", 0x120C0000 },
		{ "0.0.0.0", 0 },
		{ "255.1.2.3", 0xFF010203 },
		{ "256.0.0.0", 0 },
		{ "1.2.3", 0 },
		{ "", 0 },
	};

	assert_int_equal(device_bundle(&dev), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bundles); i++) {
		set_bundle(bundles[i].text);
		assert_int_equal(device_bundle(&dev), bundles[i].number);
	}
}

TEST(capacity_is_unknown_with_the_right_reason)
{
	device_derive(&dev);
	assert_int_equal(dev.why[DEV_DRAM_TOTAL], UNKNOWN_BOARD);
	assert_int_equal(dev.why[DEV_L1_TOTAL], UNKNOWN_BOARD);

	dev.type = board_by_name("p150a");
	device_derive(&dev);
	assert_int_equal(dev.why[DEV_DRAM_TOTAL], KNOWN);
	assert_int_equal(dev.why[DEV_L1_TOTAL], UNKNOWN_FIRMWARE);
	set_bundle("18.12.0.0");
	device_derive(&dev);
	assert_int_equal(dev.why[DEV_L1_TOTAL], KNOWN);
	assert_int_equal(dev.memory_total[POOL_L1], 220200960);

	dev.type = board_by_name("p100");
	device_derive(&dev);
	assert_int_equal(dev.why[DEV_DRAM_TOTAL], UNKNOWN_BOARD);
	assert_int_equal(dev.why[DEV_L1_TOTAL], UNKNOWN_BOARD);
}

static void assert_health(const char *text)
{
	device_derive(&dev);
	device_judge(&dev);
	assert_string_equal(dev.health, text);
	assert_int_equal(dev.why[DEV_HEALTH], KNOWN);
}

TEST(health_is_the_most_urgent_problem)
{
	assert_health("ok");
	dev.why[DEV_THERMAL_TRIPS] = KNOWN;
	dev.thermal_trips = 1;
	assert_health("thermal shutdown happened");
	dev.why[DEV_POWER] = dev.why[DEV_POWER_LIMIT] = KNOWN;
	dev.power = dev.power_limit = 85;
	assert_health("at power limit");
	dev.why[DEV_TEMPERATURE] = dev.why[DEV_TEMPERATURE_LIMIT] = KNOWN;
	dev.temperature = dev.temperature_limit = 75;
	assert_health("at temperature limit");
	dev.why[DEV_ALIVE] = KNOWN;
	assert_health("firmware not alive");
	dev.state = DEVICE_NOT_ANSWERING;
	assert_health("not answering");
	assert_int_equal(dev.state, DEVICE_NOT_ANSWERING);
}

TEST(unknown_readings_are_not_a_problem)
{
	dev.power = 500;
	dev.why[DEV_POWER] = KNOWN; /* the limit is not */
	dev.thermal_trips = 7;
	dev.alive = false;
	assert_health("ok");
}

TEST(marking_fields_keeps_known_ones)
{
	struct fieldset set = { 0 };

	fieldset_add(&set, DEV_POWER);
	fieldset_add(&set, DEV_VOLTAGE);
	dev.why[DEV_POWER] = KNOWN;
	device_mark(&dev, &set, GONE);
	assert_int_equal(dev.why[DEV_POWER], KNOWN);
	assert_int_equal(dev.why[DEV_VOLTAGE], GONE);
	assert_int_equal(dev.why[DEV_CURRENT], NOT_ASKED);
}

TEST(errors_of_the_driver_have_their_reasons)
{
	assert_int_equal(reason_of_error(-2 /* ENOENT */), NOT_OFFERED);
	assert_int_equal(reason_of_error(2), NOT_OFFERED);
	assert_int_equal(reason_of_error(-13 /* EACCES */), DENIED);
	assert_int_equal(reason_of_error(-61 /* ENODATA */), RESETTING);
	assert_int_equal(reason_of_error(-19 /* ENODEV */), GONE);
	assert_int_equal(reason_of_error(-5 /* EIO */), READ_ERROR);
	assert_int_equal(reason_of_error(-27 /* EFBIG */), MALFORMED);
	assert_int_equal(reason_of_error(-110 /* ETIMEDOUT */), TIMED_OUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(an_unread_device_knows_its_number_and_nothing_else,
				       make_device),
		cmocka_unit_test_setup(identity_follows_from_board_id_and_address, make_device),
		cmocka_unit_test_setup(a_card_in_a_slot_has_no_tray_and_an_unknown_id_gives_no_uuid,
				       make_device),
		cmocka_unit_test_setup(a_chip_without_pcie_has_no_node, make_device),
		cmocka_unit_test_setup(the_bus_is_read_from_short_and_long_domains, make_device),
		cmocka_unit_test_setup(headroom_needs_both_temperatures, make_device),
		cmocka_unit_test_setup(uptime_starts_at_either_base_of_the_heartbeat, make_device),
		cmocka_unit_test_setup(a_bundle_is_one_number_or_unknown, make_device),
		cmocka_unit_test_setup(capacity_is_unknown_with_the_right_reason, make_device),
		cmocka_unit_test_setup(health_is_the_most_urgent_problem, make_device),
		cmocka_unit_test_setup(unknown_readings_are_not_a_problem, make_device),
		cmocka_unit_test_setup(marking_fields_keeps_known_ones, make_device),
		cmocka_unit_test_setup(errors_of_the_driver_have_their_reasons, make_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
