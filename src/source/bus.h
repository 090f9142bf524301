/*
 * Cards on the PCI bus that the Tenstorrent driver does not serve: no driver is bound to them, or
 * another one, such as vfio-pci for a virtual machine.
 *
 * Only data that the kernel has in memory is read: ids, and the name of the driver. Reading the
 * state of the link would access the card itself and wake one that its driver has suspended.
 */
#pragma once

#include "basic/worker_pool.h"
#include "basic/root.h"
#include "model/device.h"

struct bus {
	struct device *cards; /* by address; their state shows what is bound to them */
	size_t n_cards;

	const struct root *root;
	struct job job;
	struct bus_scan *scan; /* owned by the job while it runs */
	int64_t looked_ns;     /* when it last started; 0: never */
	char (*seen)[24];      /* addresses; the position of each determines its index */
	size_t n_seen;
};

struct bus *bus_new(const struct root *root);
struct bus *bus_free(struct bus *bus, struct worker_pool *workers);

/*
 * The job to run if a scan is due or something has changed; NULL: the last result is still valid.
 * n_served: number of cards that the driver serves.
 */
struct job *bus_look(struct bus *bus, struct worker_pool *workers, size_t n_served, bool changed);

/* Takes the result of the job, if it has ended. -ENOMEM */
MUST_CHECK int bus_take(struct bus *bus, struct worker_pool *workers);

/* The card at this address; NULL: the driver serves it, or it is not on the bus. */
const struct device *bus_find(const struct bus *bus, const char *bdf);
