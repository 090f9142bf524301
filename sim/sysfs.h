/*
 * The driver's files of a device: sys, proc/driver and dev.
 *
 * A device is added and removed as a whole, its telemetry (tt_* and hwmon) also separately, as in
 * the driver. Files that change are overwritten in place, so that readers with an open descriptor
 * read the new text. Errors are recorded in the machine's trees.
 */
#pragma once

#include "machine.h"

/* Adds the files that exist once: module, driver, proc/devices. */
void sysfs_add_machine(struct machine *m);

/* On the bus and served by the driver; on the bus with another driver or none (NULL); removed. */
void sysfs_add_device(struct machine *m, struct sim_device *d);
void sysfs_unbind_device(struct machine *m, struct sim_device *d);
void sysfs_add_unserved(struct machine *m, struct sim_device *d, const char *driver);
void sysfs_remove_device(struct machine *m, struct sim_device *d);

void sysfs_add_telemetry(struct machine *m, struct sim_device *d);
void sysfs_remove_telemetry(struct machine *m, struct sim_device *d);

/* Writes the values that have changed. */
void sysfs_update(struct machine *m, struct sim_device *d);

/*
 * Updates the lists of processes that have the device open: pids, mappings, and the module's use
 * count.
 */
void sysfs_update_holders(struct machine *m, struct sim_device *d);

/* Sets the device's paths, from its slot. */
void sysfs_name(struct sim_device *d);

/* Closes the files that are kept open. */
void sysfs_close(struct sim_device *d);
