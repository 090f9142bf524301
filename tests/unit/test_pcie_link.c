/* Trained and expected PCIe links. */
#include "model/pcie_link.h"
#include "unit.h"

#include <stdio.h>

static struct device dev;

static int make_device(void **state)
{
	(void)state;
	device_init(&dev, 0);
	return 0;
}

/* The capability of the card; 0: unknown. */
static void set_card(uint32_t gen, uint32_t width)
{
	dev.link_gen_max = gen;
	dev.why[DEV_LINK_GEN_MAX] = gen ? KNOWN : NOT_OFFERED;
	dev.link_width_max = width;
	dev.why[DEV_LINK_WIDTH_MAX] = width ? KNOWN : NOT_OFFERED;
}

static void set_place(const char *board, const char *bdf)
{
	dev.type = board_by_name(board);
	assert_non_null(dev.type);
	snprintf(dev.bdf, sizeof(dev.bdf), "%s", bdf);
	dev.why[DEV_BDF] = KNOWN;
}

static void expect(uint32_t port_gen, uint32_t port_width, uint32_t gen, uint32_t width)
{
	dev.upstream.gen_max = port_gen;
	dev.why[DEV_UPSTREAM_GEN_MAX] = port_gen ? KNOWN : NOT_OFFERED;
	dev.upstream.width_max = port_width;
	dev.why[DEV_UPSTREAM_WIDTH_MAX] = port_width ? KNOWN : NOT_OFFERED;
	pcie_link_derive(&dev);
	assert_int_equal(dev.link_gen_expected, gen);
	assert_int_equal(dev.why[DEV_LINK_GEN_EXPECTED], gen ? KNOWN : NOT_OFFERED);
	assert_int_equal(dev.link_width_expected, width);
	assert_int_equal(dev.why[DEV_LINK_WIDTH_EXPECTED], width ? KNOWN : NOT_OFFERED);
}

TEST(the_slower_end_decides)
{
	set_place("p150a", "0000:01:00.0");
	set_card(5, 16);
	expect(5, 16, 5, 16);
	expect(4, 16, 4, 16);
	expect(5, 8, 5, 8);
	set_card(4, 8);
	expect(5, 16, 4, 8);
}

TEST(an_end_with_unknown_capability_does_not_count)
{
	set_place("p150a", "0000:01:00.0");
	set_card(5, 16);
	expect(0, 0, 5, 16);
	set_card(0, 0);
	expect(4, 8, 4, 8);
	expect(0, 0, 0, 0);
}

TEST(a_galaxy_wires_fewer_lanes)
{
	set_card(4, 16);
	set_place("galaxy-wormhole", "0000:c6:00.0");
	expect(5, 16, 4, 8);
	set_place("galaxy-wormhole", "0000:c1:00.0");
	expect(5, 16, 4, 1);
	set_place("galaxy-blackhole", "10000:86:00.0");
	expect(0, 0, 4, 8);
	/* A chip with a lower capability is not expected to do more. */
	set_card(4, 1);
	expect(5, 16, 4, 1);
}

TEST(without_a_board_or_an_address_both_ends_decide)
{
	set_card(4, 16);
	expect(5, 8, 4, 8);
	dev.type = board_by_name("galaxy-wormhole");
	expect(5, 8, 4, 8);
}

TEST(a_link_below_its_expectation_is_slow_or_narrow)
{
	set_place("p150a", "0000:01:00.0");
	set_card(5, 16);
	dev.link_gen = 4;
	dev.link_width = 8;
	expect(5, 16, 5, 16);
	assert_false(pcie_link_is_slow(&dev));
	assert_false(pcie_link_is_narrow(&dev));
	dev.why[DEV_LINK_GEN] = dev.why[DEV_LINK_WIDTH] = KNOWN;
	assert_true(pcie_link_is_slow(&dev));
	assert_true(pcie_link_is_narrow(&dev));
	expect(4, 8, 4, 8);
	assert_false(pcie_link_is_slow(&dev));
	assert_false(pcie_link_is_narrow(&dev));
	set_card(0, 0);
	expect(0, 0, 0, 0);
	assert_false(pcie_link_is_slow(&dev));
	assert_false(pcie_link_is_narrow(&dev));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_slower_end_decides, make_device),
		cmocka_unit_test_setup(an_end_with_unknown_capability_does_not_count, make_device),
		cmocka_unit_test_setup(a_galaxy_wires_fewer_lanes, make_device),
		cmocka_unit_test_setup(without_a_board_or_an_address_both_ends_decide, make_device),
		cmocka_unit_test_setup(a_link_below_its_expectation_is_slow_or_narrow, make_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
