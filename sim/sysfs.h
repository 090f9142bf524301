/*
 * The driver's files of a device: sys, proc/driver and dev.
 *
 * A device comes and goes as a whole, its telemetry (tt_* and hwmon) also by
 * itself, as with the driver. Files that change are rewritten in place: whoever
 * holds them open reads the new text. Failures stick to the machine's trees.
 */
#pragma once

#include "machine.h"

/* What is there once: module, driver, proc/devices. */
void sysfs_add_machine(struct machine *m);

/* On the bus and served by the driver, on the bus with another driver or none (NULL), away. */
void sysfs_add_device(struct machine *m, struct sim_device *d);
void sysfs_unbind_device(struct machine *m, struct sim_device *d);
void sysfs_add_unserved(struct machine *m, struct sim_device *d, const char *driver);
void sysfs_remove_device(struct machine *m, struct sim_device *d);

void sysfs_add_telemetry(struct machine *m, struct sim_device *d);
void sysfs_remove_telemetry(struct machine *m, struct sim_device *d);

/* Writes what has changed since. */
void sysfs_update(struct machine *m, struct sim_device *d);

/* The processes that have the device open: pids, mappings, and the module's use count. */
void sysfs_update_holders(struct machine *m, struct sim_device *d);

/* Names the device's places, from its slot. */
void sysfs_name(struct sim_device *d);

/* Closes what is kept open. */
void sysfs_close(struct sim_device *d);
