/* What a PCIe link is trained to, and what it should be. */
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

/* The card can do so much; 0: it does not say. */
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
	const struct pcie_link port = { port_gen, port_width };
	const struct pcie_link expected = pcie_link_expected(&dev, &port);

	assert_int_equal(expected.gen, gen);
	assert_int_equal(expected.width, width);
}

TEST(the_lesser_end_decides)
{
	set_place("p150a", "0000:01:00.0");
	set_card(5, 16);
	expect(5, 16, 5, 16);
	expect(4, 16, 4, 16);
	expect(5, 8, 5, 8);
	set_card(4, 8);
	expect(5, 16, 4, 8);
}

TEST(an_end_that_does_not_say_does_not_count)
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
	/* A chip that can do less is not asked for more. */
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

TEST(what_was_not_read_is_not_trained)
{
	struct pcie_link trained;

	dev.link_gen = 4;
	dev.link_width = 16;
	trained = pcie_link_trained(&dev);
	assert_int_equal(trained.gen, 0);
	assert_int_equal(trained.width, 0);
	dev.why[DEV_LINK_GEN] = dev.why[DEV_LINK_WIDTH] = KNOWN;
	trained = pcie_link_trained(&dev);
	assert_int_equal(trained.gen, 4);
	assert_int_equal(trained.width, 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_lesser_end_decides, make_device),
		cmocka_unit_test_setup(an_end_that_does_not_say_does_not_count, make_device),
		cmocka_unit_test_setup(a_galaxy_wires_fewer_lanes, make_device),
		cmocka_unit_test_setup(without_a_board_or_an_address_both_ends_decide, make_device),
		cmocka_unit_test_setup(what_was_not_read_is_not_trained, make_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
