#include "alloc/device_order.h"

#include "basic/parse.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define CARDS_MAX TABLE_DEVICES
#define PATH_ROOM 512 /* small: the stack is somebody else's */

struct card {
	uint64_t bdf;
	uint32_t node;
};

/* Hexadecimal digits up to a separator, which is stepped over. */
static int field_parse(const char **at, char separator, size_t digits_max, uint64_t max,
		       uint64_t *ret)
{
	char digits[9];
	size_t length = strcspn(*at, ":.");
	uint64_t value;

	if (length == 0 || length > digits_max || (*at)[length] != separator)
		return -EINVAL;
	memcpy(digits, *at, length);
	digits[length] = '\0';
	if (parse_hex(digits, &value) < 0 || value > max)
		return -EINVAL;
	*at += length + (separator != '\0');
	*ret = value;
	return 0;
}

int bdf_parse(const char *text, uint64_t *ret)
{
	uint64_t domain, bus, device, function;

	if (field_parse(&text, ':', 8, UINT32_MAX, &domain) < 0 ||
	    field_parse(&text, ':', 2, 0xff, &bus) < 0 ||
	    field_parse(&text, '.', 2, 0x1f, &device) < 0 ||
	    field_parse(&text, '\0', 1, 7, &function) < 0)
		return -EINVAL;
	*ret = domain << 16 | bus << 8 | device << 3 | function;
	return 0;
}

/* The link to the card's PCI device ends in its address. */
static int card_read(const char *root, uint32_t node, struct card *ret)
{
	char path[PATH_ROOM], target[PATH_ROOM];
	ssize_t length;
	char *name;
	int n;

	n = snprintf(path, sizeof(path), "%s/sys/class/tenstorrent/tenstorrent!%u/device", root,
		     node);
	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;
	length = readlink(path, target, sizeof(target) - 1);
	if (length < 0)
		return -errno;
	target[length] = '\0';
	name = strrchr(target, '/');
	ret->node = node;
	return bdf_parse(name ? name + 1 : target, &ret->bdf);
}

static bool entry_matches(const char *entry, const struct card *card)
{
	uint64_t bdf;
	uint32_t node;

	if (parse_u32(entry, &node) == 0)
		return node == card->node;
	return bdf_parse(entry, &bdf) == 0 && bdf == card->bdf;
}

static bool entry_is_valid(const char *entry)
{
	uint64_t bdf;
	uint32_t node;

	return parse_u32(entry, &node) == 0 || bdf_parse(entry, &bdf) == 0;
}

/* 1 if the list has the card or there is none, 0 if not, -EINVAL if it is no list. */
static int card_is_visible(const struct card *card, const char *visible)
{
	char list[1024], *rest = list, *entry;
	size_t length;
	int found = 0;

	if (!visible)
		return 1;
	length = strlen(visible);
	if (length >= sizeof(list))
		return -EINVAL;
	memcpy(list, visible, length + 1);
	while ((entry = strsep(&rest, ","))) {
		entry += strspn(entry, " ");
		entry[strcspn(entry, " ")] = '\0';
		if (!entry_is_valid(entry))
			return -EINVAL;
		if (entry_matches(entry, card))
			found = 1;
	}
	return found;
}

/* Keeps the cards in order of their addresses: there are few, and mostly in order. */
static void card_insert(struct card *cards, size_t count, const struct card *card)
{
	for (; count > 0 && cards[count - 1].bdf > card->bdf; count--)
		cards[count] = cards[count - 1];
	cards[count] = *card;
}

/* The cards that TT-Metal may use, in order. Returns how many, or -errno. */
static int cards_list(const char *root, const char *visible, struct card cards[CARDS_MAX])
{
	char path[PATH_ROOM];
	struct dirent *entry;
	DIR *directory;
	int count = 0;

	if ((size_t)snprintf(path, sizeof(path), "%s/dev/tenstorrent", root) >= sizeof(path))
		return -ENAMETOOLONG;
	directory = opendir(path);
	if (!directory)
		return -errno;
	while (count >= 0 && count < (int)CARDS_MAX && (entry = readdir(directory))) {
		struct card card = { 0 };
		uint32_t node;
		int r;

		if (parse_u32(entry->d_name, &node) < 0)
			continue; /* "by-id" and the like */
		r = card_read(root, node, &card);
		if (r == 0)
			r = card_is_visible(&card, visible);
		if (r == 1)
			card_insert(cards, (size_t)count++, &card);
		else if (r < 0)
			count = r; /* one card less would shift all others: rather know nothing */
	}
	closedir(directory);
	return count;
}

void device_order_find(const char *root, const char *visible, uint32_t device,
		       struct table_device *ret)
{
	struct card cards[CARDS_MAX];
	int count = cards_list(root, visible, cards);

	*ret = (struct table_device){ 0 };
	if (count < 0 || device >= (uint32_t)count)
		return;
	*ret = (struct table_device){
		.known = TABLE_HAS_NODE | TABLE_HAS_BDF,
		.node = cards[device].node,
		.bdf = cards[device].bdf,
	};
}
