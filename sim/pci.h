/* The files that the kernel's PCI code creates for a device and its root port. */
#pragma once

#include "machine.h"
#include "tree.h"

/* Root ports stay when their device is removed. */
void pci_add_port(const struct machine *m, struct tree *sys, const struct sim_device *d);
void pci_add_device(const struct machine *m, struct tree *sys, const struct sim_device *d);

/* Updates what depends on the bound driver: link and uevent. */
void pci_update_driver(const struct machine *m, struct tree *sys, const struct sim_device *d);

/* Writes proc/bus/pci/devices. */
void pci_write_list(const struct machine *m, struct tree *root);

/* Updates the configuration space after the device left the bus or returned. */
void pci_update_config(struct tree *sys, const struct sim_device *d);

/* Adds the generic power/ directory of a device, below `path`. */
void pci_add_power(const struct machine *m, struct tree *sys, const struct sim_device *d,
		   const char *path);
