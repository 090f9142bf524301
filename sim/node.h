/*
 * Names that the kernel has asked the fault filesystem for.
 *
 * A node is a path and the device it belongs to. It is never forgotten: there
 * are some hundred for each device. When a device is removed its nodes die, and
 * the same path gets a new one when it comes back, as nothing held from before
 * recovers with the driver either.
 */
#pragma once

#include "machine.h"

#include <sys/stat.h>

struct fault_node {
	uint64_t number;
	char *path;		   /* below the mount point, "" for the mount point itself */
	struct sim_device *device; /* NULL: no device's */
	struct stat last;	   /* what fstat() of a descriptor still returns after removal */
	bool dead;
};

struct nodes {
	struct machine *machine;
	struct fault_node **all; /* by number, from 1 */
	size_t count;
	size_t size;
	void *by_path; /* tree of search.h: the living */
};

MUST_CHECK int nodes_init(struct nodes *n, struct machine *m);
void nodes_done(struct nodes *n);

/* NULL if there is no such node. */
struct fault_node *nodes_get(struct nodes *n, uint64_t number);

/* The node of a name in a directory; NULL without memory. */
struct fault_node *nodes_find(struct nodes *n, const struct fault_node *parent, const char *name);

/* All nodes of a device that was removed. */
void nodes_kill(struct nodes *n, const struct sim_device *d);

/* Last part of the path. */
const char *node_name(const struct fault_node *node);
