#include "source/topology.h"

#include "basic/clock.h"
#include "basic/parse.h"
#include "basic/text.h"
#include "basic/worker_pool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t deadline_ns = 5 * NS_PER_S;

/* Everything that the job uses. If it does not return in time, it keeps this memory. */
struct topology_job {
	struct job job;
	struct root root;
	struct topology topology;
	bool failed; /* out of memory */
};

static struct topology_node *add_node(struct topology *topology)
{
	struct topology_node *grown =
		reallocarray(topology->nodes, topology->count + 1, sizeof(*grown));

	if (!grown)
		return NULL;
	topology->nodes = grown;
	grown[topology->count] =
		(struct topology_node){ .numa_node = -1, .gateway = topology->count };
	return &grown[topology->count++];
}

/* Lists the devices; their names and NUMA nodes are known. */
static int add_devices(struct topology *topology, const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		const struct device *dev = &snapshot->devices[i];
		struct topology_node *node = add_node(topology);

		if (!node)
			return -ENOMEM;
		snprintf(node->name, sizeof(node->name), "GPU%s", dev->id);
		if (device_knows(dev, DEV_BDF) && !dev->remote)
			text_copy(node->label, sizeof(node->label), dev->bdf);
		if (device_knows(dev, DEV_NUMA_NODE))
			node->numa_node = dev->numa_node;
		for (size_t k = 0; dev->remote && k < i; k++)
			if (device_has_node(&snapshot->devices[k]) &&
			    snapshot->devices[k].index == dev->gateway)
				node->gateway = k;
	}
	return 0;
}

static void read_line(const struct root *root, const char *path, char *text, size_t size)
{
	if (root_read(root, path, text, size) < 0)
		text[0] = '\0';
	text[strcspn(text, "\n")] = '\0';
}

/* folder: has the files of the PCI device; link: its own path, or that of something below it. */
static void read_node(const struct root *root, struct topology_node *node, const char *link,
		      const char *folder)
{
	char path[320], target[512];

	if (root_readlink(root, link, target, sizeof(target)) < 0 ||
	    !topology_path(target, node->path, sizeof(node->path)))
		node->path[0] = '\0';
	snprintf(path, sizeof(path), "%s/local_cpulist", folder);
	read_line(root, path, node->cpus, sizeof(node->cpus));
}

static void read_device(const struct root *root, struct topology_node *node)
{
	char path[128];

	if (!node->label[0])
		return; /* its gateway is read */
	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s", node->label);
	read_node(root, node, path, path);
}

static int read_adapter(const char *name, void *arg)
{
	struct topology_job *job = arg;
	struct topology_node *node = add_node(&job->topology);
	char link[300], path[320], text[32];
	int64_t numa;

	if (!node) {
		job->failed = true;
		return 1;
	}
	node->is_adapter = true;
	text_copy(node->label, sizeof(node->label), name);
	snprintf(link, sizeof(link), "sys/class/infiniband/%s", name);
	snprintf(path, sizeof(path), "%s/device", link);
	read_node(&job->root, node, link, path);
	snprintf(path, sizeof(path), "%s/device/numa_node", link);
	read_line(&job->root, path, text, sizeof(text));
	if (parse_i64(text, &numa) >= 0)
		node->numa_node = (int32_t)numa;
	return 0;
}

static void run(void *arg)
{
	struct topology_job *job = arg;
	size_t devices = job->topology.count;

	for (size_t i = 0; i < devices; i++)
		read_device(&job->root, &job->topology.nodes[i]);
	/* A machine without adapters does not have the directory. */
	(void)!root_each(&job->root, "sys/class/infiniband", read_adapter, job);
}

static void job_free(struct topology_job *job)
{
	if (!job)
		return;
	topology_done(&job->topology);
	root_done(&job->root);
	free(job);
}

static int compare_names(const void *a, const void *b)
{
	const struct topology_node *left = a, *right = b;

	return strverscmp(left->label, right->label);
}

/* Numbers the adapters in the order of their names; a directory has them in any order. */
static void sort_adapters(struct topology *topology, size_t devices)
{
	qsort(topology->nodes + devices, topology->count - devices, sizeof(*topology->nodes),
	      compare_names);
	for (size_t i = devices; i < topology->count; i++) {
		snprintf(topology->nodes[i].name, sizeof(topology->nodes[i].name), "NIC%zu",
			 i - devices);
		topology->nodes[i].gateway = i;
	}
}

int topology_read(const struct root *root, const struct snapshot *snapshot, struct topology *ret)
{
	struct topology_job *job = calloc(1, sizeof(*job));
	int r;

	if (!job)
		return -ENOMEM;
	job->root.fd = -1;
	job->job = (struct job){ .run = run, .arg = job };
	r = root_copy(root, &job->root);
	if (r >= 0)
		r = add_devices(&job->topology, snapshot);
	if (r >= 0)
		r = job_run_once(&job->job, deadline_ns);
	if (r == -ETIMEDOUT)
		return r;
	if (r >= 0 && job->failed)
		r = -ENOMEM;
	if (r >= 0) {
		*ret = job->topology;
		job->topology = (struct topology){ 0 };
		sort_adapters(ret, snapshot->n_devices);
	}
	job_free(job);
	return r < 0 ? r : 0;
}
