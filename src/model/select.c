#include "model/select.h"

#include "basic/parse.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

int selection_add(struct selection *selection, const char *list)
{
	while (true) {
		size_t length = strcspn(list, ",");
		char **grown, *word;

		if (length == 0)
			return -EINVAL;
		grown = reallocarray(selection->words, selection->count + 1, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		selection->words = grown;
		word = strndup(list, length);
		if (!word)
			return -ENOMEM;
		selection->words[selection->count++] = word;
		if (!list[length])
			return 0;
		list += length + 1;
	}
}

void selection_done(struct selection *selection)
{
	for (size_t i = 0; i < selection->count; i++)
		free(selection->words[i]);
	free(selection->words);
	*selection = (struct selection){ 0 };
}

/* "3" or "0-3". A decimal number of more than three digits is more likely an id. */
static bool word_is_range(const char *word, uint32_t *ret_first, uint32_t *ret_last)
{
	const char *dash = strchr(word, '-');
	char first[4] = { 0 };
	size_t length = dash ? (size_t)(dash - word) : strlen(word);

	if (length == 0 || length >= sizeof(first))
		return false;
	memcpy(first, word, length);
	if (parse_u32(first, ret_first) < 0)
		return false;
	if (!dash)
		*ret_last = *ret_first;
	else if (strlen(dash + 1) >= sizeof(first) || parse_u32(dash + 1, ret_last) < 0)
		return false;
	return true;
}

/* The address, with the domain, the function or both optionally omitted. */
static bool word_is_bdf(const char *word, const struct device *dev)
{
	const char *tail = strchr(dev->bdf, ':');
	size_t length = strlen(word);

	if (!device_knows(dev, DEV_BDF) || !tail || !strchr(word, ':'))
		return false;
	tail++;
	return strcasecmp(word, dev->bdf) == 0 || strcasecmp(word, tail) == 0 ||
	       (strncasecmp(word, tail, length) == 0 && tail[length] == '.');
}

static bool id_begins(uint64_t id, const char *word)
{
	char text[17];

	snprintf(text, sizeof(text), "%016llX", (unsigned long long)id);
	return strlen(word) <= 16 && strncasecmp(text, word, strlen(word)) == 0;
}

/* The rest of the word after a prefix; NULL if it does not have it. */
static const char *after(const char *word, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncasecmp(word, prefix, length) == 0 ? word + length : NULL;
}

/* The chip's number, node or tray. */
static bool word_names_place(const char *word, const struct device *dev)
{
	uint32_t first, last, tray;
	const char *rest;

	if (strcasecmp(word, "all") == 0 || strcasecmp(word, dev->id) == 0)
		return true;
	if ((rest = after(word, "/dev/tenstorrent/")) && strcmp(rest, dev->id) == 0)
		return true;
	if ((rest = after(word, "tray:")))
		return parse_u32(rest, &tray) == 0 && device_knows(dev, DEV_TRAY) &&
		       (uint32_t)dev->tray == tray;
	if (device_has_node(dev) && word_is_range(word, &first, &last))
		return first <= dev->index && dev->index <= last;
	return word_is_bdf(word, dev);
}

static bool word_is_serial(const char *word, const struct device *dev)
{
	const char *rest = after(word, "serial:");

	if (!device_knows(dev, DEV_SERIAL))
		return false;
	rest = rest ? rest : word;
	return strlen(rest) == 16 && id_begins(dev->serial, rest);
}

/* An ASIC id or its prefix, at least four digits. */
static bool word_is_asic(const char *word, const struct device *dev)
{
	const char *rest = after(word, "TT-");
	const char *by_id = strstr(word, "/by-id/");

	if (!device_knows(dev, DEV_ASIC_ID))
		return false;
	if (!rest && by_id && (rest = strchr(by_id, '-')))
		rest = strchr(rest + 1, '-') ? strchr(rest + 1, '-') + 1 : NULL;
	rest = rest ? rest : word;
	return strlen(rest) >= 4 && id_begins(dev->asic_id, rest);
}

static int match_word(const char *word, const struct snapshot *snapshot, bool *keep)
{
	unsigned places = 0, ids = 0;

	for (size_t i = 0; i < snapshot->n_devices; i++) {
		const struct device *dev = &snapshot->devices[i];

		if (word_names_place(word, dev) || word_is_serial(word, dev)) {
			keep[i] = true;
			places++;
		}
	}
	if (places)
		return 0;
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		if (word_is_asic(word, &snapshot->devices[i])) {
			keep[i] = true;
			ids++;
		}
	}
	return ids == 1 ? 0 : ids ? -ENOTUNIQ : -ENODEV;
}

bool selection_names_devices(const struct selection *selection)
{
	for (size_t i = 0; i < selection->count; i++)
		if (strcasecmp(selection->words[i], "all") != 0)
			return true;
	return false;
}

int selection_match(const struct selection *selection, const struct snapshot *snapshot, bool *keep,
		    const char **ret_word)
{
	for (size_t i = 0; i < selection->count; i++) {
		int r = match_word(selection->words[i], snapshot, keep);

		if (r < 0) {
			*ret_word = selection->words[i];
			return r;
		}
	}
	for (size_t i = 0; i < snapshot->n_devices; i++)
		keep[i] = (keep[i] || !selection->count) &&
			  !(selection->local && snapshot->devices[i].remote);
	return 0;
}
