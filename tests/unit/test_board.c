/* Capacities to the byte, and the places of a Galaxy. */
#include "model/board.h"
#include "unit.h"

/* TT-Metal's own figures, per chip: SoC and core descriptors. */
static const struct {
	const char *name;
	uint32_t bundle;
	uint64_t dram, l1;
} capacities[] = {
	{ "n150", 0, 12884901888, 107937792 },
	{ "n300", 0, 12884901888, 95944704 },
	{ "galaxy-wormhole", 0, 12884901888, 119930880 },
	{ "p100a", 0, 29947330560, 188743680 },
	{ "p150a", 0x13050000, 34225520640, 188743680 },
	{ "p150b", 0x13050000, 34225520640, 188743680 },
	{ "p150c", 0, 34225520640, 188743680 },
	{ "p300a", 0, 34225520640, 188743680 },
	{ "p300b", 0, 34225520640, 188743680 },
	{ "p300c", 0, 34225520640, 188743680 },
	{ "galaxy-blackhole", 0, 34225520640, 204472320 },
	{ "e150", 0, 8589934592, 0 },
	{ "e75", 0, 8589934592, 0 },
	{ "p100", 0, 0, 0 }, /* few, and not described anywhere */
};

TEST(capacities_are_those_available_to_programs)
{
	for (size_t i = 0; i < ARRAY_SIZE(capacities); i++) {
		const struct board *board = board_by_name(capacities[i].name);

		assert_non_null(board);
		assert_true(board_dram(board) == capacities[i].dram);
		assert_true(board_l1(board, capacities[i].bundle) == capacities[i].l1);
	}
}

TEST(a_p150_loses_twenty_cores_with_bundle_19_5)
{
	static const char *const names[] = { "p150a", "p150b" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct board *board = board_by_name(names[i]);

		assert_int_equal(board_l1(board, 0x12050000), 220200960); /* 18.5 */
		assert_int_equal(board_l1(board, 0x1304FFFF), 220200960);
		assert_int_equal(board_l1(board, 0x13050000), 188743680);
		assert_int_equal(board_l1(board, 0x140A0000), 188743680);
		assert_int_equal(board_l1(board, 0x500E0000), 220200960); /* 80.14, a pre-release */
		assert_int_equal(board_l1(board, 0), 0); /* not known, so not guessed */
	}
}

TEST(l1_of_one_core_is_that_of_the_architecture)
{
	assert_int_equal(arch_l1_per_core(ARCH_WORMHOLE), 1499136);
	assert_int_equal(arch_l1_per_core(ARCH_BLACKHOLE), 1572864);
	assert_int_equal(arch_l1_per_core(ARCH_UNKNOWN), 0);
}

TEST(every_board_is_found_by_the_code_in_its_serial)
{
	static const struct {
		uint64_t serial;
		const char *name;
	} reported[] = {
		{ 0x010001851170C06C, "n150" },
		{ 0x0000040331914049, "p150a" },
		{ 0x0100035100000000, "galaxy-wormhole" },
		{ 0x0000047131831011, "galaxy-blackhole" },
		{ 0x000004513190F004, "p300a" },
		{ 0x0000036100000000, "p100" },
		{ 0x0100014131904000, "n300" },
		{ 0x0000040131904000, "p150a" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(reported); i++) {
		/* Boards of Wormhole carry a bit above the type: twenty bits are the code. */
		const struct board *board = board_by_code(reported[i].serial >> 36 & 0xFFFFF);

		assert_non_null(board);
		assert_string_equal(board->name, reported[i].name);
	}
	assert_null(board_by_code(0xFF));
	assert_null(board_by_code(UINT64_MAX));
	assert_null(board_by_name("unknown"));
	assert_null(board_by_name(""));
}

TEST(pci_ids_identify_the_architecture)
{
	assert_int_equal(arch_of_pci(0x401E), ARCH_WORMHOLE);
	assert_int_equal(arch_of_pci(0xB140), ARCH_BLACKHOLE);
	assert_int_equal(arch_of_pci(0xFACA), ARCH_GRAYSKULL);
	assert_int_equal(arch_of_pci(0xFEED), ARCH_UNKNOWN);
	assert_string_equal(arch_identifiers[ARCH_WORMHOLE], "wormhole_b0");
}

static void assert_place(const char *name, unsigned bus, int tray, int chip)
{
	int found_tray = 0, found_chip = 0;

	assert_true(board_place(board_by_name(name), bus, &found_tray, &found_chip));
	assert_int_equal(found_tray, tray);
	assert_int_equal(found_chip, chip);
}

TEST(galaxy_places_follow_from_the_bus)
{
	/* Seen: buses c1, 82, 03, 48 became N = 0, 9, 18, 31. */
	assert_place("galaxy-wormhole", 0xC1, 1, 1);
	assert_place("galaxy-wormhole", 0x82, 2, 2);
	assert_place("galaxy-wormhole", 0x03, 3, 3);
	assert_place("galaxy-wormhole", 0x48, 4, 8);
	assert_place("galaxy-blackhole", 0x01, 1, 1);
	assert_place("galaxy-blackhole", 0x42, 2, 2);
	assert_place("galaxy-blackhole", 0xC3, 3, 3);
	assert_place("galaxy-blackhole", 0x88, 4, 8);
}

TEST(every_chip_of_a_galaxy_has_a_place_of_its_own)
{
	static const char *const names[] = { "galaxy-wormhole", "galaxy-blackhole" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		bool seen[5][9] = { 0 };
		unsigned found = 0;

		for (unsigned bus = 0; bus < 256; bus++) {
			int tray, chip;

			if (!board_place(board_by_name(names[i]), bus, &tray, &chip))
				continue;
			assert_in_range(tray, 1, 4);
			assert_in_range(chip, 1, 8);
			assert_false(seen[tray][chip]);
			seen[tray][chip] = true;
			found++;
		}
		assert_int_equal(found, 32);
	}
}

TEST(other_boards_and_buses_have_no_place)
{
	int tray = -7, chip = -7;

	assert_false(board_place(board_by_name("n150"), 0xC1, &tray, &chip));
	assert_false(board_place(board_by_name("galaxy-wormhole"), 0xC0, &tray, &chip));
	assert_false(board_place(board_by_name("galaxy-wormhole"), 0xC9, &tray, &chip));
	assert_false(board_place(board_by_name("galaxy-wormhole"), 0x11, &tray, &chip));
	assert_int_equal(tray, -7);
	assert_int_equal(chip, -7);
}

TEST(a_galaxy_has_eight_lanes_where_the_bus_ends_in_6)
{
	static const char *const galaxies[] = { "galaxy-wormhole", "galaxy-blackhole" };

	for (size_t i = 0; i < ARRAY_SIZE(galaxies); i++)
		for (unsigned bus = 0; bus < 256; bus++)
			assert_int_equal(board_lanes(board_by_name(galaxies[i]), bus),
					 bus % 16 == 6 ? 8 : 1);
	assert_int_equal(board_lanes(board_by_name("n150"), 0x46), 0);
	assert_int_equal(board_lanes(board_by_name("p150a"), 0x41), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(capacities_are_those_available_to_programs),
		cmocka_unit_test(a_p150_loses_twenty_cores_with_bundle_19_5),
		cmocka_unit_test(l1_of_one_core_is_that_of_the_architecture),
		cmocka_unit_test(every_board_is_found_by_the_code_in_its_serial),
		cmocka_unit_test(pci_ids_identify_the_architecture),
		cmocka_unit_test(galaxy_places_follow_from_the_bus),
		cmocka_unit_test(every_chip_of_a_galaxy_has_a_place_of_its_own),
		cmocka_unit_test(other_boards_and_buses_have_no_place),
		cmocka_unit_test(a_galaxy_has_eight_lanes_where_the_bus_ends_in_6),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
