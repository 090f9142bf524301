/*
 * Which card a logical device number refers to, on trees of device nodes in a temporary directory.
 */
#include "reader.h"

#include "alloc/device_order.h"
#include "alloc/release.h"
#include "ttalloc.h"

#include <dlfcn.h>
#include <ftw.h>
#include <stdlib.h>

static char root[64];

static void tree_mkdir(const char *path)
{
	char full[512], *slash;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (slash = full + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(full, 0755);
		*slash = '/';
	}
	mkdir(full, 0755);
}

static void card_put(unsigned node, const char *bdf)
{
	char path[128], target[128], full[512];
	FILE *file;

	snprintf(path, sizeof(path), "sys/class/tenstorrent/tenstorrent!%u", node);
	tree_mkdir(path);
	snprintf(full, sizeof(full), "%s/%s/device", root, path);
	snprintf(target, sizeof(target), "../../../%s", bdf);
	assert_int_equal(symlink(target, full), 0);
	snprintf(full, sizeof(full), "%s/dev/tenstorrent/%u", root, node);
	file = fopen(full, "w");
	assert_non_null(file);
	fclose(file);
}

/* Nodes and addresses in different orders, as on a Galaxy. */
static int tree_make(void **state)
{
	(void)state;
	strcpy(root, "/tmp/ttalloc-order-XXXXXX");
	if (!mkdtemp(root))
		return -1;
	tree_mkdir("dev/tenstorrent/by-id");
	card_put(10, "0000:01:00.0");
	card_put(0, "0000:c1:00.0");
	card_put(2, "0000:81:00.0");
	return 0;
}

static int entry_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static int tree_remove(void **state)
{
	(void)state;
	return nftw(root, entry_remove, 8, FTW_DEPTH | FTW_PHYS);
}

/* The node of a logical device; -1: unknown. */
static int node_in(uint32_t device, const char *value, enum visible_meaning meaning)
{
	struct visible_devices visible;
	struct table_device card;

	visible_parse(value, &visible);
	device_order_find(root, &visible, meaning, device, &card);
	if (!card.known)
		return -1;
	assert_int_equal(card.known, TABLE_HAS_NODE | TABLE_HAS_BDF);
	return (int)card.node;
}

static int node_of(uint32_t device, const char *value)
{
	return node_in(device, value, VISIBLE_BY_EITHER);
}

/* Fault of the original server: logical ids were taken for node numbers. */
static void order_is_that_of_pci_addresses(void **state)
{
	const struct visible_devices all = { .status = VISIBLE_UNSET };
	struct table_device card;

	(void)state;
	assert_int_equal(node_of(0, NULL), 10);
	assert_int_equal(node_of(1, NULL), 2);
	assert_int_equal(node_of(2, NULL), 0);
	assert_int_equal(node_of(3, NULL), -1);
	device_order_find(root, &all, VISIBLE_BY_EITHER, 1, &card);
	assert_int_equal(card.bdf, 0x8100);
}

static void only_visible_cards_are_numbered(void **state)
{
	(void)state;
	assert_int_equal(node_of(0, "0000:81:00.0"), 2);
	assert_int_equal(node_of(1, "0000:81:00.0"), -1);
	assert_int_equal(node_of(1, "0000:c1:00.0, 0000:81:00.0"), 0);
	assert_int_equal(node_of(0, "0000:ff:00.0"), -1);
}

static void numbers_mean_what_the_release_makes_of_them(void **state)
{
	(void)state;
	assert_int_equal(node_in(0, "0", VISIBLE_BY_POSITION), 10);
	assert_int_equal(node_in(0, "0", VISIBLE_BY_NODE), 0);
	assert_int_equal(node_of(0, "0"), -1);
	assert_int_equal(node_in(1, "0,2", VISIBLE_BY_POSITION), 0);
	assert_int_equal(node_in(0, "0,2", VISIBLE_BY_NODE), 2);
	assert_int_equal(node_of(1, "0,2"), 0);	 /* the same card by both meanings */
	assert_int_equal(node_of(0, "0,2"), -1); /* the meanings differ */
}

/* An invalid list could mean any card, so no card is reported. */
static void list_not_understood_gives_no_card(void **state)
{
	(void)state;
	assert_int_equal(node_of(0, ""), -1);
	assert_int_equal(node_of(0, "0000:81:00.0;0000:c1:00.0"), -1);
	assert_int_equal(node_of(0, "all"), -1);
}

/* More cards than are numbered: which of them come first is unknown. */
static void too_many_cards_give_no_order(void **state)
{
	char bdf[16];

	(void)state;
	for (unsigned i = 0; i < VISIBLE_CARDS - 3; i++) {
		snprintf(bdf, sizeof(bdf), "0000:d0:%02x.%x", i / 8, i % 8);
		card_put(100 + i, bdf);
	}
	assert_int_equal(node_of(0, NULL), 10);
	card_put(200, "0000:d1:00.0");
	assert_int_equal(node_of(0, NULL), -1);
}

static void card_without_address_gives_no_order(void **state)
{
	char full[512];

	(void)state;
	snprintf(full, sizeof(full), "%s/sys/class/tenstorrent/tenstorrent!2/device", root);
	assert_int_equal(unlink(full), 0);
	assert_int_equal(node_of(0, NULL), -1);
}

static void no_driver_gives_no_card(void **state)
{
	const struct visible_devices all = { .status = VISIBLE_UNSET };
	struct table_device card;

	(void)state;
	device_order_find("/nonexistent", &all, VISIBLE_BY_EITHER, 0, &card);
	assert_int_equal(card.known, 0);
}

/* Loads a library with the symbols of a release with RTLD_LOCAL, as Python does. */
static void *release_load(const char *name)
{
	char path[512];
	void *handle;

	snprintf(path, sizeof(path), METAL_FOLDER "/%s", name);
	handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	if (!handle)
		fprintf(stderr, "%s\n", dlerror());
	CHECK(handle);
	return handle;
}

static void meaning_is_that_of_the_loaded_release_body(void)
{
	static const struct {
		const char *library;
		enum visible_meaning meaning;
	} releases[] = {
		{ "v56", VISIBLE_BY_NODE },
		{ "v57", VISIBLE_BY_NODE | VISIBLE_ORDER_BY_ID },
		{ "v60", VISIBLE_BY_NODE | VISIBLE_ORDER_BY_ID },
		{ "v66", VISIBLE_BY_NODE | VISIBLE_ORDER_BY_ID },
		{ "v68", VISIBLE_BY_POSITION },
		{ "v70", VISIBLE_BY_POSITION },
		{ "v77", VISIBLE_BY_POSITION },
		{ "stripped", VISIBLE_BY_POSITION },
		{ "unknown", VISIBLE_BY_EITHER },
	};

	for (size_t i = 0; i < ARRAY_SIZE(releases); i++) {
		void *handle;

		CHECK_EQUAL(release_meaning(), VISIBLE_BY_EITHER);
		handle = release_load(releases[i].library);
		CHECK_EQUAL(release_meaning(), releases[i].meaning);
		dlclose(handle);
	}
	release_load("v66");
	release_load("v77");
	CHECK_EQUAL(release_meaning(), VISIBLE_BY_EITHER | VISIBLE_ORDER_BY_ID); /* they disagree */
}
ISOLATED(meaning_is_that_of_the_loaded_release)

/* The node of device 0 in the table of this process, -1 if it has none. */
static int reported_node(void)
{
	struct table_device card;
	struct reader reader;

	CHECK_EQUAL(ttalloc_report_alloc(0, TTALLOC_DRAM, 1, 100), 0);
	CHECK_EQUAL(reader_open(&reader, getpid()), 0);
	CHECK_EQUAL(table_read_device(&reader.view, 0, &card), 0);
	reader_done(&reader);
	return card.known & TABLE_HAS_NODE ? (int)card.node : -1;
}

static void environment_set(const char *visible)
{
	setenv("TT_SMI_ROOT", root, 1);
	setenv("TT_VISIBLE_DEVICES", visible, 1);
	unsetenv("TT_ALLOC_TRACKING_ENABLED");
}

static void number_in_an_old_release_is_a_node_body(void)
{
	environment_set("0");
	release_load("v66");
	CHECK_EQUAL(reported_node(), 0);
}
ISOLATED(number_in_an_old_release_is_a_node)

/* The release may use unique ids, which the reader of the table knows. */
static void order_of_an_old_release_is_not_guessed_body(void)
{
	environment_set("0,2");
	release_load("v66");
	CHECK_EQUAL(reported_node(), -1);
}
ISOLATED(order_of_an_old_release_is_not_guessed)

static void number_in_a_new_release_is_a_position_body(void)
{
	environment_set("0");
	release_load("v68");
	CHECK_EQUAL(reported_node(), 10);
}
ISOLATED(number_in_a_new_release_is_a_position)

static void number_without_a_release_is_not_guessed_body(void)
{
	environment_set("0");
	CHECK_EQUAL(reported_node(), -1);
}
ISOLATED(number_without_a_release_is_not_guessed)

static void address_needs_no_release_body(void)
{
	environment_set("0000:81:00.0");
	CHECK_EQUAL(reported_node(), 2);
}
ISOLATED(address_needs_no_release)

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, tree_make, tree_remove)
	const struct CMUnitTest tests[] = {
		TEST(order_is_that_of_pci_addresses),
		TEST(only_visible_cards_are_numbered),
		TEST(numbers_mean_what_the_release_makes_of_them),
		TEST(list_not_understood_gives_no_card),
		TEST(too_many_cards_give_no_order),
		TEST(card_without_address_gives_no_order),
		cmocka_unit_test(no_driver_gives_no_card),
		cmocka_unit_test(meaning_is_that_of_the_loaded_release),
		TEST(number_in_an_old_release_is_a_node),
		TEST(order_of_an_old_release_is_not_guessed),
		TEST(number_in_a_new_release_is_a_position),
		TEST(number_without_a_release_is_not_guessed),
		TEST(address_needs_no_release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
