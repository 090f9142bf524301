/* Which device TT-Metal's logical number of a process refers to, on a handmade machine. */
#include "source/identity.h"
#include "unit.h"

#include <stdio.h>

/*
 * The order of nodes differs from that of addresses. Nodes 2 and 3 have a second chip each, so the
 * devices in the snapshot are nodes 0, 1 and 2, chip 2R, node 3, and chip 3R.
 */
static const struct {
	uint32_t node;
	const char *bdf;
} cards[] = {
	{ 0, "0000:c1:00.0" },
	{ 1, "10000:01:00.0" },
	{ 2, "0000:01:00.0" },
	{ 3, "0000:81:00.0" },
};

static struct snapshot *machine;
static struct process *process;

static int make_machine(void **state)
{
	(void)state;
	if (snapshot_new(&machine) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(cards); i++) {
		struct device dev;

		device_init(&dev, cards[i].node);
		snprintf(dev.bdf, sizeof(dev.bdf), "%s", cards[i].bdf);
		dev.why[DEV_BDF] = KNOWN;
		if (!snapshot_add_device(machine, &dev))
			return -1;
	}
	for (uint32_t gateway = 2; gateway <= 3; gateway++) {
		struct device dev;

		device_init(&dev, gateway);
		dev.remote = true;
		dev.gateway = gateway;
		if (!snapshot_add_device(machine, &dev))
			return -1;
	}
	process = snapshot_add_process(machine, 10);
	return process ? 0 : -1;
}

static int free_machine(void **state)
{
	(void)state;
	machine = snapshot_free(machine);
	return 0;
}

static void hold(uint64_t devices)
{
	for (size_t i = 0; i < machine->n_devices; i++)
		if (devices >> i & 1)
			assert_non_null(process_use(process, i));
}

/* Positions in the snapshot of the process's chips, one after the other; -1 at the end. */
static void expect(const int *chips)
{
	for (uint64_t id = 0; id == 0 || chips[id - 1] >= 0; id++) {
		size_t device = SIZE_MAX;
		bool known = identity_logical(machine, process, id, &device);

		assert_int_equal(known ? (int)device : -1, chips[id]);
	}
}

#define EXPECT(...) expect((const int[]){ __VA_ARGS__, -1 })

TEST(addresses_are_ordered_numerically)
{
	struct identity_order order;

	identity_order(machine, &order);
	assert_true(order.complete);
	assert_int_equal(order.count, 4);
	assert_int_equal(order.at[0], 2);
	assert_int_equal(order.at[1], 4);
	assert_int_equal(order.at[2], 0);
	assert_int_equal(order.at[3], 1);
	assert_int_equal(order.cards[3].node, 1);
	assert_int_equal(order.cards[3].bdf, UINT64_C(0x100000100));
}

TEST(without_a_list_held_devices_count)
{
	hold(0x17);
	EXPECT(2, 4, 0, 1, 3, 5);
}

TEST(a_process_may_hold_some_of_the_devices)
{
	hold(1 << 0 | 1 << 4);
	EXPECT(4, 0, 5);
}

TEST(a_list_takes_precedence_over_held_devices)
{
	hold(1 << 0 | 1 << 4);
	process->n_visible = 1;
	process->visible[0] = 0x7; /* the first three addresses */
	EXPECT(2, 4, 0, 3, 5);
}

TEST(a_single_held_device_is_used_whatever_the_list)
{
	hold(1 << 1);
	process->n_visible = 1;
	process->visible[0] = 0x3;
	process->visible_why = DEVICE_LIST_MISMATCH;
	for (uint64_t id = 0; id < TABLE_DEVICES; id++) {
		size_t device = SIZE_MAX;

		assert_true(identity_logical(machine, process, id, &device));
		assert_int_equal(device, 1);
	}
}

TEST(a_board_of_two_chips_has_two_numbers)
{
	hold(1 << 2);
	EXPECT(2, 3);
}

TEST(chips_on_which_two_answers_agree_are_known)
{
	size_t device;

	hold(0x17);
	process->n_visible = 2;
	process->visible[0] = 0x5; /* 2 and 0, then 2R */
	process->visible[1] = 0x6; /* 4 and 0, then 3R */
	process->visible_why = DEVICE_LIST_AMBIGUOUS;
	assert_false(identity_logical(machine, process, 0, &device));
	assert_true(identity_logical(machine, process, 1, &device));
	assert_int_equal(device, 0);
	assert_false(identity_logical(machine, process, 2, &device));
	process->visible[1] = 0; /* in the other kind of release the list is invalid */
	assert_false(identity_logical(machine, process, 1, &device));
}

TEST(an_invalid_list_identifies_no_device)
{
	static const enum reason reasons[] = { DEVICE_LIST_INVALID, DEVICE_LIST_MISMATCH,
					       DEVICE_LIST_AMBIGUOUS };
	size_t device;

	hold(0x17);
	process->n_visible = 1;
	process->visible[0] = 0xf;
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++) {
		process->visible_why = reasons[i];
		assert_false(identity_logical(machine, process, 0, &device));
	}
}

TEST(a_device_without_address_makes_the_order_unknown)
{
	struct identity_order order;
	size_t device;

	machine->devices[4].why[DEV_BDF] = READ_ERROR;
	identity_order(machine, &order);
	assert_false(order.complete);
	assert_int_equal(order.count, 3);
	hold(0x3);
	assert_false(identity_logical(machine, process, 0, &device));
}

TEST(identity_by_address_is_exact)
{
	const struct table_device wanted = { .known = TABLE_HAS_BDF, .bdf = 0x8100 };
	const struct table_device other = { .known = TABLE_HAS_BDF, .bdf = 0x8200 };
	size_t device;

	assert_true(identity_find(machine, &wanted, &device));
	assert_int_equal(device, 4);
	assert_false(identity_find(machine, &other, &device));
}

/* Serials and unique ids of the PCIe devices, by node, and what boards they are. */
static void identify(const char *board, const uint64_t serials[4], const uint64_t asics[4])
{
	for (size_t i = 0; i < machine->n_devices; i++) {
		struct device *dev = &machine->devices[i];
		uint32_t node = dev->remote ? dev->gateway : dev->index;

		dev->type = board_by_name(board);
		assert_non_null(dev->type);
		dev->arch = dev->type->arch;
		dev->serial = serials[node];
		dev->asic_id = asics[node];
		dev->why[DEV_SERIAL] = dev->why[DEV_ASIC_ID] = KNOWN;
	}
}

/* Numbers of nodes in the order of addresses: 2, 3, 0, 1. */
static const uint64_t like_addresses[4] = { 0x100001461190302c, 0x100001461190302d,
					    0x100001461190302a, 0x100001461190302b };
static const uint64_t like_nodes[4] = { 0x100001461190302a, 0x100001461190302b, 0x100001461190302c,
					0x100001461190302d };

TEST(ids_in_the_order_of_addresses_change_no_number)
{
	hold(0x17);
	identify("n300", like_addresses, like_nodes); /* Wormhole's ids are not those of the ASIC */
	assert_true(identity_orders_agree(machine, process));
	identify("n300", like_nodes, like_addresses);
	assert_false(identity_orders_agree(machine, process));
}

TEST(blackhole_chips_have_two_kinds_of_ids)
{
	hold(1 << 0 | 1 << 1 | 1 << 4);
	identify("p150a", like_addresses, like_addresses);
	assert_true(identity_orders_agree(machine, process));
	identify("p150a", like_addresses, like_nodes);
	assert_false(identity_orders_agree(machine, process));
	identify("p150a", like_nodes, like_addresses);
	assert_false(identity_orders_agree(machine, process));
}

TEST(an_unknown_id_makes_the_order_unknown)
{
	hold(1 << 0 | 1 << 4);
	identify("p150a", like_addresses, like_addresses);
	assert_true(identity_orders_agree(machine, process));
	machine->devices[4].why[DEV_ASIC_ID] = READ_ERROR;
	assert_false(identity_orders_agree(machine, process));
	identify("n150", like_addresses, like_addresses);
	assert_true(identity_orders_agree(machine, process));
	machine->devices[0].why[DEV_SERIAL] = READ_ERROR;
	assert_false(identity_orders_agree(machine, process));
}

/* Chips of a tray share its number: how Ethernet firmware numbers them is unknown. */
TEST(equal_ids_have_no_order)
{
	static const uint64_t same[4] = { 7, 7, 7, 7 };

	hold(1 << 0 | 1 << 1);
	identify("n150", same, like_addresses);
	assert_false(identity_orders_agree(machine, process));
}

TEST(only_the_chips_of_the_process_are_compared)
{
	hold(1 << 0 | 1 << 1);
	identify("n150", like_nodes, like_nodes);
	assert_true(identity_orders_agree(machine, process)); /* 0 and 1 are in order */
	process->n_visible = 1;
	process->visible[0] = 0xf;
	assert_false(identity_orders_agree(machine, process));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, make_machine, free_machine)
	const struct CMUnitTest tests[] = {
		CASE(addresses_are_ordered_numerically),
		CASE(without_a_list_held_devices_count),
		CASE(a_process_may_hold_some_of_the_devices),
		CASE(a_list_takes_precedence_over_held_devices),
		CASE(a_single_held_device_is_used_whatever_the_list),
		CASE(a_board_of_two_chips_has_two_numbers),
		CASE(chips_on_which_two_answers_agree_are_known),
		CASE(an_invalid_list_identifies_no_device),
		CASE(a_device_without_address_makes_the_order_unknown),
		CASE(identity_by_address_is_exact),
		CASE(ids_in_the_order_of_addresses_change_no_number),
		CASE(blackhole_chips_have_two_kinds_of_ids),
		CASE(an_unknown_id_makes_the_order_unknown),
		CASE(equal_ids_have_no_order),
		CASE(only_the_chips_of_the_process_are_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
