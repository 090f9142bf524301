/* The devices selected by -i. */
#include "model/select.h"
#include "unit.h"

#include <errno.h>
#include <stdio.h>

enum { DEVICES = 6 };

static struct snapshot *machine;

static struct device *add(uint32_t index, const char *bdf, uint64_t serial, uint64_t asic)
{
	struct device dev;

	device_init(&dev, index);
	snprintf(dev.bdf, sizeof(dev.bdf), "%s", bdf);
	dev.serial = serial;
	dev.asic_id = asic;
	dev.why[DEV_BDF] = dev.why[DEV_SERIAL] = dev.why[DEV_ASIC_ID] = KNOWN;
	return snapshot_add_device(machine, &dev);
}

/*
 * 0: an n300's first chip, 0R: the one behind it; 2 and 3: a p300; 12: a card behind VMD on tray 2;
 * 31: one of which only the number is known.
 */
static int make_machine(void **state)
{
	struct device remote, silent;

	(void)state;
	if (snapshot_new(&machine) < 0)
		return -1;
	add(0, "0000:01:00.0", 0x0100014131904000, 0x2F9C2B4A51D01A2B);
	device_init(&remote, 0);
	snprintf(remote.id, sizeof(remote.id), "0R");
	remote.remote = true;
	remote.serial = 0x0100014131904000;
	remote.why[DEV_SERIAL] = KNOWN;
	snapshot_add_device(machine, &remote);
	add(2, "0000:02:00.0", 0x000004513190F004, 0x6B1E77A20C401B3C);
	add(3, "0000:0a:00.0", 0x000004513190F004, 0x6B1E88A20C401B3C);
	add(12, "10000:02:00.0", 0x0100035100000000, 0x1234567890ABCDEF);
	machine->devices[4].tray = 2;
	machine->devices[4].why[DEV_TRAY] = KNOWN;
	device_init(&silent, 31);
	snapshot_add_device(machine, &silent);
	return machine->n_devices != DEVICES;
}

static int free_machine(void **state)
{
	(void)state;
	machine = snapshot_free(machine);
	return 0;
}

static int match(const char *list, bool keep[DEVICES], char *bad, size_t size)
{
	struct selection selection = { 0 };
	const char *word = "";
	int r;

	memset(keep, 0, DEVICES * sizeof(*keep));
	r = selection_add(&selection, list);
	if (r >= 0)
		r = selection_match(&selection, machine, keep, &word);
	snprintf(bad, size, "%s", word);
	selection_done(&selection);
	return r;
}

/* expected has a digit 1 per selected device: "100000" is the first. */
static void assert_selects(const char *list, const char *expected)
{
	char found[DEVICES + 1] = { 0 }, bad[64];
	bool keep[DEVICES];

	assert_int_equal(match(list, keep, bad, sizeof(bad)), 0);
	for (size_t i = 0; i < DEVICES; i++)
		found[i] = keep[i] ? '1' : '0';
	assert_string_equal(found, expected);
}

static void assert_fails(const char *list, int error, const char *word)
{
	bool keep[DEVICES];
	char bad[64];

	assert_int_equal(match(list, keep, bad, sizeof(bad)), error);
	assert_string_equal(bad, word);
}

TEST(an_index_is_the_number_of_the_node)
{
	assert_selects("0", "100000");
	assert_selects("2", "001000");
	assert_selects("12", "000010");
	assert_selects("31", "000001");
	assert_selects("012", "000010");
}

TEST(a_range_selects_existing_devices)
{
	assert_selects("0-3", "101100");
	assert_selects("1-2", "001000");
	assert_selects("0-999", "101111");
	assert_fails("4-11", -ENODEV, "4-11");
	assert_fails("3-2", -ENODEV, "3-2");
}

TEST(lists_add_up)
{
	assert_selects("0,12", "100010");
	assert_selects("2-3,0000:01:00.0,tray:2", "101110");
	assert_selects("0,0,0", "100000");
}

TEST(the_chip_behind_another_has_its_own_id)
{
	assert_selects("0R", "010000");
	assert_selects("0r", "010000");
	assert_fails("2R", -ENODEV, "2R");
}

TEST(all_selects_every_device)
{
	assert_selects("all", "111111");
	assert_selects("ALL", "111111");
}

TEST(an_address_may_lack_domain_and_function)
{
	assert_selects("0000:01:00.0", "100000");
	assert_selects("01:00.0", "100000");
	assert_selects("01:00", "100000");
	assert_selects("0000:0A:00.0", "000100");
	assert_selects("10000:02:00.0", "000010");
	assert_selects("02:00.0", "001010"); /* two domains have it */
	assert_fails("01:0", -ENODEV, "01:0");
	assert_fails("0000:01:00", -ENODEV, "0000:01:00");
	assert_fails("0000:01:00.1", -ENODEV, "0000:01:00.1");
	assert_fails(":", -ENODEV, ":");
}

TEST(a_node_path_is_an_index)
{
	assert_selects("/dev/tenstorrent/3", "000100");
	assert_fails("/dev/tenstorrent/4", -ENODEV, "/dev/tenstorrent/4");
	assert_fails("/dev/tenstorrent/", -ENODEV, "/dev/tenstorrent/");
}

TEST(an_asic_id_or_its_prefix_selects_one_chip)
{
	assert_selects("2F9C2B4A51D01A2B", "100000");
	assert_selects("2f9c", "100000");
	assert_selects("TT-2f9c2b4a51d01a2b", "100000");
	assert_selects("tt-2f9c", "100000");
	assert_selects("6B1E7", "001000");
	assert_selects("1234", "000010"); /* four digits are no index */
	assert_selects("/dev/tenstorrent/by-id/wormhole-2F9C2B4A51D01A2B", "100000");
	assert_selects("/dev/tenstorrent/by-id/blackhole-6B1E88A20C401B3C", "000100");
}

TEST(an_ambiguous_prefix_is_rejected)
{
	assert_fails("6B1E", -ENOTUNIQ, "6B1E");
	assert_fails("0,TT-6b1e", -ENOTUNIQ, "TT-6b1e");
}

TEST(fewer_than_four_or_more_than_sixteen_digits_are_not_an_id)
{
	assert_fails("2F9", -ENODEV, "2F9");
	assert_fails("TT-2f9", -ENODEV, "TT-2f9");
	assert_fails("2F9C2B4A51D01A2B0", -ENODEV, "2F9C2B4A51D01A2B0");
}

TEST(a_serial_selects_every_chip_of_its_board)
{
	assert_selects("000004513190F004", "001100");
	assert_selects("000004513190f004", "001100");
	assert_selects("serial:0100014131904000", "110000");
	assert_fails("000004513190F00", -ENODEV, "000004513190F00"); /* whole or not at all */
}

TEST(a_tray_is_a_number_from_one)
{
	assert_selects("tray:2", "000010");
	assert_selects("TRAY:2", "000010");
	assert_fails("tray:1", -ENODEV, "tray:1");
	assert_fails("tray:", -ENODEV, "tray:");
	assert_fails("tray:x", -ENODEV, "tray:x");
}

TEST(a_word_without_a_match_is_returned)
{
	assert_fails("7", -ENODEV, "7");
	assert_fails("0,nonsense,2", -ENODEV, "nonsense");
	assert_fails("-1", -ENODEV, "-1");
	assert_fails("-", -ENODEV, "-");
	assert_fails("0-", -ENODEV, "0-");
	assert_fails("0--1", -ENODEV, "0--1");
	assert_fails("0-1-2", -ENODEV, "0-1-2");
	assert_fails("99999999999999999999", -ENODEV, "99999999999999999999");
	assert_fails(" 0", -ENODEV, " 0");
	assert_fails("%s%n", -ENODEV, "%s%n");
}

TEST(empty_words_are_an_error)
{
	assert_fails("", -EINVAL, "");
	assert_fails("0,", -EINVAL, "");
	assert_fails(",0", -EINVAL, "");
	assert_fails("0,,2", -EINVAL, "");
}

TEST(on_a_machine_without_devices_nothing_matches)
{
	struct snapshot *full = machine;

	assert_int_equal(snapshot_new(&machine), 0);
	assert_fails("0", -ENODEV, "0");
	snapshot_free(machine);
	machine = full;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_index_is_the_number_of_the_node),
		cmocka_unit_test(a_range_selects_existing_devices),
		cmocka_unit_test(lists_add_up),
		cmocka_unit_test(the_chip_behind_another_has_its_own_id),
		cmocka_unit_test(all_selects_every_device),
		cmocka_unit_test(an_address_may_lack_domain_and_function),
		cmocka_unit_test(a_node_path_is_an_index),
		cmocka_unit_test(an_asic_id_or_its_prefix_selects_one_chip),
		cmocka_unit_test(an_ambiguous_prefix_is_rejected),
		cmocka_unit_test(fewer_than_four_or_more_than_sixteen_digits_are_not_an_id),
		cmocka_unit_test(a_serial_selects_every_chip_of_its_board),
		cmocka_unit_test(a_tray_is_a_number_from_one),
		cmocka_unit_test(a_word_without_a_match_is_returned),
		cmocka_unit_test(empty_words_are_an_error),
		cmocka_unit_test(on_a_machine_without_devices_nothing_matches),
	};

	return cmocka_run_group_tests(tests, make_machine, free_machine);
}
