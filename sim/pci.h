/* The files that the kernel's PCI code makes for a device and its root port. */
#pragma once

#include "machine.h"
#include "tree.h"

/* Root ports stay when the device on them is removed. */
void pci_add_port(struct tree *sys, const struct sim_device *d);
void pci_add_device(const struct machine *m, struct tree *sys, const struct sim_device *d);

/* What follows from the driver that is bound to it: link and uevent. */
void pci_update_driver(const struct machine *m, struct tree *sys, const struct sim_device *d);

/* All devices and ports in one file of procfs. */
void pci_write_list(const struct machine *m, struct tree *root);

/* Configuration space after the device left the bus or came back to it. */
void pci_update_config(struct tree *sys, const struct sim_device *d);

/* The generic power/ directory that every kind of device has, below `path`. */
void pci_add_power(const struct machine *m, struct tree *sys, const struct sim_device *d,
		   const char *path);
