#include "source/open_files.h"

#include "basic/clock.h"
#include "basic/digits.h"
#include "basic/file.h"
#include "basic/parse.h"
#include "basic/proc_path.h"
#include "metal/program_table.h"
#include "proto/table.h"
#include "source/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/*
 * A process with the same number of descriptors is read again after this time. If it has not run
 * either, only a process that shares its descriptors with it (CLONE_FILES) can have changed them:
 * then the time is longer by the second one.
 */
static const int64_t reread_ns = 16 * NS_PER_S, idle_ns = 48 * NS_PER_S;

/* Linux 6.2 and later report the number of descriptors as the size of the directory. */
static void examine_procfs(struct fd_reader *reader)
{
	struct stat st;

	if (stat("/proc/self/fd", &st) < 0)
		return;
	reader->procfs = st.st_dev;
	reader->counts = st.st_size > 0;
}

/* The major number is assigned when the module is loaded. */
int fd_reader_begin(struct fd_reader *reader)
{
	CLEANUP_BUF struct buf text = { 0 };
	int r;

	if (!reader->procfs)
		examine_procfs(reader);
	if (!reader->root->live || reader->has_major)
		return 0;
	r = root_read_all(reader->root, "proc/devices", 1 << 16, &text);
	if (r < 0)
		return r;
	reader->has_major = procfs_parse_devices(buf_text(&text), &reader->major);
	return 0;
}

struct fd_visit {
	const struct fd_reader *reader;
	int dir; /* /proc/PID/fd */
	struct open_files *seen;
};

/* A memfd has no path; its link contains the name given to memfd_create(). */
static void look_for_table(struct fd_visit *look, const char *name, const char *link)
{
	struct table_fds *fds = NULL;
	uint32_t descriptor;

	if (strcmp(link, TABLE_LINK) == 0)
		fds = &look->seen->tables;
	else if (strcmp(link, PROGRAM_TABLE_LINK) == 0)
		fds = &look->seen->program_tables;
	if (fds && fds->count < ARRAY_SIZE(fds->list) && parse_u32(name, &descriptor) == 0)
		fds->list[fds->count++] = (int32_t)descriptor;
}

/*
 * Compares device numbers, since names differ in containers. A removed node has no links left, and
 * its number may be reused by another card. AT_STATX_DONT_SYNC: does not contact a remote file
 * system.
 */
static int look_at_live(struct fd_visit *look, const char *name)
{
	const struct fd_reader *reader = look->reader;
	char link[64];
	struct statx st;

	if (statx(look->dir, name, AT_STATX_DONT_SYNC, STATX_TYPE | STATX_NLINK | STATX_SIZE, &st) <
	    0)
		return -errno;
	if (S_ISCHR(st.stx_mode) && reader->has_major && st.stx_rdev_major == reader->major &&
	    st.stx_nlink > 0)
		device_set_add(&look->seen->devices, st.stx_rdev_minor);
	if (S_ISREG(st.stx_mode) && st.stx_nlink == 0 && st.stx_size >= TABLE_SLOT_OFFSET &&
	    file_readlink(look->dir, name, link, sizeof(link)) > 0)
		look_for_table(look, name, link);
	return 0;
}

/* In a tree, links are only texts: their targets need not exist. */
static int look_at_text(struct fd_visit *look, const char *name)
{
	char link[4096];
	uint32_t index;
	ssize_t n = file_readlink(look->dir, name, link, sizeof(link));

	if (n < 0)
		return (int)n;
	if (procfs_names_node(link, look->reader->root->path, &index))
		device_set_add(&look->seen->devices, index);
	look_for_table(look, name, link);
	return 0;
}

/* -errno: nothing was learned about this descriptor, which may have been closed. */
static int look_at_descriptor(struct fd_visit *look, const char *name)
{
	return look->reader->root->live ? look_at_live(look, name) : look_at_text(look, name);
}

static int visit_descriptor(const char *name, void *arg)
{
	(void)look_at_descriptor(arg, name);
	return 0;
}

/*
 * Descriptors are numbered from 0, usually without large gaps, so trying the numbers spares the
 * list, which the kernel makes of new directory entries. False: fewer were found than there are.
 */
static bool look_at_numbers(struct fd_visit *look, size_t count)
{
	enum { MOST_GAPS = 4 };
	size_t gaps = 0;

	for (size_t i = 0; i < count + gaps; i++) {
		char name[DIGITS_SIZE];

		digits_put(name, i);
		if (look_at_descriptor(look, name) == -ENOENT && ++gaps > MOST_GAPS)
			return false;
	}
	return true;
}

/* Line by line: the maps of a large program are megabytes. */
static int look_at_maps(const struct fd_reader *reader, int32_t pid, struct device_set *devices)
{
	CLEANUP_FREE char *line = NULL;
	size_t size = 0;
	char path[PROC_PATH_SIZE];
	uint32_t index;
	FILE *file;
	int fd;

	proc_path(path, pid, "maps");
	fd = root_open(reader->root, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return fd;
	file = fdopen(fd, "r");
	if (!file) {
		close(fd);
		return -ENOMEM;
	}
	while (getline(&line, &size, file) > 0)
		if (procfs_names_node(line, reader->root->path, &index))
			device_set_add(devices, index);
	fclose(file);
	return 0;
}

/* Stores size, inode and ctime of the directory, by which is_unchanged() detects a change. */
static void remember(struct open_files_cache *cache, const struct stat *st)
{
	int64_t now = clock_now(CLOCK_MONOTONIC);

	/* Staggered, so that not all are read again in the same scan. */
	cache->due_ns = now + (cache->inode ? reread_ns : reread_ns / 16 * (cache->pid % 16 + 1));
	cache->descriptors = st->st_size;
	cache->inode = st->st_ino;
	cache->changed = st->st_ctim;
}

/* Opens /proc/PID/fd of the process that the cache is for. */
static int open_directory(const struct fd_reader *reader, const struct open_files_cache *cache)
{
	char path[PROC_PATH_SIZE];

	proc_path(path, cache->pid, "fd");
	return root_open(reader->root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Is it a directory of this kernel's procfs, with the number of descriptors as its size? */
static bool has_count(const struct fd_reader *reader, const struct stat *st)
{
	return reader->counts && st->st_dev == reader->procfs;
}

/* dir: of the process, at its first entry; negative: the error of opening it. */
static int look_at_descriptors(const struct fd_reader *reader, struct open_files_cache *cache,
			       int dir)
{
	struct fd_visit look = { .reader = reader, .seen = &cache->seen, .dir = dir };
	struct stat st;

	cache->seen = (struct open_files){ 0 };
	if (dir < 0) {
		cache->inode = 0;
		return dir;
	}
	if (fstat(dir, &st) == 0) {
		remember(cache, &st);
		if (has_count(reader, &st) && look_at_numbers(&look, (size_t)st.st_size))
			return 0;
	}
	cache->seen = (struct open_files){ 0 };
	return directory_read(dir, visit_descriptor, &look);
}

/* Is it the same process with the same number of descriptors? */
static bool is_unchanged(const struct fd_reader *reader, const struct open_files_cache *cache,
			 const struct stat *st)
{
	/* A kernel thread has none. */
	return (st->st_size > 0 || has_count(reader, st)) && cache->descriptors == st->st_size &&
	       cache->inode == st->st_ino && cache->changed.tv_sec == st->st_ctim.tv_sec &&
	       cache->changed.tv_nsec == st->st_ctim.tv_nsec;
}

static bool may_be_spared(const struct device_set *expected, const struct open_files_cache *cache,
			  int64_t longer_ns)
{
	return cache->inode && cache->error >= 0 &&
	       !device_set_lacks(&cache->seen.devices, expected) &&
	       clock_now(CLOCK_MONOTONIC) < cache->due_ns + longer_ns;
}

bool open_files_outlast_idleness(const struct device_set *expected,
				 const struct open_files_cache *cache)
{
	return may_be_spared(expected, cache, idle_ns);
}

/* Without a descriptor that was kept, the directory is found by its path. */
bool open_files_are_unchanged(const struct fd_reader *reader, const struct device_set *expected,
			      const struct open_files_cache *cache, int kept)
{
	struct stat st;
	char path[PROC_PATH_SIZE];

	if (!may_be_spared(expected, cache, 0))
		return false;
	if (kept >= 0)
		return fstat(kept, &st) == 0 && is_unchanged(reader, cache, &st);
	proc_path(path, cache->pid, "fd");
	return root_stat(reader->root, path, &st) == 0 && is_unchanged(reader, cache, &st);
}

/*
 * Rewinds the directory that was kept open, or opens it. A descriptor in procfs refers to the
 * process, not to its pid: it fails after the process has exited, even if the pid was reused.
 */
static int begin_directory(const struct fd_reader *reader, const struct open_files_cache *cache,
			   int *kept)
{
	struct stat st;

	if (*kept >= 0 && fstat(*kept, &st) == 0 && lseek(*kept, 0, SEEK_SET) == 0)
		return *kept;
	if (*kept >= 0)
		close(*kept);
	*kept = open_directory(reader, cache);
	return *kept;
}

/* Only a descriptor in procfs can be kept: it belongs to one process for good. */
static void end_directory(int *kept, bool keep)
{
	if (*kept < 0 || (keep && file_is_in_procfs(*kept)))
		return;
	close(*kept);
	*kept = -1;
}

/* A process can close a device and keep it mapped; then only its mappings show the device. */
int open_files_update(const struct fd_reader *reader, const struct device_set *expected,
		      struct open_files_cache *cache, int *kept, bool keep)
{
	if (open_files_are_unchanged(reader, expected, cache, *kept))
		return 0;
	cache->error = look_at_descriptors(reader, cache, begin_directory(reader, cache, kept));
	end_directory(kept, keep);
	if (cache->error == 0 && device_set_lacks(&cache->seen.devices, expected))
		cache->error = look_at_maps(reader, cache->pid, &cache->seen.devices);
	return cache->error;
}
