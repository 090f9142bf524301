#include "doctor/loaded.h"

#include "basic/clock.h"
#include "basic/worker_pool.h"
#include "metal/mapped.h"
#include "source/procfs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const int64_t patience_ns = NS_PER_S;

/* All that the job uses: if it does not come back, it keeps that. */
struct errand {
	struct job job;
	struct root root;
	pid_t pid;
	struct loaded loaded;
};

static bool is_deleted(const char *path)
{
	size_t length = strlen(path), sign = strlen(PROCFS_DELETED);

	return length >= sign && strcmp(path + length - sign, PROCFS_DELETED) == 0;
}

static int look_at_file(const struct metal_mapping *mapping, void *arg)
{
	struct errand *errand = arg;
	struct loaded *loaded = &errand->loaded;
	CLEANUP_CLOSE int fd = -1;
	int r;

	fd = metal_mapped_open(&errand->root, errand->pid, mapping);
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

static void look_at_maps(struct errand *errand)
{
	int r;

	errand->loaded.library_error = -ENOENT;
	r = metal_mapped_each_of(&errand->root, errand->pid, look_at_file, errand);
	if (r < 0)
		errand->loaded.maps_error = r == -EPERM ? -EACCES : r;
	else if (r > 0)
		errand->loaded.maps_error = 0;
}

static void look_at_environment(struct errand *errand)
{
	CLEANUP_BUF struct buf text = { 0 };
	const char *value;
	char path[32];

	snprintf(path, sizeof(path), "proc/%d/environ", errand->pid);
	if (root_read_all(&errand->root, path, 2 << 20, &text) < 0 || !text.length)
		return;
	value = procfs_find_variable(text.data, text.length, "TT_METAL_SHM_TRACKING_DISABLED");
	errand->loaded.disabled = value && strcmp(value, "1") == 0;
}

static void run(void *arg)
{
	look_at_maps(arg);
	look_at_environment(arg);
}

static void errand_free(struct errand *errand)
{
	if (errand)
		root_done(&errand->root);
	free(errand);
}

static struct errand *errand_new(const struct root *root, pid_t pid)
{
	struct errand *errand = calloc(1, sizeof(*errand));

	if (!errand)
		return NULL;
	errand->root.fd = -1;
	errand->pid = pid;
	errand->job = (struct job){ .run = run, .arg = errand };
	if (root_copy(root, &errand->root) >= 0)
		return errand;
	errand_free(errand);
	return NULL;
}

void loaded_find(const struct root *root, pid_t pid, struct loaded *ret)
{
	struct errand *errand = errand_new(root, pid);
	int r = errand ? job_run_once(&errand->job, patience_ns) : -ENOMEM;

	*ret = (struct loaded){ .maps_error = r, .library_error = -ENOENT };
	if (r == 0)
		*ret = errand->loaded;
	if (r != -ETIMEDOUT)
		errand_free(errand);
}
