/*
 * Cards on the PCI bus that the Tenstorrent driver does not serve: no driver is bound to
 * them, or another one, as vfio-pci is for a virtual machine.
 *
 * Only what the kernel has in memory is read: ids, and the name of the driver. The state of
 * the link would come from the card itself, which would wake one that its driver has put
 * to sleep.
 */
#pragma once

#include "basic/worker_pool.h"
#include "basic/root.h"
#include "model/device.h"

struct bus {
	struct device *cards; /* by address; their condition says what is bound to them */
	size_t n_cards;

	const struct root *root;
	struct job job;
	struct bus_scan *scan; /* the job's while it runs */
	int64_t looked_ns;     /* when it was last begun; 0: never */
	char (*seen)[24];      /* addresses, each at the place that its index is made of */
	size_t n_seen;
};

struct bus *bus_new(const struct root *root);
struct bus *bus_free(struct bus *bus, struct worker_pool *workers);

/*
 * The job to run, if it is time to look or something changed; NULL: what is known stands.
 * n_served: so many cards the driver serves.
 */
struct job *bus_look(struct bus *bus, struct worker_pool *workers, size_t n_served, bool changed);

/* Takes over what the job found, if it has ended. -ENOMEM */
MUST_CHECK int bus_take(struct bus *bus, struct worker_pool *workers);

/* The card at this address; NULL: the driver serves it, or it is not on the bus. */
const struct device *bus_find(const struct bus *bus, const char *bdf);
