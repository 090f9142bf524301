#include "tui/fleet.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void fleet_done(struct fleet *fleet)
{
	free(fleet->entries);
	free(fleet->order);
	free(fleet->groups);
	*fleet = (struct fleet){ 0 };
}

bool device_is_frozen(const struct device *dev)
{
	return dev->condition == DEVICE_OK && device_knows(dev, DEV_ALIVE) && !dev->alive;
}

bool device_is_troubled(const struct device *dev)
{
	switch (dev->condition) {
	case DEVICE_RESETTING:
	case DEVICE_TIMED_OUT:
	case DEVICE_NOT_ANSWERING:
	case DEVICE_LOST: return true;
	case DEVICE_NO_DRIVER:
	case DEVICE_OTHER_DRIVER: return device_has_node(dev); /* it was served a moment ago */
	case DEVICE_OK:
	case DEVICE_NO_TELEMETRY:
	case DEVICE_UNREADABLE: break;
	}
	return device_is_frozen(dev);
}

static struct fleet_entry *find_entry(const struct fleet *fleet, const struct device *dev)
{
	for (size_t i = 0; i < fleet->count; i++)
		if (fleet->entries[i].last.index == dev->index &&
		    fleet->entries[i].last.remote == dev->remote)
			return &fleet->entries[i];
	return NULL;
}

static int remember(struct fleet *fleet, const struct device *dev, int64_t now_ns)
{
	struct fleet_entry *entry = find_entry(fleet, dev), *grown;

	if (device_is_troubled(dev))
		return 0;
	if (!entry) {
		grown = reallocarray(fleet->entries, fleet->count + 1, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		fleet->entries = grown;
		entry = &grown[fleet->count++];
	}
	*entry = (struct fleet_entry){ *dev, now_ns };
	return 0;
}

const struct device *fleet_look(const struct fleet *fleet, const struct device *dev, int64_t now_ns,
				int64_t *ret_age_ns)
{
	const struct fleet_entry *entry = find_entry(fleet, dev);

	*ret_age_ns = 0;
	if (!device_is_troubled(dev))
		return dev;
	/* Another card may have been given the same number. */
	if (entry && dev->bdf[0] && strcmp(entry->last.bdf, dev->bdf) != 0)
		entry = NULL;
	if (device_is_frozen(dev)) { /* it goes on saying what it last measured */
		*ret_age_ns = MAX(now_ns - dev->moved_ns, 1);
		return dev;
	}
	*ret_age_ns = entry ? MAX(now_ns - entry->when_ns, 1) : -1;
	return entry ? &entry->last : dev;
}

/* Chips of one tray, or of one board. */
static bool are_together(const struct device *a, const struct device *b)
{
	if (device_knows(a, DEV_TRAY) || device_knows(b, DEV_TRAY))
		return device_knows(a, DEV_TRAY) && device_knows(b, DEV_TRAY) && a->tray == b->tray;
	return device_knows(a, DEV_SERIAL) && device_knows(b, DEV_SERIAL) && a->serial == b->serial;
}

void device_group_name(const struct device *dev, char *text, size_t size)
{
	if (device_knows(dev, DEV_TRAY))
		snprintf(text, size, "tray %d", dev->tray);
	else if (device_knows(dev, DEV_SERIAL))
		snprintf(text, size, "%s %016llx", dev->board, (unsigned long long)dev->serial);
	else
		snprintf(text, size, "%s", device_knows(dev, DEV_BOARD) ? dev->board : "board");
}

/* Each device that has no group yet begins one; those of it that follow are fetched. */
static void make_groups(struct fleet *fleet, const struct snapshot *snapshot, bool *placed)
{
	size_t n = 0;

	fleet->n_groups = 0;
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		size_t begin = n;

		if (placed[i])
			continue;
		fleet->order[n++] = i;
		for (size_t k = i + 1; k < snapshot->n_devices; k++) {
			if (placed[k] ||
			    !are_together(&snapshot->devices[i], &snapshot->devices[k]))
				continue;
			placed[k] = true;
			fleet->order[n++] = k;
		}
		fleet->groups[fleet->n_groups++] = n - begin;
	}
}

int fleet_update(struct fleet *fleet, const struct snapshot *snapshot)
{
	size_t n = snapshot->n_devices;
	CLEANUP_FREE bool *placed = calloc(n + 1, sizeof(*placed));
	int r = placed ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && r >= 0; i++)
		r = remember(fleet, &snapshot->devices[i], snapshot->taken_ns);
	fleet->n_groups = 0;
	free(fleet->order);
	free(fleet->groups);
	fleet->order = calloc(n + 1, sizeof(*fleet->order));
	fleet->groups = calloc(n + 1, sizeof(*fleet->groups));
	if (r < 0 || !fleet->order || !fleet->groups)
		return -ENOMEM;
	make_groups(fleet, snapshot, placed);
	return 0;
}
