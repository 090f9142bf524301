#include "source/role_look.h"

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

/* A process with more text in its maps is not analysed. */
static const size_t maps_limit = 64 << 20;

/* Most files of code to read. metal_mapped_each() skips those after 1024. */
enum { FILES_MAX = 1000 };

/* State while the code is read. */
struct code {
	struct role_look *look;
	int root; /* where its paths begin; -1: others may have mounted something there */
	unsigned files;
};

static bool read_exe(struct role_look *look, char *path, size_t size, struct stat *ret)
{
	char name[32];
	ssize_t length;

	snprintf(name, sizeof(name), "proc/%d/exe", look->pid);
	length = root_readlink(look->root, name, path, size);
	return length > 0 && root_stat(look->root, name, ret) == 0 && S_ISREG(ret->st_mode);
}

static bool names_exe(const char *path, const char *name)
{
	size_t length = strlen(name);
	const char *base = strrchr(path, '/');

	return base && strncmp(base + 1, name, length) == 0 &&
	       (!base[1 + length] || strcmp(base + 1 + length, PROCFS_DELETED) == 0);
}

/*
 * Is there code without a file, which could be anything? The kernel's own pages have names in
 * brackets.
 */
static bool has_code_without_file(const char *text)
{
	static const char *const kernels[] = { "[vdso]", "[vsyscall]", "[uprobes]" };

	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		char mode[8], name[32] = "";
		uint64_t inode;
		bool known = false;

		if (sscanf(line, "%*x-%*x %7s %*x %*x:%*x %" SCNu64 "%*[ ]%31[^\n]", mode, &inode,
			   name) < 2 ||
		    inode || !strchr(mode, 'x'))
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(kernels); i++)
			known |= strcmp(name, kernels[i]) == 0;
		if (!known)
			return true;
	}
	return false;
}

/*
 * Is the file at this path the one that is mapped? The path alone proves nothing: a descriptor
 * from another mount namespace can have the same text. Device and inode are compared where the
 * file system shows the same ones to every process; elsewhere the target of the kernel's own link,
 * if we may follow it.
 */
static bool is_mapped(const struct role_look *look, const struct metal_mapping *mapping,
		      const struct stat *named)
{
	struct stat st;
	char path[96];

	if (named->st_ino == mapping->inode && major(named->st_dev) == mapping->major &&
	    minor(named->st_dev) == mapping->minor)
		return true;
	snprintf(path, sizeof(path), "proc/%d/map_files/%" PRIx64 "-%" PRIx64, look->pid,
		 mapping->start, mapping->end);
	return root_stat(look->root, path, &st) == 0 && protected_same(&st, named);
}

/* A file that cannot be read ends the search: it may be TT-Metal. */
static int look_at_file(const struct metal_mapping *mapping, void *arg)
{
	struct code *code = arg;
	struct role_look *look = code->look;
	CLEANUP_CLOSE int fd = -1;
	struct metal_library library;
	struct stat named;
	int r;

	if (++code->files > FILES_MAX)
		return -E2BIG;
	if (!look->uid_is_root && (look->code_unprotected || code->root < 0 ||
				   !protected_path(code->root, mapping->path, &named) ||
				   !is_mapped(look, mapping, &named))) {
		look->code_unprotected = true;
		return 1; /* decided, and no file of that user was accessed */
	}
	fd = metal_mapped_open(look->root, look->pid, mapping);
	if (fd < 0)
		return fd;
	r = metal_library_read(&library, fd);
	if (r < 0 && r != -ENOENT && r != -EBADMSG && r != -ENOTSUP)
		return r;
	look->code_is_metal = r == 0 || r == -ENOTSUP;
	return look->code_is_metal;
}

static void look_at_code(struct role_look *look, int process_root)
{
	struct code code = { .look = look, .root = process_root };
	CLEANUP_BUF struct buf text = { 0 };
	char path[32];

	snprintf(path, sizeof(path), "proc/%d/maps", look->pid);
	if (root_read_all(look->root, path, maps_limit, &text) < 0 || !text.length)
		return;
	look->code_unprotected = has_code_without_file(text.data);
	look->code_read = metal_mapped_each(text.data, look_at_file, &code) >= 0;
}

static void look_anew(struct role_look *look)
{
	CLEANUP_CLOSE int process_root = -1;
	char path[PATH_MAX];
	struct stat st, named;

	look->exe_read = read_exe(look, path, sizeof(path), &st);
	if (!look->exe_read)
		return;
	look->device = st.st_dev;
	look->inode = st.st_ino;
	process_root = protected_open_root(look->root, look->pid);
	/* Root may name its programs as it likes; others must run programs that root has named. */
	look->exe_protected = names_exe(path, look->exe) && protected_by_mode(&st) &&
			      (look->uid_is_root ||
			       (process_root >= 0 && protected_path(process_root, path, &named) &&
				protected_same(&st, &named)));
	if (look->exe_protected || (look->by_script && look->uid_is_root))
		look_at_code(look, process_root);
}

/*
 * execve() keeps pid, start time and perhaps the name, but not the file; loading a library changes
 * the size.
 */
static bool is_unchanged(const struct role_look *look)
{
	struct stat st;
	char path[32];

	snprintf(path, sizeof(path), "proc/%d/exe", look->pid);
	return look->has_looked && look->start_ticks == look->stat.start_ticks &&
	       look->size == look->stat.size && root_stat(look->root, path, &st) == 0 &&
	       st.st_dev == look->device && st.st_ino == look->inode;
}

void role_look_run(void *arg)
{
	struct role_look *look = arg;

	if (is_unchanged(look))
		return;
	look->exe_read = look->exe_protected = false;
	look->code_read = look->code_is_metal = look->code_unprotected = false;
	look_anew(look);
	look->has_looked = true;
	look->start_ticks = look->stat.start_ticks;
	look->size = look->stat.size;
}
