/*
 * Selects devices as requested on the command line: -i 0  -i 0-3,7  -i 0000:01:00.0  -i 01:00.0
 * -i TT-2f9c…  -i 2F9C2B4A (ASIC id or its prefix)  -i 0100014131904000 (serial)
 * -i /dev/tenstorrent/3  -i tray:2  -i 0R  -i all
 */
#pragma once

#include "model/snapshot.h"

struct selection {
	char **words;
	size_t count;
	bool local; /* exclude chips without PCIe */
};

/* Does it exclude any device? */
static inline bool selection_is_given(const struct selection *selection)
{
	return selection->count || selection->local;
}

/* Adds the words of a comma-separated list. -EINVAL: an empty word; -ENOMEM. */
MUST_CHECK int selection_add(struct selection *selection, const char *list);
void selection_done(struct selection *selection);

/* Does a word other than "all" name devices? */
bool selection_names_devices(const struct selection *selection);

/*
 * Sets keep[] for each device that a word names, or for all if there are no words. Returns 0,
 * -ENODEV if a word names no device, or -ENOTUNIQ if the prefix of an id matches several; *ret_word
 * is that word.
 */
MUST_CHECK int selection_match(const struct selection *selection, const struct snapshot *snapshot,
			       bool *keep, const char **ret_word);
