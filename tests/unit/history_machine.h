/* A machine with one device, and the history that a test adds its samples to. */
#pragma once

#include "unit.h"

#include "model/history.h"

static struct history *history;
static struct snapshot *machine;

static int begin(void **state)
{
	struct device dev;

	(void)state;
	device_init(&dev, 3);
	if (history_new(&history, 0) < 0 || snapshot_new(&machine) < 0 ||
	    !snapshot_add_device(machine, &dev))
		return -1;
	return 0;
}

static int end(void **state)
{
	(void)state;
	history = history_free(history);
	machine = snapshot_free(machine);
	return 0;
}
