/* Which card a logical number means: trees of device nodes in a temporary directory. */
#include "reader.h"

#include "alloc/device_order.h"

#include <ftw.h>

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

/* The node of a logical device, -1 if it is not known. */
static int node_of(uint32_t device, const char *visible)
{
	struct table_device card;

	device_order_find(root, visible, device, &card);
	if (!card.known)
		return -1;
	assert_int_equal(card.known, TABLE_HAS_NODE | TABLE_HAS_BDF);
	return (int)card.node;
}

/* Fault 57: logical ids were taken for node numbers. */
static void order_is_that_of_pci_addresses(void **state)
{
	struct table_device card;

	(void)state;
	assert_int_equal(node_of(0, NULL), 10);
	assert_int_equal(node_of(1, NULL), 2);
	assert_int_equal(node_of(2, NULL), 0);
	assert_int_equal(node_of(3, NULL), -1);
	device_order_find(root, NULL, 1, &card);
	assert_int_equal(card.bdf, 0x8100);
}

static void only_visible_cards_are_numbered(void **state)
{
	(void)state;
	assert_int_equal(node_of(0, "0"), 0);
	assert_int_equal(node_of(1, "0"), -1);
	assert_int_equal(node_of(0, "0,2"), 2);
	assert_int_equal(node_of(1, "0, 2"), 0);
	assert_int_equal(node_of(0, "0000:81:00.0"), 2);
	assert_int_equal(node_of(0, "0000:ff:00.0"), -1);
}

/* A list we cannot understand could mean any card: none is better than a wrong one. */
static void list_not_understood_gives_no_card(void **state)
{
	(void)state;
	assert_int_equal(node_of(0, ""), -1);
	assert_int_equal(node_of(0, "0,,2"), -1);
	assert_int_equal(node_of(0, "all"), -1);
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
	struct table_device card;

	(void)state;
	device_order_find("/nonexistent", NULL, 0, &card);
	assert_int_equal(card.known, 0);
}

static void address_is_parsed_whole_or_not_at_all(void **state)
{
	static const char *const bad[] = { "",
					   "0000",
					   "0000:01:00",
					   "0000:01:00.",
					   "0000:001:00.0",
					   "0000:01:20.0",
					   "0000:01:00.8",
					   "0000:01:00.0x",
					   ":01:00.0",
					   "000000001:01:00.0",
					   "0x00:01:00.0",
					   "0000:01.00:0" };
	uint64_t bdf;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(bdf_parse(bad[i], &bdf), -EINVAL);
	assert_int_equal(bdf_parse("10000:E1:1f.7", &bdf), 0);
	assert_int_equal(bdf, UINT64_C(0x10000e1ff));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, tree_make, tree_remove)
	const struct CMUnitTest tests[] = {
		TEST(order_is_that_of_pci_addresses),
		TEST(only_visible_cards_are_numbered),
		TEST(list_not_understood_gives_no_card),
		TEST(card_without_address_gives_no_order),
		cmocka_unit_test(no_driver_gives_no_card),
		cmocka_unit_test(address_is_parsed_whole_or_not_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
