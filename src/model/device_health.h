/*
 * Is a device healthy? Judged from its state, its heartbeat and its own limits
 * (model/threshold.h); and what is wrong, in words. Pure functions.
 */
#pragma once

#include "model/device.h"
#include "model/threshold.h"

/* Fills state and health. To be called last, since they depend on rates and heartbeat. */
void device_judge(struct device *dev);

/* Problems of a chip that can be read, judged by its own limits; most urgent first. */
enum device_trouble {
	TROUBLE_STALLED = 1, /* the heartbeat stopped: the firmware hangs, readings are stale */
	TROUBLE_HOT = 2,
	TROUBLE_POWER = 4, /* at its power limit, where the firmware lowers the clock */
	TROUBLE_TRIPPED = 8,
};

/* The set of problems that the known readings show. */
unsigned device_troubles(const struct device *dev);

/* SEVERITY_NORMAL also if the reading or its limit is unknown. */
enum severity device_temperature_severity(const struct device *dev);
enum severity device_power_severity(const struct device *dev);

/* Has its firmware stopped, so that its readings are stale? */
bool device_is_stalled(const struct device *dev);

/* Does it fail to deliver current readings, though it should? */
bool device_is_failing(const struct device *dev);

/* Its state in words: "timed out", "bound to vfio-pci", "firmware not alive"; "" if it works. */
const char *device_condition_text(const struct device *dev);

/* The same in at most seven letters: "hung"; "" if it works. */
const char *device_condition_word(const struct device *dev);
