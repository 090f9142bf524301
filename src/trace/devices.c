#include "trace/devices.h"

#include "basic/clock.h"
#include "basic/file.h"
#include "basic/parse.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

struct device_nodes {
	const struct tracer *tracer;
	int folder;
	uint32_t count;
	struct {
		uint32_t number, index;
	} all[TRACE_DEVICES];
};

/* The kernel encodes dev_t differently from stat(). */
static uint32_t number_of(dev_t dev)
{
	return major(dev) << 20 | minor(dev);
}

static int visit(const char *name, void *arg)
{
	struct device_nodes *nodes = arg;
	struct stat st;
	uint32_t index;

	if (parse_u32(name, &index) < 0 || nodes->count == TRACE_DEVICES ||
	    fstatat(nodes->folder, name, &st, 0) < 0 || !S_ISCHR(st.st_mode))
		return 0;
	nodes->all[nodes->count].number = number_of(st.st_rdev);
	nodes->all[nodes->count++].index = index;
	return 0;
}

static bool has(const struct device_nodes *nodes, uint32_t number)
{
	for (uint32_t i = 0; i < nodes->count; i++)
		if (nodes->all[i].number == number)
			return true;
	return false;
}

/* Removes the numbers of removed nodes. After a removal the iteration restarts. */
static void remove_others(const struct device_nodes *nodes)
{
	int map = nodes->tracer->maps[MAP_DEVICES];
	uint32_t key, *before = NULL;

	while (bpf_map_get_next_key(map, before, &key) == 0) {
		before = has(nodes, key) ? &key : NULL;
		if (before)
			continue;
		bpf_map_delete_elem(nodes->tracer->maps[MAP_DEATHS], &key);
		if (bpf_map_delete_elem(map, &key) < 0)
			return;
	}
}

/* An entry that is right already stays: it has the time since which the node is observed. */
static int put_device(const struct tracer *tracer, uint32_t number, uint32_t index)
{
	struct trace_device device, known;

	if (bpf_map_lookup_elem(tracer->maps[MAP_DEVICES], &number, &known) == 0 &&
	    known.index == index)
		return 0;
	device = (struct trace_device){
		.index = index,
		.since = (uint64_t)clock_now(CLOCK_BOOTTIME),
	};
	bpf_map_delete_elem(tracer->maps[MAP_DEATHS], &number);
	return bpf_map_update_elem(tracer->maps[MAP_DEVICES], &number, &device, BPF_ANY);
}

int devices_update(const struct tracer *tracer)
{
	struct device_nodes nodes = { .tracer = tracer, .folder = -1 };
	int r = 0;

	nodes.folder = open("/dev/tenstorrent", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (nodes.folder < 0 && errno != ENOENT)
		return -errno;
	if (nodes.folder >= 0)
		r = directory_read(nodes.folder, visit, &nodes);
	cleanup_close(&nodes.folder);
	for (uint32_t i = 0; i < nodes.count && r == 0; i++)
		r = put_device(tracer, nodes.all[i].number, nodes.all[i].index);
	if (r == 0)
		remove_others(&nodes);
	return r;
}
