/*
 * The driver's attributes, with the texts that a running driver printed: on a
 * Wormhole, on a Blackhole, and with a chip off the bus.
 */
#include "source/attribute.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

/* Texts without their newline; NULL: that chip has no such file. */
static const struct {
	const char *file;
	const char *wormhole, *blackhole;
	const char *dead;
	enum reason dead_why;
} observed[] = {
	{ "tt_card_type", "n300", "p150a", "unknown", KNOWN },
	{ "tt_serial", "0100014131904000", "0000040131904000", "FFFFFFFFFFFFFFFF", NOT_ANSWERING },
	{ "tt_asic_id", "2F9C2B4A51D01A2B", "6B1E77A20C401B3C", "FFFFFFFFFFFFFFFF", NOT_ANSWERING },
	{ "tt_fw_bundle_ver", "18.12.0.0", "18.12.0.0", "255.255.255.255", NOT_ANSWERING },
	{ "tt_m3app_fw_ver", "5.12.0.0", "0.23.0.0", "255.255.255.255", NOT_ANSWERING },
	{ "tt_m3bl_fw_ver", "129.2.0.0", NULL, "255.255.255.255", NOT_ANSWERING },
	{ "tt_arc_fw_ver", "2.39.0.0", NULL, "255.255.255.255", NOT_ANSWERING },
	{ "tt_eth_fw_ver", "7.2.0", NULL, "255.15.4095", NOT_ANSWERING },
	{ "tt_ttflash_ver", "3.4.7.0", NULL, "255.255.255.255", NOT_ANSWERING },
	{ "vendor", "0x1e52", "0x1e52", "0x1e52", KNOWN },
	{ "device", "0x401e", "0xb140", "0x401e", KNOWN },
	{ "subsystem_vendor", "0x1e52", "0x1e52", "0x1e52", KNOWN },
	{ "subsystem_device", "0x0014", "0x0040", "0x0014", KNOWN },
	{ "revision", "0x01", "0x01", "0x01", KNOWN },
	{ "numa_node", "-1", "0", "-1", KNOWN },
	{ "max_link_speed", "16.0 GT/s PCIe", "32.0 GT/s PCIe", NULL, KNOWN },
	{ "max_link_width", "16", "16", "63", NOT_ANSWERING },
	{ "temp1_max", "75000", "90000", "4294966296", NOT_ANSWERING },
	{ "power1_max", "160000000", "300000000", "4293967296", NOT_ANSWERING },
	{ "in0_max", "950", "900", "65535", NOT_ANSWERING },
	{ "curr1_max", "160000", "400000", "4294966296", NOT_ANSWERING },
	{ "tt_aiclk", "500", "800", "4294967295", NOT_ANSWERING },
	{ "tt_axiclk", "900", "960", "4294967295", NOT_ANSWERING },
	{ "tt_arcclk", "540", "800", "4294967295", NOT_ANSWERING },
	{ "tt_heartbeat", "154", "11", "4294967295", NOT_ANSWERING },
	{ "tt_therm_trip_count", NULL, "0", "4294967295", NOT_ANSWERING },
	{ "current_link_speed", "16.0 GT/s PCIe", "16.0 GT/s PCIe", "Unknown", NOT_ANSWERING },
	{ "current_link_width", "16", "16", "63", NOT_ANSWERING },
	{ "aer_dev_correctable", "RxErr 0\nBadTLP 2\nTOTAL_ERR_COR 2", "RxErr 0\nTOTAL_ERR_COR 0",
	  "RxErr 1\nTOTAL_ERR_COR 1", KNOWN },
	{ "aer_dev_nonfatal", "DLP 0\nTOTAL_ERR_NONFATAL 0", "DLP 3\nTOTAL_ERR_NONFATAL 3",
	  "DLP 0\nTOTAL_ERR_NONFATAL 0", KNOWN },
	{ "aer_dev_fatal", "DLP 0\nTOTAL_ERR_FATAL 0", "DLP 0\nTOTAL_ERR_FATAL 0",
	  "SDES 1\nTOTAL_ERR_FATAL 1", KNOWN },
	{ "temp1_input", "34780", "44971", "65535999", NOT_ANSWERING },
	{ "power1_input", "27000000", "166000000", "4293967296", NOT_ANSWERING },
	{ "in0_input", "728", "770", "4294967295", NOT_ANSWERING },
	{ "curr1_input", "35000", "211000", "4294966296", NOT_ANSWERING },
	{ "fan1_input", NULL, "2970", "4294967295", NOT_ANSWERING },
};

static const struct attribute *find(const char *file)
{
	for (size_t i = 0; i < N_ATTRIBUTES; i++)
		if (strcmp(attributes[i].file, file) == 0)
			return &attributes[i];
	fail_msg("no attribute %s", file);
	return NULL;
}

/* One line, as the driver writes it. */
static enum reason parse(const char *file, const char *line, struct device *dev)
{
	const struct attribute *attribute = find(file);
	char text[128];
	enum reason why;

	snprintf(text, sizeof(text), "%s\n", line);
	why = attribute_parse(attribute, text, dev);
	assert_int_equal(dev->why[attribute->field], why);
	return why;
}

TEST(every_attribute_is_among_the_observed_ones)
{
	size_t count = 0;

	/* The port above a device has files of the same names. */
	for (size_t i = 0; i < N_ATTRIBUTES; i++)
		count += !attribute_is_upstream(&attributes[i]);
	assert_int_equal(ARRAY_SIZE(observed), count);
	for (size_t i = 0; i < ARRAY_SIZE(observed); i++)
		find(observed[i].file);
}

TEST(observed_texts_of_both_chips_are_parsed)
{
	for (size_t i = 0; i < ARRAY_SIZE(observed); i++) {
		const char *texts[] = { observed[i].wormhole, observed[i].blackhole };

		for (size_t k = 0; k < 2; k++) {
			struct device dev;

			device_init(&dev, 0);
			if (texts[k])
				assert_int_equal(parse(observed[i].file, texts[k], &dev), KNOWN);
		}
	}
}

TEST(values_are_in_base_units)
{
	struct device dev;

	device_init(&dev, 0);
	for (size_t i = 0; i < ARRAY_SIZE(observed); i++)
		if (observed[i].wormhole)
			parse(observed[i].file, observed[i].wormhole, &dev);
	parse("fan1_input", "2970", &dev);
	parse("tt_therm_trip_count", "3", &dev);
	assert_string_equal(dev.board, "n300");
	assert_true(dev.serial == 0x0100014131904000);
	assert_true(dev.asic_id == 0x2F9C2B4A51D01A2B);
	assert_string_equal(dev.fw_bundle, "18.12.0.0");
	assert_string_equal(dev.fw_dm_app, "5.12.0.0");
	assert_string_equal(dev.fw_dm_bl, "129.2.0.0");
	assert_string_equal(dev.fw_cm, "2.39.0.0");
	assert_string_equal(dev.fw_eth, "7.2.0");
	assert_string_equal(dev.fw_flash, "3.4.7.0");
	assert_int_equal(dev.pci_vendor, 0x1e52);
	assert_int_equal(dev.pci_device, 0x401e);
	assert_int_equal(dev.pci_subdevice, 0x14);
	assert_int_equal(dev.pci_revision, 1);
	assert_int_equal(dev.numa_node, -1);
	assert_int_equal(dev.link_gen, 4);
	assert_int_equal(dev.link_width, 16);
	assert_int_equal(dev.link_gen_max, 4);
	assert_int_equal(dev.link_width_max, 16);
	assert_near(dev.temperature, 34.78);
	assert_near(dev.temperature_limit, 75);
	assert_near(dev.power, 27);
	assert_near(dev.power_limit, 160);
	assert_near(dev.voltage, 0.728);
	assert_near(dev.voltage_limit, 0.95);
	assert_near(dev.current, 35);
	assert_near(dev.current_limit, 160);
	assert_true(dev.aiclk == 500000000);
	assert_true(dev.axiclk == 900000000);
	assert_true(dev.arcclk == 540000000);
	assert_int_equal(dev.heartbeat, 154);
	assert_int_equal(dev.thermal_trips, 3);
	assert_int_equal(dev.fan_rpm, 2970);
}

TEST(all_ones_mean_that_the_chip_does_not_respond)
{
	for (size_t i = 0; i < ARRAY_SIZE(observed); i++) {
		struct device dev;

		device_init(&dev, 0);
		if (observed[i].dead)
			assert_int_equal(parse(observed[i].file, observed[i].dead, &dev),
					 observed[i].dead_why);
	}
}

TEST(a_rejected_text_leaves_the_value_unchanged)
{
	struct device dev;

	device_init(&dev, 0);
	parse("temp1_input", "34780", &dev);
	parse("temp1_input", "65535999", &dev);
	assert_near(dev.temperature, 34.78);
	parse("tt_fw_bundle_ver", "1.2.3.4", &dev);
	parse("tt_fw_bundle_ver", "nonsense", &dev);
	assert_string_equal(dev.fw_bundle, "1.2.3.4");
}

TEST(only_one_complete_line_is_accepted)
{
	for (size_t i = 0; i < ARRAY_SIZE(observed); i++) {
		const struct attribute *attribute = find(observed[i].file);
		const char *good =
			observed[i].wormhole ? observed[i].wormhole : observed[i].blackhole;
		static const char *const forms[] = { "%s",	 "%s\n\n", "%s\n%s\n", "\n%s\n",
						     "%s \n",	 " %s\n",  "%s\r\n",   "%sx\n",
						     "\033%s\n", "%s\n ",  "%s\t\n" };

		for (size_t k = 0; k < ARRAY_SIZE(forms); k++) {
			struct device dev;
			char text[256];
			const char *percent = strchr(forms[k], '%');
			bool word_grows = attribute->format == F_WORD && k == 7;

			device_init(&dev, 0);
			/* Built by hand: the format is not a literal. */
			snprintf(text, sizeof(text), "%.*s%s%s", (int)(percent - forms[k]),
				 forms[k], good, percent + 2);
			if (word_grows)
				continue; /* "n300x" is a word too */
			assert_int_equal(attribute_parse(attribute, text, &dev), MALFORMED);
			assert_int_equal(dev.why[attribute->field], MALFORMED);
		}
	}
}

/* Could this be the name of a board? */
static bool is_word(const char *text)
{
	return text[0] && strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-+") == strlen(text) &&
	       !strchr(text, '+');
}

TEST(garbage_is_rejected_by_every_attribute)
{
	static const char *const garbage[] = {
		"",
		" ",
		"-",
		"--5",
		"+5",
		"5.5",
		"0x",
		"0xg",
		"1e5",
		"nan",
		"inf",
		".",
		"..",
		"1..2.3",
		"1.2.",
		".1.2.3.4",
		"%s%n",
		"\xFF\xFE",
		"$(reboot)",
		"1 2",
		"GT/s PCIe",
		"16.0 GT/s",
		"16.0GT/s PCIe",
		"16.0 GT/s PCIex",
		"(null)",
	};

	for (size_t i = 0; i < N_ATTRIBUTES; i++)
		for (size_t k = 0; k < ARRAY_SIZE(garbage); k++) {
			struct device dev;

			if (attributes[i].format == F_WORD && is_word(garbage[k]))
				continue;
			device_init(&dev, 0);
			assert_int_equal(parse(attributes[i].file, garbage[k], &dev), MALFORMED);
		}
}

TEST(huge_and_negative_numbers_are_rejected)
{
	static const char *const numbers[] = {
		"-1000000000000",	"9223372036854775807",	      "-9223372036854775808",
		"18446744073709551615", "99999999999999999999999999", "4294967296",
	};

	for (size_t i = 0; i < N_ATTRIBUTES; i++) {
		if (attributes[i].format == F_WORD)
			continue; /* digits are a word */
		for (size_t k = 0; k < ARRAY_SIZE(numbers); k++) {
			struct device dev;
			enum reason why;

			device_init(&dev, 0);
			why = parse(attributes[i].file, numbers[k], &dev);
			assert_true(why == MALFORMED || why == IMPLAUSIBLE);
		}
	}
}

TEST(implausible_readings_are_recognised)
{
	static const struct {
		const char *file, *text;
		enum reason why;
	} cases[] = {
		{ "temp1_input", "65504000", IMPLAUSIBLE }, /* minus 32 degrees, as it is printed */
		{ "temp1_input", "150001", IMPLAUSIBLE },
		{ "temp1_input", "150000", KNOWN },
		{ "temp1_input", "-40000", KNOWN },
		{ "temp1_input", "-40001", IMPLAUSIBLE },
		{ "power1_input", "4080000000", IMPLAUSIBLE }, /* 4.08 kW: values of another tag */
		{ "power1_input", "705032704", IMPLAUSIBLE },  /* 5 kW, wrapped */
		{ "power1_input", "705000000", KNOWN },
		{ "power1_max", "32704", IMPLAUSIBLE },
		{ "power1_input", "-1", IMPLAUSIBLE },
		{ "power1_input", "0", KNOWN },
		{ "in0_input", "3210000", IMPLAUSIBLE },
		{ "fan1_input", "2800000", IMPLAUSIBLE },
		{ "fan1_input", "0", KNOWN },
		{ "current_link_width", "0", IMPLAUSIBLE },
		{ "current_link_speed", "2.5 GT/s PCIe", KNOWN },
		{ "current_link_speed", "7.0 GT/s PCIe", MALFORMED },
		{ "tt_aiclk", "4294967294", IMPLAUSIBLE },
		{ "tt_aiclk", "1350", KNOWN },
		{ "numa_node", "-2", IMPLAUSIBLE },
		{ "numa_node", "3", KNOWN },
		{ "tt_heartbeat", "4294967294", KNOWN },
		{ "tt_heartbeat", "2779096485", KNOWN }, /* 0xA5A5A5A5 */
		{ "revision", "0x10000", MALFORMED },
		{ "tt_serial", "0100014131904", MALFORMED },
		{ "tt_serial", "010001413190400g", MALFORMED },
		{ "tt_serial", "0x00014131904000", MALFORMED },
		{ "tt_asic_id", "2f9c2b4a51d01a2b", MALFORMED }, /* the driver writes upper case */
		{ "tt_fw_bundle_ver", "18.12.0", MALFORMED },
		{ "tt_fw_bundle_ver", "18.12.0.0.0", MALFORMED },
		{ "tt_eth_fw_ver", "7.2.0.0", MALFORMED },
		{ "tt_eth_fw_ver", "7.2.4095", KNOWN },
		{ "tt_card_type", "galaxy-blackhole", KNOWN },
		{ "tt_card_type", "a board with blanks", MALFORMED },
		{ "tt_card_type", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", MALFORMED },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct device dev;

		device_init(&dev, 0);
		assert_int_equal(parse(cases[i].file, cases[i].text, &dev), cases[i].why);
	}
}

TEST(errors_of_a_file_are_its_total)
{
	static const struct {
		const char *text;
		enum reason why;
	} cases[] = {
		{ "RxErr 1\nBadTLP 2\nTOTAL_ERR_COR 3", KNOWN },
		{ "TOTAL_ERR_COR 3", KNOWN },
		{ "RxErr 3", MALFORMED }, /* no total: truncated */
		{ "RxErr 1\nTOTAL_ERR_COR 3\nBadTLP 2", MALFORMED },
		{ "RxErr\nTOTAL_ERR_COR 3", MALFORMED },
		{ "RxErr -1\nTOTAL_ERR_COR 3", MALFORMED },
		{ "RxErr 1 \nTOTAL_ERR_COR 3", MALFORMED },
		{ "TOTAL_ERR_COR 99999999999999999999", MALFORMED },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct device dev;

		device_init(&dev, 0);
		assert_int_equal(parse("aer_dev_correctable", cases[i].text, &dev), cases[i].why);
		assert_true(dev.errors.correctable == (cases[i].why == KNOWN ? 3 : 0));
	}
}

TEST(the_port_is_the_directory_above_the_device)
{
	char port[24];

	assert_int_equal(attribute_parse_upstream("../../devices/pci0000:00/0000:00:01.0/"
						  "0000:01:00.0/tenstorrent/tenstorrent!0",
						  "0000:01:00.0", port, sizeof(port)),
			 KNOWN);
	assert_string_equal(port, "0000:00:01.0");
	assert_int_equal(attribute_parse_upstream("../../../devices/pci10000:00/10000:00:02.0/"
						  "10000:01:00.0",
						  "10000:01:00.0", port, sizeof(port)),
			 KNOWN);
	assert_string_equal(port, "10000:00:02.0");
	/* attached to the root complex, or passed through by a hypervisor */
	assert_int_equal(attribute_parse_upstream("../../../devices/pci0000:00/0000:00:05.0",
						  "0000:00:05.0", port, sizeof(port)),
			 NOT_APPLICABLE);
	assert_int_equal(attribute_parse_upstream("../../../devices/pci0000:00/0000:00:05.0",
						  "0000:00:06.0", port, sizeof(port)),
			 MALFORMED);
	assert_int_equal(
		attribute_parse_upstream("0000:00:05.0", "0000:00:05.0", port, sizeof(port)),
		MALFORMED);
}

TEST(an_id_of_zeros_is_rejected)
{
	struct device dev;

	/* Drivers up to 2.1 print 0 for missing values: two such chips are not the same. */
	device_init(&dev, 0);
	assert_int_equal(parse("tt_asic_id", "0000000000000000", &dev), NOT_OFFERED);
	assert_int_equal(parse("tt_serial", "0000000000000000", &dev), NOT_OFFERED);
}

TEST(a_line_of_a_megabyte_is_rejected)
{
	size_t length = 1 << 20;
	char *text = malloc(length + 2);
	struct device dev;

	assert_non_null(text);
	memset(text, '1', length);
	memcpy(text + length, "\n", 2);
	device_init(&dev, 0);
	for (size_t i = 0; i < N_ATTRIBUTES; i++)
		assert_int_equal(attribute_parse(&attributes[i], text, &dev), MALFORMED);
	free(text);
}

TEST(a_counter_of_all_ones_is_not_a_reading)
{
	struct device dev;

	device_init(&dev, 0);
	for (size_t i = 0; i < DEVICE_COUNTERS; i++) {
		assert_int_equal(attribute_parse(&counter_attributes[i], "4294967295\n", &dev),
				 NOT_ANSWERING);
		assert_int_equal(attribute_parse(&counter_attributes[i], "2260000\n", &dev), KNOWN);
		assert_int_equal(dev.counters[i], 2260000);
		assert_int_equal(attribute_parse(&counter_attributes[i], "4294967296\n", &dev),
				 MALFORMED);
		assert_false(attribute_is_telemetry(&counter_attributes[i]));
	}
}

TEST(class_names_are_numbers_as_the_kernel_writes_them)
{
	static const char *const bad[] = { "tenstorrent!",
					   "tenstorrent!-1",
					   "tenstorrent!01",
					   "tenstorrent!1x",
					   "tenstorrent!x",
					   "tenstorrent/1",
					   "tenstorrent!+1",
					   "tenstorrent! 1",
					   "tenstorrent!12345",
					   "Tenstorrent!1",
					   "",
					   "tenstorrent" };
	uint32_t index = 77;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(attribute_parse_class_name(bad[i], &index));
	assert_int_equal(index, 77);
	assert_true(attribute_parse_class_name("tenstorrent!0", &index));
	assert_int_equal(index, 0);
	assert_true(attribute_parse_class_name("tenstorrent!31", &index));
	assert_int_equal(index, 31);
}

TEST(an_address_is_the_last_part_of_a_link)
{
	static const char *const bad[] = {
		"",
		"../",
		"0000:01:00",
		"0000:1:00.0",
		"0000:01:00.0/",
		"0000:01:00.g",
		"0000:01:00.00",
		"0x00:01:00.0",
		"000:01:00.0",
		"0000:01:00.0 ",
		"0000:0A:00.0",
		" 0000:01:00.0",
		"-001:01:00.0",
		"123456789:01:00.0",
	};
	char bdf[24] = "untouched", small[12];

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(attribute_parse_bdf(bad[i], bdf, sizeof(bdf)));
	assert_string_equal(bdf, "untouched");
	assert_true(attribute_parse_bdf("../../../0000:01:00.0", bdf, sizeof(bdf)));
	assert_string_equal(bdf, "0000:01:00.0");
	assert_true(attribute_parse_bdf("10000:02:00.0", bdf, sizeof(bdf)));
	assert_string_equal(bdf, "10000:02:00.0");
	assert_false(attribute_parse_bdf("../0000:01:00.0", small, sizeof(small)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_attribute_is_among_the_observed_ones),
		cmocka_unit_test(observed_texts_of_both_chips_are_parsed),
		cmocka_unit_test(values_are_in_base_units),
		cmocka_unit_test(all_ones_mean_that_the_chip_does_not_respond),
		cmocka_unit_test(a_rejected_text_leaves_the_value_unchanged),
		cmocka_unit_test(only_one_complete_line_is_accepted),
		cmocka_unit_test(garbage_is_rejected_by_every_attribute),
		cmocka_unit_test(huge_and_negative_numbers_are_rejected),
		cmocka_unit_test(implausible_readings_are_recognised),
		cmocka_unit_test(errors_of_a_file_are_its_total),
		cmocka_unit_test(the_port_is_the_directory_above_the_device),
		cmocka_unit_test(an_id_of_zeros_is_rejected),
		cmocka_unit_test(a_line_of_a_megabyte_is_rejected),
		cmocka_unit_test(a_counter_of_all_ones_is_not_a_reading),
		cmocka_unit_test(class_names_are_numbers_as_the_kernel_writes_them),
		cmocka_unit_test(an_address_is_the_last_part_of_a_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
