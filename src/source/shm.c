#include "source/shm.h"

#include "basic/clock.h"
#include "basic/file.h"
#include "basic/parse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/*
 * A user can create as many files as the file system has room for. A machine has at most a few
 * hundred; beyond this limit those with the largest ids are ignored.
 */
enum { FILES_MAX = 1 << 17, KEPT_MAX = 256 };

static const char prefix[] = "tt_device_";
static const char *const suffixes[SHM_KINDS] = {
	[SHM_MEMORY] = "_memory",
	[SHM_UTIL] = "_util",
};

void shm_path(char path[static SHM_PATH_SIZE], uint64_t id, enum shm_kind kind)
{
	snprintf(path, SHM_PATH_SIZE, "/dev/shm/%s%llu%s", prefix, (unsigned long long)id,
		 suffixes[kind]);
}

/* The path relative to the root has no leading slash. */
static int open_path(const struct shm_folder *folder, size_t at, int flags)
{
	char path[SHM_PATH_SIZE];

	shm_path(path, folder->files[at].id, folder->files[at].kind);
	return root_open(folder->root, path + 1, flags | O_NOFOLLOW | O_CLOEXEC);
}

void shm_folder_init(struct shm_folder *folder, const struct root *root)
{
	*folder = (struct shm_folder){ .root = root };
}

static void close_kept(struct shm_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

static void drop_files(struct shm_folder *folder)
{
	for (size_t i = 0; i < folder->count; i++)
		close_kept(&folder->files[i]);
	free(folder->files);
	folder->files = NULL;
	folder->count = 0;
	folder->cut = folder->settled = false;
}

void shm_folder_done(struct shm_folder *folder)
{
	drop_files(folder);
}

/*
 * Accepts only the form that TT-Metal writes, without leading zeros, so that the id determines the
 * name.
 */
static bool parse_name(const char *name, uint64_t *ret_id, enum shm_kind *ret_kind)
{
	const char *digits = name + sizeof(prefix) - 1;
	char text[21] = { 0 };
	size_t length;

	if (strncmp(name, prefix, sizeof(prefix) - 1) != 0)
		return false;
	length = strspn(digits, "0123456789");
	if (length == 0 || length >= sizeof(text) || (length > 1 && digits[0] == '0'))
		return false;
	memcpy(text, digits, length);
	for (enum shm_kind kind = 0; kind < SHM_KINDS; kind++) {
		if (strcmp(digits + length, suffixes[kind]) != 0)
			continue;
		*ret_kind = kind;
		return parse_u64(text, ret_id) >= 0;
	}
	return false;
}

static int add_file(const char *name, void *arg)
{
	struct shm_folder *folder = arg;
	struct shm_file file = { .fd = -1 }, *grown;

	if (!parse_name(name, &file.id, &file.kind))
		return 0;
	if (folder->count == FILES_MAX) {
		folder->cut = true;
		return 1;
	}
	/* The array grows by doubling: it is full when the count is a power of two. */
	if ((folder->count & (folder->count - 1)) == 0) {
		grown = reallocarray(folder->files, folder->count ? folder->count * 2 : 1,
				     sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		folder->files = grown;
	}
	folder->files[folder->count++] = file;
	return 0;
}

/* Directories are unordered. */
static int by_id(const void *a, const void *b)
{
	const struct shm_file *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->kind > y->kind) - (x->kind < y->kind);
}

static bool is_unchanged(const struct shm_stamp *stamp, const struct stat *st)
{
	return stamp->device == st->st_dev && stamp->inode == st->st_ino &&
	       stamp->changed.tv_sec == st->st_mtim.tv_sec &&
	       stamp->changed.tv_nsec == st->st_mtim.tv_nsec;
}

int shm_folder_refresh(struct shm_folder *folder)
{
	/* File system timestamps have a coarse resolution: two changes can have the same one. */
	static const int64_t tick_ns = 100 * NS_PER_MS;
	int64_t now = clock_now(CLOCK_REALTIME);
	struct stat st;
	int r;

	r = root_stat(folder->root, "dev/shm", &st);
	if (r < 0) {
		drop_files(folder);
		return r;
	}
	if (folder->settled && is_unchanged(&folder->stamp, &st))
		return 0;
	drop_files(folder);
	r = root_each(folder->root, "dev/shm", add_file, folder);
	if (r < 0) {
		drop_files(folder);
		return r;
	}
	if (folder->count)
		qsort(folder->files, folder->count, sizeof(*folder->files), by_id);
	folder->stamp = (struct shm_stamp){ st.st_dev, st.st_ino, st.st_mtim };
	folder->settled = now - (st.st_mtim.tv_sec * NS_PER_S + st.st_mtim.tv_nsec) > tick_ns;
	return 0;
}

bool shm_folder_has(const struct shm_folder *folder, enum shm_kind kind)
{
	for (size_t i = 0; i < folder->count; i++)
		if (folder->files[i].kind == kind)
			return true;
	return false;
}

int shm_folder_owner(const struct shm_folder *folder, size_t at, uid_t *ret)
{
	CLEANUP_CLOSE int seen = open_path(folder, at, O_PATH);
	struct stat st;

	if (seen < 0 || fstat(seen, &st) < 0)
		return seen < 0 ? seen : -errno;
	*ret = st.st_uid;
	return 0;
}

/* Checks the type before opening the file: opening a FIFO or a device has side effects. */
static int open_regular(const struct shm_folder *folder, size_t at, uid_t *ret_owner)
{
	CLEANUP_CLOSE int seen = open_path(folder, at, O_PATH);
	struct stat st;

	if (seen < 0 || fstat(seen, &st) < 0)
		return seen < 0 ? seen : -errno;
	*ret_owner = st.st_uid;
	return S_ISREG(st.st_mode) ? file_reopen(seen) : -EINVAL;
}

/* Its owner may have changed since it was opened. */
static int read_owner(int fd, uid_t *ret)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	*ret = st.st_uid;
	return 0;
}

ssize_t shm_folder_read(struct shm_folder *folder, size_t at, void *data, size_t size,
			uid_t *ret_owner)
{
	struct shm_file *file = &folder->files[at];
	uid_t owner = (uid_t)-1;
	ssize_t n;
	int r;

	if (file->fd >= 0)
		r = read_owner(file->fd, &owner);
	else
		r = file->fd = open_regular(folder, at, &owner);
	if (r < 0) {
		close_kept(file);
		return r;
	}
	/* One call; what is appended meanwhile is read in the next sample. */
	do
		n = pread(file->fd, data, size, 0);
	while (n < 0 && errno == EINTR);
	n = n < 0 ? -errno : n;
	if (n < 0 || at >= KEPT_MAX)
		close_kept(file);
	*ret_owner = owner;
	return n;
}
