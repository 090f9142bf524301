/*
 * The mark before an amount of memory that is a bound: if not every process is tracked, the known
 * usage is a lower bound and the free memory an upper bound. "" if the figure is complete.
 */
#pragma once

#include "model/snapshot.h"
#include "render/rounding.h"

/* How an amount of a device is rounded. */
enum rounding lower_bound_rounding(const struct device *dev, unsigned field);

const char *lower_bound_of_device(const struct device *dev, unsigned field, bool utf8);
const char *lower_bound_of_usage(const struct usage *usage, unsigned field, bool utf8);

/* For the sum over all devices, which is incomplete if one of them is. */
const char *lower_bound_of_devices(const struct snapshot *snapshot, enum device_field field,
				   bool utf8);

/* For the sum over all devices of a process. */
const char *lower_bound_of_process(const struct process *process, enum usage_field field,
				   bool utf8);
