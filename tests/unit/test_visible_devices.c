/*
 * TT_VISIBLE_DEVICES: values, machines and releases, compared with the devices that tt-umd gives.
 */
#include "proto/visible_devices.h"
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Nodes and addresses in different orders, as on a Galaxy after a reset. */
static const struct visible_card machine[] = {
	{ .bdf = 0x0100, .node = 10 }, /* 0000:01:00.0 */
	{ .bdf = 0x8100, .node = 2 },  /* 0000:81:00.0 */
	{ .bdf = 0xc100, .node = 0 },  /* 0000:c1:00.0 */
	{ .bdf = 0xc200, .node = 3 },  /* 0000:c2:00.0 */
};

/* The nodes that a process sees, in its order; "": none, "?": ambiguous. */
static const char *nodes_of(const char *value, enum visible_meaning meaning)
{
	static char text[64];
	struct visible_devices visible;
	int position = 0;

	visible_parse(value, &visible);
	text[0] = '\0';
	for (uint64_t id = 0; position >= 0; id++) {
		position = visible_find(&visible, meaning, machine, ARRAY_SIZE(machine), id);
		if (position == -ENOTUNIQ)
			return "?";
		if (position >= 0)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%u",
				 id ? " " : "", machine[position].node);
	}
	return text;
}

static const struct {
	const char *value;
	const char *since, *before, *unknown; /* v0.68, before it, release not known */
} values[] = {
	{ NULL, "10 2 0 3", "10 2 0 3", "10 2 0 3" },
	/* No token */
	{ "", "", "", "" },
	{ " ", "", "", "" },
	{ ",", "", "", "" },
	{ " , ,\t\r\n,", "", "", "" },
	/* Numbers */
	{ "0", "10", "0", "?" },
	{ "1", "2", "", "?" },
	{ "2", "0", "2", "?" },
	{ "3", "3", "3", "3" },
	{ "10", "", "10", "?" },
	{ "4", "", "", "" },
	{ "003", "3", "3", "3" },
	{ "1023", "", "", "" },
	{ "1024", "", "", "" },
	{ "4294967296", "", "", "" },
	{ "18446744073709551616", "", "", "" },
	/* Order and repetition */
	{ "3,0", "10 3", "0 3", "?" },
	{ "0,3", "10 3", "0 3", "?" },
	{ "0,0,3,0", "10 3", "0 3", "?" },
	{ "0,1,2,3", "10 2 0 3", "", "?" },
	{ "10,3,2,0", "", "10 2 0 3", "?" },
	/* Blanks and empty tokens */
	{ " 3 ", "3", "3", "3" },
	{ "\t2\r\n,,\n3 ,", "0 3", "2 3", "?" },
	{ "1 2", "", "", "" },
	{ "3\v", "", "", "" },
	/* One token without a device invalidates all */
	{ "3,4", "", "", "" },
	{ "3,0000:ff:00.0", "", "", "" },
	/* Addresses */
	{ "0000:81:00.0", "2", "2", "2" },
	{ " 0000:c2:00.0 , 0000:01:00.0", "10 3", "10 3", "10 3" },
	{ "0000:c1:00.0,0000:c1:00.0", "0", "0", "0" },
	{ "0000:C1:00.0", "", "", "" },
	{ "0000:ff:00.0", "", "", "" },
	{ "0000:81:00.0,3", "2 3", "2 3", "2 3" },
	{ "0000:81:00.0,1", "2", "", "?" },
	/* Parts of addresses */
	{ "0000:c", "0 3", "", "?" },
	{ "c1:", "0", "", "?" },
	{ ":00.0", "10 2 0 3", "", "?" },
	{ ".", "10 2 0 3", "", "?" },
	{ "1:00", "10 2 0", "", "?" },
	{ "00.1", "", "", "" },
	{ "00000:01:00.0", "", "", "" },
	{ "0000:01:00.00", "", "", "" },
	{ "00000000:01:00.00", "", "", "" },
	/* Neither a number nor part of an address */
	{ "c1", "", "", "" },
	{ "all", "", "", "" },
	{ "-1", "", "", "" },
	{ "+1", "", "", "" },
	{ "0x1", "", "", "" },
	{ "1;2", "", "", "" },
	{ "0-3", "", "", "" },
	{ "3,none", "", "", "" },
	{ "0000:c1:00.0\xff", "", "", "" },
};

TEST(values_have_the_meaning_of_umd)
{
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		print_message("\"%s\"\n", values[i].value ? values[i].value : "(not set)");
		assert_string_equal(nodes_of(values[i].value, VISIBLE_BY_POSITION),
				    values[i].since);
		assert_string_equal(nodes_of(values[i].value, VISIBLE_BY_NODE), values[i].before);
		assert_string_equal(nodes_of(values[i].value, VISIBLE_BY_EITHER),
				    values[i].unknown);
	}
}

/* What is certain is returned, even if the rest of the list is not. */
TEST(ids_on_which_both_meanings_agree_are_known)
{
	struct visible_devices visible;

	visible_parse("0,3", &visible);
	assert_int_equal(visible_find(&visible, VISIBLE_BY_EITHER, machine, 4, 0), -ENOTUNIQ);
	assert_int_equal(visible_find(&visible, VISIBLE_BY_EITHER, machine, 4, 1), 3);
	assert_int_equal(visible_find(&visible, VISIBLE_BY_EITHER, machine, 4, 2), -ENODEV);
}

TEST(meanings_agree_where_nodes_are_in_pci_order)
{
	static const struct visible_card cards[] = { { 0x0100, 0 }, { 0x0200, 1 }, { 0x0300, 2 } };
	struct visible_devices visible;

	visible_parse("2,1", &visible);
	assert_int_equal(visible_find(&visible, VISIBLE_BY_EITHER, cards, 3, 0), 1);
	assert_int_equal(visible_find(&visible, VISIBLE_BY_EITHER, cards, 3, 1), 2);
	assert_int_equal(visible_find(&visible, VISIBLE_BY_EITHER, cards, 3, 2), -ENODEV);
}

/* The cards have no unique ids here: a single one is certain, several have no known order. */
TEST(an_order_by_unique_ids_is_not_guessed)
{
	static const struct {
		const char *value;
		int expected;
	} cases[] = { { NULL, -ENOTUNIQ },
		      { "0,3", -ENOTUNIQ },
		      { "0", 2 },
		      { "0000:81:00.0", 1 },
		      { "", -ENODEV } };
	enum visible_meaning meaning = visible_meaning_of(false, true);
	struct visible_devices visible;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		visible_parse(cases[i].value, &visible);
		assert_int_equal(visible_find(&visible, meaning, machine, ARRAY_SIZE(machine), 0),
				 cases[i].expected);
	}
	visible_parse("3", &visible);
	assert_int_equal(visible_find(&visible, VISIBLE_BY_EITHER | VISIBLE_ORDER_BY_ID, machine,
				      ARRAY_SIZE(machine), 0),
			 3);
}

static int error_of(const char *value)
{
	struct visible_devices visible;

	visible_parse(value, &visible);
	return visible_find(&visible, VISIBLE_BY_EITHER, machine, ARRAY_SIZE(machine), 0);
}

TEST(errors_say_what_is_wrong)
{
	struct visible_devices visible = { .status = VISIBLE_UNREADABLE };

	assert_int_equal(error_of(""), -ENODEV);
	assert_int_equal(error_of("all"), -EINVAL);
	assert_int_equal(error_of("1024"), -EINVAL);
	assert_int_equal(error_of("4"), -ENODEV);
	assert_int_equal(error_of("0"), -ENOTUNIQ);
	assert_int_equal(visible_find(&visible, VISIBLE_BY_EITHER, machine, 4, 0), -EACCES);
}

/* The given number of different parts of addresses: "0000:00", "0000:01" and so on. */
static char *patterns_make(unsigned count, unsigned times)
{
	char *text = malloc((size_t)count * times * 8 + 1), *at = text;

	assert_non_null(text);
	*at = '\0';
	for (unsigned i = 0; i < count * times; i++)
		at += sprintf(at, "0000:%02x,", i % count);
	return text;
}

TEST(the_stored_part_of_a_value_is_bounded)
{
	struct visible_devices visible;
	char *text = patterns_make(VISIBLE_PATTERNS, 8);

	/* 512 tokens, of which 64 are different */
	visible_parse(text, &visible);
	assert_int_equal(visible.status, VISIBLE_LIST);
	assert_int_equal(visible.n_patterns, VISIBLE_PATTERNS);
	free(text);
	text = patterns_make(VISIBLE_PATTERNS + 1, 1);
	visible_parse(text, &visible);
	assert_int_equal(visible.status, VISIBLE_TOO_LONG);
	assert_int_equal(visible.n_patterns, 0);
	free(text);
}

TEST(five_hundred_addresses_are_parsed)
{
	char text[VISIBLE_LENGTH_MAX + 1] = "";

	for (unsigned i = 0; i < 500; i++)
		strcat(text, i % 2 ? "0000:81:00.0, " : "0000:c2:00.0, ");
	assert_string_equal(nodes_of(text, VISIBLE_BY_EITHER), "2 3");
}

/* The pages after the limit cannot be read: accessing them would crash the program. */
TEST(bytes_beyond_the_limit_are_not_read)
{
	const size_t size = 2 << 20, page = (size_t)sysconf(_SC_PAGESIZE);
	size_t seen = (VISIBLE_LENGTH_MAX + page) / page * page;
	char *text = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct visible_devices visible;

	assert_ptr_not_equal(text, MAP_FAILED);
	memset(text, '3', seen);
	assert_int_equal(mprotect(text + seen, size - seen, PROT_NONE), 0);
	visible_parse(text + seen - VISIBLE_LENGTH_MAX - 1, &visible);
	assert_int_equal(visible.status, VISIBLE_TOO_LONG);
	text[seen - 1] = '\0';
	visible_parse(text + seen - VISIBLE_LENGTH_MAX - 1, &visible);
	assert_int_equal(visible.status, VISIBLE_MALFORMED); /* whole, but no such number */
	munmap(text, size);
}

TEST(sixty_four_devices_are_numbered)
{
	struct visible_card cards[VISIBLE_CARDS];
	struct visible_devices visible;

	for (uint32_t i = 0; i < VISIBLE_CARDS; i++)
		cards[i] = (struct visible_card){ .bdf = (i + 1) << 8, .node = 63 - i };
	visible_parse(NULL, &visible);
	assert_int_equal(visible_find(&visible, VISIBLE_BY_EITHER, cards, VISIBLE_CARDS, 63), 63);
	assert_int_equal(visible_find(&visible, VISIBLE_BY_EITHER, cards, VISIBLE_CARDS, 64),
			 -ENODEV);
	visible_parse("63,0", &visible);
	assert_int_equal(visible_find(&visible, VISIBLE_BY_EITHER, cards, VISIBLE_CARDS, 1), 63);
	visible_parse("62", &visible);
	assert_int_equal(visible_find(&visible, VISIBLE_BY_NODE, cards, VISIBLE_CARDS, 0), 1);
}

TEST(address_is_parsed_whole_or_not_at_all)
{
	static const char *const bad[] = { "",
					   "0000",
					   "0000:01:00",
					   "0000:01:00.",
					   "0000:001:00.0",
					   "0000:01:20.0",
					   "0000:01:00.8",
					   "0000:01:00.0x",
					   "0000:01:00.\n",
					   "0000:\n:00.0",
					   "000\n:01:00.0",
					   ":01:00.0",
					   "000000001:01:00.0",
					   "0x00:01:00.0",
					   "0000:01.00:0" };
	char text[PCI_ADDRESS_SIZE];
	uint64_t address;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(pci_address_parse(bad[i], &address), -EINVAL);
	assert_int_equal(pci_address_parse("10000:E1:1f.7", &address), 0);
	assert_int_equal(address, UINT64_C(0x10000e1ff));
	pci_address_format(address, text);
	assert_string_equal(text, "10000:e1:1f.7");
	pci_address_format(UINT64_C(0xffffffffffff), text);
	assert_string_equal(text, "ffffffff:ff:1f.7");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_have_the_meaning_of_umd),
		cmocka_unit_test(ids_on_which_both_meanings_agree_are_known),
		cmocka_unit_test(meanings_agree_where_nodes_are_in_pci_order),
		cmocka_unit_test(an_order_by_unique_ids_is_not_guessed),
		cmocka_unit_test(errors_say_what_is_wrong),
		cmocka_unit_test(the_stored_part_of_a_value_is_bounded),
		cmocka_unit_test(five_hundred_addresses_are_parsed),
		cmocka_unit_test(bytes_beyond_the_limit_are_not_read),
		cmocka_unit_test(sixty_four_devices_are_numbered),
		cmocka_unit_test(address_is_parsed_whole_or_not_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
