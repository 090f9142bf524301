#include "node.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct fault_node *)a)->path, ((const struct fault_node *)b)->path);
}

static bool is_below(const char *path, const char *directory)
{
	size_t length = strlen(directory);

	return !strncmp(path, directory, length) && (path[length] == '/' || !path[length]);
}

/*
 * The device of a path. sys: the PCI device and the debug directory; proc/driver: the directory of
 * its number.
 */
static struct sim_device *owner(struct machine *m, const char *path)
{
	char listed[64], debug[64];

	for (size_t i = 0; i < m->device_count; i++) {
		struct sim_device *d = &m->devices[i];

		snprintf(listed, sizeof(listed), "tenstorrent/%u", d->slot.number);
		snprintf(debug, sizeof(debug), "kernel/debug/tenstorrent/%u", d->slot.number);
		if (is_below(path, d->directory) || is_below(path, listed) || is_below(path, debug))
			return d;
	}
	return NULL;
}

static struct fault_node *add(struct nodes *n, const char *path)
{
	struct fault_node *node, **grown;

	if (n->count == n->size) {
		grown = reallocarray(n->all, n->size + 256, sizeof(struct fault_node *));
		if (!grown)
			return NULL;
		n->all = grown;
		n->size += 256;
	}
	node = calloc(1, sizeof(*node));
	if (!node)
		return NULL;
	node->path = strdup(path);
	if (!node->path || !tsearch(node, &n->by_path, compare)) {
		free(node->path);
		free(node);
		return NULL;
	}
	node->device = owner(n->machine, path);
	n->all[n->count++] = node;
	node->number = n->count;
	return node;
}

int nodes_init(struct nodes *n, struct machine *m)
{
	*n = (struct nodes){ .machine = m };
	return add(n, "") ? 0 : -ENOMEM;
}

void nodes_done(struct nodes *n)
{
	for (size_t i = 0; i < n->count; i++) {
		if (!n->all[i]->dead)
			tdelete(n->all[i], &n->by_path, compare);
		free(n->all[i]->path);
		free(n->all[i]);
	}
	free(n->all);
	*n = (struct nodes){ 0 };
}

struct fault_node *nodes_get(struct nodes *n, uint64_t number)
{
	return number >= 1 && number <= n->count ? n->all[number - 1] : NULL;
}

struct fault_node *nodes_find(struct nodes *n, const struct fault_node *parent, const char *name)
{
	char path[512];
	struct fault_node key = { .path = path };
	struct fault_node **found;

	if (snprintf(path, sizeof(path), "%s%s%s", parent->path, *parent->path ? "/" : "", name) >=
	    (int)sizeof(path))
		return NULL;
	found = tfind(&key, &n->by_path, compare);
	return found ? *found : add(n, path);
}

void nodes_kill(struct nodes *n, const struct sim_device *d)
{
	for (size_t i = 0; i < n->count; i++) {
		struct fault_node *node = n->all[i];

		if (node->device != d || node->dead)
			continue;
		tdelete(node, &n->by_path, compare);
		node->dead = true;
	}
}

const char *node_name(const struct fault_node *node)
{
	const char *slash = strrchr(node->path, '/');

	return slash ? slash + 1 : node->path;
}
