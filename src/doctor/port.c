#include "doctor/port.h"

#include "basic/clock.h"
#include "basic/worker_pool.h"
#include "source/attribute.h"

#include <errno.h>
#include <stdio.h>

static const int64_t deadline_ns = NS_PER_S;

/* Everything that the job uses: it keeps that if it does not return in time. */
struct port_read {
	struct job job;
	struct root root;
	struct device port; /* only its link is filled */
	char bdf[sizeof(((struct device *)0)->bdf)];
};

/* The port has the same files as the card, one directory further up. */
static void read_file(struct port_read *read, const struct attribute *attribute)
{
	char path[128], text[64];

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/../%s", read->bdf, attribute->file);
	if (root_read(&read->root, path, text, sizeof(text)) > 0)
		attribute_parse(attribute, text, &read->port);
}

static void run(void *arg)
{
	for (size_t i = 0; i < N_ATTRIBUTES; i++)
		if (attributes[i].field == DEV_LINK_GEN_MAX ||
		    attributes[i].field == DEV_LINK_WIDTH_MAX)
			read_file(arg, &attributes[i]);
}

static void port_read_free(struct port_read *read)
{
	if (read)
		root_done(&read->root);
	free(read);
}

static struct port_read *port_read_new(const struct root *root, const struct device *dev)
{
	struct port_read *read = calloc(1, sizeof(*read));

	if (!read)
		return NULL;
	read->root.fd = -1;
	device_init(&read->port, 0);
	snprintf(read->bdf, sizeof(read->bdf), "%s", dev->bdf);
	read->job = (struct job){ .run = run, .arg = read };
	if (root_copy(root, &read->root) >= 0)
		return read;
	port_read_free(read);
	return NULL;
}

struct pcie_link port_capability(const struct root *root, const struct device *dev)
{
	struct port_read *read = port_read_new(root, dev);
	int r = read ? job_run_once(&read->job, deadline_ns) : -ENOMEM;
	struct pcie_link link = { 0 };

	if (r == 0 && device_knows(&read->port, DEV_LINK_GEN_MAX))
		link.gen = read->port.link_gen_max;
	if (r == 0 && device_knows(&read->port, DEV_LINK_WIDTH_MAX))
		link.width = read->port.link_width_max;
	if (r != -ETIMEDOUT)
		port_read_free(read);
	return link;
}
