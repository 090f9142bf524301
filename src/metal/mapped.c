#include "metal/mapped.h"

#include "basic/file.h"
#include "basic/maps_line.h"
#include "basic/proc_path.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define DEVICE_NODES "/dev/tenstorrent/"

/* Upper limit for the text of /proc/PID/maps. */
static const size_t maps_limit = 64 << 20;

/* Files that were visited; the limit for one process. */
struct seen {
	uint64_t inodes[1024];
	unsigned devices[1024];
	size_t count;
};

static bool is_new(struct seen *seen, const struct metal_mapping *mapping)
{
	unsigned device = mapping->major << 20 | mapping->minor;

	for (size_t i = seen->count; i > 0; i--)
		if (seen->inodes[i - 1] == mapping->inode && seen->devices[i - 1] == device)
			return false;
	if (seen->count == ARRAY_SIZE(seen->inodes))
		return false;
	seen->inodes[seen->count] = mapping->inode;
	seen->devices[seen->count++] = device;
	return true;
}

/* Decided by its name, since in a recorded machine a device node is a regular file. */
static bool is_device(const char *path)
{
	return strncmp(path, DEVICE_NODES, strlen(DEVICE_NODES)) == 0;
}

/* Is it code from a file that is not a device node? */
static bool parse_line(const char *text, struct metal_mapping *ret)
{
	struct maps_line line;

	if (!maps_line_parse(text, &line) || !line.is_executable || !line.inode ||
	    line.name[0] != '/' || is_device(line.name))
		return false;
	*ret = (struct metal_mapping){
		.start = line.start,
		.end = line.end,
		.inode = line.inode,
		.major = line.major,
		.minor = line.minor,
		.path = line.name,
	};
	return true;
}

int metal_mapped_each(char *text, int (*visit)(const struct metal_mapping *mapping, void *arg),
		      void *arg)
{
	struct seen seen = { .count = 0 };
	char *rest = text, *line;
	int r = 0;

	while (r == 0 && (line = strsep(&rest, "\n"))) {
		struct metal_mapping mapping;

		if (parse_line(line, &mapping) && is_new(&seen, &mapping))
			r = visit(&mapping, arg);
	}
	return r;
}

int metal_mapped_each_of(const struct root *root, pid_t pid,
			 int (*visit)(const struct metal_mapping *mapping, void *arg), void *arg)
{
	CLEANUP_BUF struct buf text = { 0 };
	char path[PROC_PATH_SIZE];
	int r;

	proc_path(path, pid, "maps");
	r = root_read_all(root, path, maps_limit, &text);
	if (r < 0)
		return r;
	return text.length ? metal_mapped_each(text.data, visit, arg) : 0;
}

/* Checks the type before opening the file: opening a device or a pipe has side effects. */
static int open_regular(const struct root *root, const char *path)
{
	CLEANUP_CLOSE int seen = root_open(root, path, O_PATH | O_CLOEXEC);
	struct stat st;

	if (seen < 0 || fstat(seen, &st) < 0)
		return seen < 0 ? seen : -errno;
	if (!S_ISREG(st.st_mode))
		return -EPERM;
	return file_reopen(seen);
}

int metal_mapped_open(const struct root *root, pid_t pid, const struct metal_mapping *mapping)
{
	char path[4096 + 64];
	int fd;

	if (!root->live)
		return open_regular(root, mapping->path + 1);
	snprintf(path, sizeof(path), "proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid, mapping->start,
		 mapping->end);
	fd = open_regular(root, path);
	if (fd >= 0)
		return fd;
	if (snprintf(path, sizeof(path), "proc/%d/root%s", pid, mapping->path) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	return open_regular(root, path);
}
