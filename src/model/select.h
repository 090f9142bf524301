/*
 * Which devices a person means: -i 0  -i 0-3,7  -i 0000:01:00.0  -i 01:00.0
 * -i TT-2f9c…  -i 2F9C2B4A (ASIC id or its beginning)  -i 0100014131904000 (serial)
 * -i /dev/tenstorrent/3  -i tray:2  -i 0R  -i all
 */
#pragma once

#include "model/snapshot.h"

struct selection {
	char **words;
	size_t count;
	bool local; /* without chips that have no PCIe */
};

/* Does it leave anything out? */
static inline bool selection_is_given(const struct selection *selection)
{
	return selection->count || selection->local;
}

/* Adds the words of a comma-separated list. -EINVAL: an empty word; -ENOMEM. */
MUST_CHECK int selection_add(struct selection *selection, const char *list);
void selection_done(struct selection *selection);

/* Does a word ask for certain devices? "all" does not. */
bool selection_names_devices(const struct selection *selection);

/*
 * Sets keep[] for each device that a word names, or for all without words. Returns 0, or -ENODEV if
 * a word names none, -ENOTUNIQ if the beginning of an id fits several; *ret_word is it.
 */
MUST_CHECK int selection_match(const struct selection *selection, const struct snapshot *snapshot,
			       bool *keep, const char **ret_word);
