#include "doctor/loaded.h"

#include "basic/clock.h"
#include "basic/proc_path.h"
#include "basic/worker_pool.h"
#include "metal/mapped.h"
#include "source/procfs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const int64_t deadline_ns = NS_PER_S;

/* Everything that the job uses. If it does not return in time, it keeps this memory. */
struct loaded_read {
	struct job job;
	struct root root;
	pid_t pid;
	struct loaded loaded;
};

static bool is_deleted(const char *path)
{
	size_t length = strlen(path), suffix = strlen(PROCFS_DELETED);

	return length >= suffix && strcmp(path + length - suffix, PROCFS_DELETED) == 0;
}

static int read_file(const struct metal_mapping *mapping, void *arg)
{
	struct loaded_read *read = arg;
	struct loaded *loaded = &read->loaded;
	CLEANUP_CLOSE int fd = -1;
	int r;

	fd = metal_mapped_open(&read->root, read->pid, mapping);
	if (fd == -EACCES || (fd == -EPERM && geteuid()))
		loaded->maps_error = -EACCES;
	if (fd == -ENOENT && is_deleted(mapping->path))
		loaded->replaced = true;
	if (fd < 0)
		return 0;
	r = metal_library_read(&loaded->library, fd);
	if (r < 0 && r != -ENOTSUP)
		return 0;
	loaded->library_error = r;
	snprintf(loaded->path, sizeof(loaded->path), "%s", mapping->path);
	return 1;
}

static void read_maps(struct loaded_read *read)
{
	int r;

	read->loaded.library_error = -ENOENT;
	r = metal_mapped_each_of(&read->root, read->pid, read_file, read);
	if (r < 0)
		read->loaded.maps_error = r == -EPERM ? -EACCES : r;
	else if (r > 0)
		read->loaded.maps_error = 0;
}

static void read_environment(struct loaded_read *read)
{
	CLEANUP_BUF struct buf text = { 0 };
	const char *value;
	char path[PROC_PATH_SIZE];

	proc_path(path, read->pid, "environ");
	if (root_read_all(&read->root, path, 2 << 20, &text) < 0 || !text.length)
		return;
	value = procfs_find_variable(text.data, text.length, "TT_METAL_SHM_TRACKING_DISABLED");
	read->loaded.disabled = value && strcmp(value, "1") == 0;
}

static void run(void *arg)
{
	read_maps(arg);
	read_environment(arg);
}

static void loaded_read_free(struct loaded_read *read)
{
	if (read)
		root_done(&read->root);
	free(read);
}

static struct loaded_read *loaded_read_new(const struct root *root, pid_t pid)
{
	struct loaded_read *read = calloc(1, sizeof(*read));

	if (!read)
		return NULL;
	read->root.fd = -1;
	read->pid = pid;
	read->job = (struct job){ .run = run, .arg = read };
	if (root_copy(root, &read->root) >= 0)
		return read;
	loaded_read_free(read);
	return NULL;
}

void loaded_find(const struct root *root, pid_t pid, struct loaded *ret)
{
	struct loaded_read *read = loaded_read_new(root, pid);
	int r = read ? job_run_once(&read->job, deadline_ns) : -ENOMEM;

	*ret = (struct loaded){ .maps_error = r, .library_error = -ENOENT };
	if (r == 0)
		*ret = read->loaded;
	if (r != -ETIMEDOUT)
		loaded_read_free(read);
}
