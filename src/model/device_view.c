#include "model/device_view.h"

#include "model/device_health.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void device_view_done(struct device_view *view)
{
	free(view->readings);
	free(view->order);
	free(view->groups);
	*view = (struct device_view){ 0 };
}

static struct last_reading *find_reading(const struct device_view *view, const struct device *dev)
{
	for (size_t i = 0; i < view->n_readings; i++)
		if (view->readings[i].device.index == dev->index &&
		    view->readings[i].device.remote == dev->remote)
			return &view->readings[i];
	return NULL;
}

static int remember(struct device_view *view, const struct device *dev, int64_t now_ns)
{
	struct last_reading *reading = find_reading(view, dev), *grown;

	if (device_is_failing(dev))
		return 0;
	if (!reading) {
		grown = reallocarray(view->readings, view->n_readings + 1, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		view->readings = grown;
		reading = &grown[view->n_readings++];
	}
	*reading = (struct last_reading){ *dev, now_ns };
	return 0;
}

const struct device *device_view_find(const struct device_view *view, const struct device *dev,
				      int64_t now_ns, int64_t *ret_age_ns)
{
	const struct last_reading *reading;

	*ret_age_ns = 0;
	if (!device_is_failing(dev))
		return dev;
	reading = find_reading(view, dev);
	/* The number may have been reused by another card. */
	if (reading && dev->bdf[0] && strcmp(reading->device.bdf, dev->bdf) != 0)
		reading = NULL;
	if (device_is_stalled(dev)) { /* its files still have the last values */
		*ret_age_ns = MAX(now_ns - dev->moved_ns, 1);
		return dev;
	}
	*ret_age_ns = reading ? MAX(now_ns - reading->taken_ns, 1) : -1;
	return reading ? &reading->device : dev;
}

/* The Galaxy that all chips whose board is known are part of; NULL: they are not. */
static const struct board *find_galaxy(const struct device **devices, size_t count)
{
	const struct board *found = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct board *type = devices[i]->type;

		if (type && (!type->galaxy || (found && found != type)))
			return NULL;
		if (type)
			found = type;
	}
	return found;
}

/*
 * The tray of a device; 0: none. A chip that has not been readable yet, in a machine with a Galaxy,
 * is on the tray of its bus number.
 */
static int tray_of(const struct device_view *view, const struct device *dev)
{
	int bus = device_bus(dev), tray = 0, chip;

	if (device_knows(dev, DEV_TRAY))
		return dev->tray;
	if (view->galaxy && !dev->type && bus >= 0)
		(void)board_place(view->galaxy, (unsigned)bus, &tray, &chip);
	return tray;
}

/* Are they on the same tray or board? */
static bool are_together(const struct device_view *view, const struct device *a,
			 const struct device *b)
{
	int tray = tray_of(view, a);

	if (tray || tray_of(view, b))
		return tray == tray_of(view, b);
	return device_knows(a, DEV_SERIAL) && device_knows(b, DEV_SERIAL) && a->serial == b->serial;
}

/* The identity of the device, even if it can no longer be read. */
static const struct device *identity(const struct device_view *view, const struct device *dev)
{
	const struct last_reading *reading =
		device_is_failing(dev) ? find_reading(view, dev) : NULL;
	bool same = reading && (!dev->bdf[0] || strcmp(reading->device.bdf, dev->bdf) == 0);

	return same ? &reading->device : dev;
}

void device_group_name(const struct device_view *view, const struct device *dev, char *text,
		       size_t size)
{
	dev = identity(view, dev);
	if (tray_of(view, dev))
		snprintf(text, size, "tray %d", tray_of(view, dev));
	else if (device_knows(dev, DEV_SERIAL))
		snprintf(text, size, "%s %016llx", dev->board, (unsigned long long)dev->serial);
	else
		snprintf(text, size, "%s", device_knows(dev, DEV_BOARD) ? dev->board : "board");
}

/* Each device without a group starts one, and later devices of that group join it. */
static void make_groups(struct device_view *view, const struct device **devices, size_t count)
{
	size_t n = 0;

	view->n_groups = 0;
	for (size_t i = 0; i < count; i++) {
		size_t begin = n;

		if (!devices[i]) /* it has joined one */
			continue;
		view->order[n++] = i;
		for (size_t k = i + 1; k < count; k++) {
			if (!devices[k] || !are_together(view, devices[i], devices[k]))
				continue;
			devices[k] = NULL;
			view->order[n++] = k;
		}
		view->groups[view->n_groups++] = n - begin;
	}
}

int device_view_update(struct device_view *view, const struct snapshot *snapshot)
{
	size_t n = snapshot->n_devices;
	CLEANUP_FREE const struct device **devices = calloc(n + 1, sizeof(*devices));
	int r = devices ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && r >= 0; i++)
		r = remember(view, &snapshot->devices[i], snapshot->taken_ns);
	view->n_groups = 0;
	free(view->order);
	free(view->groups);
	view->order = calloc(n + 1, sizeof(*view->order));
	view->groups = calloc(n + 1, sizeof(*view->groups));
	if (r < 0 || !view->order || !view->groups)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		devices[i] = identity(view, &snapshot->devices[i]);
	view->galaxy = find_galaxy(devices, n);
	make_groups(view, devices, n);
	return 0;
}
