#include "alloc/device_order.h"

#include "basic/parse.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PATH_ROOM 512 /* small, since the host program chooses the size of the stack */

/* The link to the card's PCI device ends in its address. */
static int card_read(const char *root, uint32_t node, struct visible_card *ret)
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
	return pci_address_parse(name ? name + 1 : target, &ret->bdf);
}

/* Insertion sort by address: there are few cards, mostly in order. */
static void card_insert(struct visible_card *cards, size_t count, const struct visible_card *card)
{
	for (; count > 0 && cards[count - 1].bdf > card->bdf; count--)
		cards[count] = cards[count - 1];
	cards[count] = *card;
}

/* All cards with a node, in order. Returns their number, or -errno. */
static int cards_list(const char *root, struct visible_card cards[VISIBLE_CARDS])
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
	while (count >= 0 && (entry = readdir(directory))) {
		struct visible_card card = { 0 };
		uint32_t node;
		int r;

		if (parse_u32(entry->d_name, &node) < 0)
			continue; /* "by-id" and the like */
		r = count < VISIBLE_CARDS ? card_read(root, node, &card) : -E2BIG;
		if (r == 0)
			card_insert(cards, (size_t)count++, &card);
		else
			count = r; /* a missing card would shift the numbers of the others */
	}
	closedir(directory);
	return count;
}

void device_order_find(const char *root, const struct visible_devices *visible,
		       enum visible_meaning meaning, uint32_t device, struct table_device *ret)
{
	struct visible_card cards[VISIBLE_CARDS];
	int count = cards_list(root, cards), at;

	*ret = (struct table_device){ 0 };
	if (count < 0)
		return;
	at = visible_find(visible, meaning, cards, (size_t)count, device);
	if (at < 0)
		return;
	*ret = (struct table_device){
		.known = TABLE_HAS_NODE | TABLE_HAS_BDF,
		.node = cards[at].node,
		.bdf = cards[at].bdf,
	};
}
