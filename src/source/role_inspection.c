#include "source/role_inspection.h"

#include "basic/maps_line.h"
#include "basic/proc_path.h"
#include "metal/library.h"
#include "metal/mapped.h"
#include "source/protected.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* A process with a longer maps file is not analysed. */
static const size_t maps_limit = 64 << 20;

/* Maximum number of code files to read. metal_mapped_each() skips those after 1024. */
enum { FILES_MAX = 1000 };

/* State while the code is read. */
struct code {
	struct role_inspection *inspection;
	/*
	 * the directory that its paths are relative to; -1: others may have mounted something there
	 */
	int root;
	unsigned files;
};

static bool read_exe(struct role_inspection *inspection, char *path, size_t size, struct stat *ret)
{
	char name[PROC_PATH_SIZE];
	ssize_t length;

	proc_path(name, inspection->pid, "exe");
	length = root_readlink(inspection->root, name, path, size);
	return length > 0 && root_stat(inspection->root, name, ret) == 0 && S_ISREG(ret->st_mode);
}

static bool names_exe(const char *path, const char *name)
{
	size_t length = strlen(name);
	const char *base = strrchr(path, '/');

	return base && strncmp(base + 1, name, length) == 0 &&
	       (!base[1 + length] || strcmp(base + 1 + length, PROCFS_DELETED) == 0);
}

/*
 * Is there executable memory without a file? It could be anything. The kernel's own pages have
 * names in brackets.
 */
static bool has_code_without_file(const char *text)
{
	static const char *const kernels[] = { "[vdso]", "[vsyscall]", "[uprobes]" };

	for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		struct maps_line line;
		bool known = false;

		if (!maps_line_parse(at, &line) || line.inode || !line.is_executable)
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(kernels); i++)
			known |= strcspn(line.name, "\n") == strlen(kernels[i]) &&
				 strncmp(line.name, kernels[i], strlen(kernels[i])) == 0;
		if (!known)
			return true;
	}
	return false;
}

/*
 * Is the file at this path the one that is mapped? The path alone proves nothing: a descriptor from
 * another mount namespace can have the same path. Device and inode are compared if the file system
 * shows the same numbers to every process; else the target of the kernel's own link, if we may
 * follow it.
 */
static bool is_mapped(const struct role_inspection *inspection, const struct metal_mapping *mapping,
		      const struct stat *named)
{
	struct stat st;
	char path[96];

	if (named->st_ino == mapping->inode && major(named->st_dev) == mapping->major &&
	    minor(named->st_dev) == mapping->minor)
		return true;
	snprintf(path, sizeof(path), "proc/%d/map_files/%" PRIx64 "-%" PRIx64, inspection->pid,
		 mapping->start, mapping->end);
	return root_stat(inspection->root, path, &st) == 0 && protected_same(&st, named);
}

/* An unreadable file ends the search: it may be TT-Metal. */
static int inspect_file(const struct metal_mapping *mapping, void *arg)
{
	struct code *code = arg;
	struct role_inspection *inspection = code->inspection;
	CLEANUP_CLOSE int fd = -1;
	struct metal_library library;
	struct stat named;
	int r;

	if (++code->files > FILES_MAX)
		return -E2BIG;
	if (!inspection->uid_is_root && (inspection->code_unprotected || code->root < 0 ||
					 !protected_path(code->root, mapping->path, &named) ||
					 !is_mapped(inspection, mapping, &named))) {
		inspection->code_unprotected = true;
		return 1; /* decided, and no file of that user was accessed */
	}
	fd = metal_mapped_open(inspection->root, inspection->pid, mapping);
	if (fd < 0)
		return fd;
	r = metal_library_read(&library, fd);
	if (r < 0 && r != -ENOENT && r != -EBADMSG && r != -ENOTSUP)
		return r;
	inspection->code_is_metal = r == 0 || r == -ENOTSUP;
	return inspection->code_is_metal;
}

static void inspect_code(struct role_inspection *inspection, int process_root)
{
	struct code code = { .inspection = inspection, .root = process_root };
	CLEANUP_BUF struct buf text = { 0 };
	char path[PROC_PATH_SIZE];

	proc_path(path, inspection->pid, "maps");
	if (root_read_all(inspection->root, path, maps_limit, &text) < 0 || !text.length)
		return;
	inspection->code_unprotected = has_code_without_file(text.data);
	inspection->code_read = metal_mapped_each(text.data, inspect_file, &code) >= 0;
}

static void inspect_again(struct role_inspection *inspection)
{
	CLEANUP_CLOSE int process_root = -1;
	char path[PATH_MAX];
	struct stat st, named;

	inspection->exe_read = read_exe(inspection, path, sizeof(path), &st);
	if (!inspection->exe_read)
		return;
	inspection->device = st.st_dev;
	inspection->inode = st.st_ino;
	process_root = protected_open_root(inspection->root, inspection->pid);
	/* Root may use any names; other users must run programs that root has named. */
	inspection->exe_protected =
		names_exe(path, inspection->exe) && protected_by_mode(&st) &&
		(inspection->uid_is_root ||
		 (process_root >= 0 && protected_path(process_root, path, &named) &&
		  protected_same(&st, &named)));
	if (inspection->exe_protected || (inspection->by_script && inspection->uid_is_root))
		inspect_code(inspection, process_root);
}

/*
 * execve() keeps pid, start time and perhaps the name, but not the executable; loading a library
 * changes the size.
 */
static bool is_unchanged(const struct role_inspection *inspection)
{
	struct stat st;
	char path[PROC_PATH_SIZE];

	proc_path(path, inspection->pid, "exe");
	return inspection->is_done && inspection->start_ticks == inspection->stat.start_ticks &&
	       inspection->size == inspection->stat.size &&
	       root_stat(inspection->root, path, &st) == 0 && st.st_dev == inspection->device &&
	       st.st_ino == inspection->inode;
}

void role_inspection_run(void *arg)
{
	struct role_inspection *inspection = arg;

	if (is_unchanged(inspection))
		return;
	inspection->exe_read = inspection->exe_protected = false;
	inspection->code_read = inspection->code_is_metal = inspection->code_unprotected = false;
	inspect_again(inspection);
	inspection->is_done = true;
	inspection->start_ticks = inspection->stat.start_ticks;
	inspection->size = inspection->stat.size;
}
