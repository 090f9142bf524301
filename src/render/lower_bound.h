/*
 * The sign before a figure that is not all there is: where not every process is
 * tracked, used is at least what is told and free at most. "" if it is complete.
 */
#pragma once

#include "model/snapshot.h"

const char *lower_bound_of_device(const struct device *dev, unsigned field, bool utf8);
const char *lower_bound_of_usage(const struct usage *usage, unsigned field, bool utf8);

/* For the sum over all devices; what one of them does not tell is missing in it. */
const char *lower_bound_of_devices(const struct snapshot *snapshot, enum device_field field,
				   bool utf8);

/* The same for what a process has on all its devices. */
const char *lower_bound_of_process(const struct process *process, enum usage_field field,
				   bool utf8);
