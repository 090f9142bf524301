/*
 * The inodes of the fault file system.
 *
 * A node is a path and its device. Nodes are never freed: there are some hundred per device. When a
 * device is removed, its nodes are marked dead, and the same paths get new nodes when it returns:
 * with the real driver, open files do not recover either.
 */
#pragma once

#include "machine.h"

#include <sys/stat.h>

struct fault_node {
	uint64_t number;
	char *path;		   /* relative to the mount point; "": the mount point itself */
	struct sim_device *device; /* NULL: not of a device */
	struct stat last;	   /* returned by fstat() of an open descriptor after removal */
	bool dead;
};

struct nodes {
	struct machine *machine;
	struct fault_node **all; /* index: number, from 1 */
	size_t count;
	size_t size;
	void *by_path; /* tree of search.h: nodes that are not dead */
};

MUST_CHECK int nodes_init(struct nodes *n, struct machine *m);
void nodes_done(struct nodes *n);

/* NULL if there is no such node. */
struct fault_node *nodes_get(struct nodes *n, uint64_t number);

/* The node of a name in a directory; NULL: out of memory. */
struct fault_node *nodes_find(struct nodes *n, const struct fault_node *parent, const char *name);

/* Marks all nodes of a removed device as dead. */
void nodes_kill(struct nodes *n, const struct sim_device *d);

/* Last component of the path. */
const char *node_name(const struct fault_node *node);
