#include "source/claim_files.h"

#include "basic/file.h"
#include "source/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* A million locks. */
static const size_t locks_limit = 128 << 20;

/*
 * Readings of /proc/locks if it has several pages, and how many are made until it shows locks that
 * are known to be there.
 */
enum { READINGS = 4, MOST_READINGS = 50 };

/* Most calls of fcntl(2) per file and look: a user who makes very many locks delays no look. */
enum { MOST_LOOKUPS = 1000 };

/* Locks here, one byte each, find out how /proc/locks writes the inode of a file. */
static const int64_t probe_start = INT64_C(1) << 62;

int claim_files_init(struct claim_files *files, const struct root *root)
{
	char self[16];
	ssize_t length = file_readlink(AT_FDCWD, "/proc/self", self, sizeof(self));

	*files = (struct claim_files){ .root = root };
	if (length < 0 || sscanf(self, "%" SCNd32, &files->self) != 1)
		return -ENOTSUP;
	return 0;
}

void claim_files_done(struct claim_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		close(files->list[i].fd);
	free(files->list);
	files->list = NULL;
	files->count = 0;
}

const struct claim_file *claim_files_find(const struct claim_files *files, uint32_t device)
{
	for (size_t i = 0; i < files->count; i++)
		if (files->list[i].device == device)
			return &files->list[i];
	return NULL;
}

/* ---- /proc/locks ---- */

struct lock_line {
	int32_t pid;
	char inode[48];
	int64_t start, last;
};

/* "2: POSIX  ADVISORY  READ 4711 00:16:5259 0 3". False: a lock of another kind. */
static bool parse_line(const char *line, struct lock_line *ret)
{
	return sscanf(line, "%*d: POSIX %*15[A-Z] READ %" SCNd32 " %47s %" SCNd64 " %" SCNd64,
		      &ret->pid, ret->inode, &ret->start, &ret->last) == 4;
}

/*
 * The kernel writes /proc/locks a page at a time, and leaves out a lock if an earlier one is
 * released in between. Another reading then has it.
 */
static int each_lock(int (*visit)(const struct lock_line *line, void *arg), void *arg,
		     size_t *ret_length)
{
	CLEANUP_BUF struct buf text = { 0 };
	int r = file_read_all(AT_FDCWD, "/proc/locks", locks_limit, &text);

	if (r < 0)
		return r;
	*ret_length = text.length;
	for (const char *line = buf_text(&text); line && *line && r >= 0;
	     line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		struct lock_line lock;

		if (parse_line(line, &lock))
			r = visit(&lock, arg);
	}
	return r;
}

/* ---- opening ---- */

static void device_path(char *path, size_t size, uint32_t device)
{
	snprintf(path, size, "sys/class/tenstorrent/tenstorrent!%u/dev", device);
}

/* Is it still the file of the device, which may have been removed and come back? */
static bool is_same(const struct claim_files *files, const struct claim_file *file)
{
	struct stat now, opened;
	char path[64];

	device_path(path, sizeof(path), file->device);
	return root_stat(files->root, path, &now) == 0 && fstat(file->fd, &opened) == 0 &&
	       now.st_dev == opened.st_dev && now.st_ino == opened.st_ino;
}

static void close_others(struct claim_files *files, const uint32_t *devices, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < files->count; i++) {
		bool wanted = false;

		for (size_t d = 0; d < count && !wanted; d++)
			wanted = devices[d] == files->list[i].device;
		if (wanted && is_same(files, &files->list[i]))
			files->list[kept++] = files->list[i];
		else
			close(files->list[i].fd);
	}
	files->count = kept;
}

static int set_lock(int fd, short type, int64_t start, int64_t length)
{
	struct flock lock = {
		.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = length
	};

	return fcntl(fd, F_SETLK, &lock) < 0 ? -errno : 0;
}

/* 1: the file of this device cannot be opened. */
static int add_file(struct claim_files *files, uint32_t device)
{
	struct claim_file *grown =
		reallocarray(files->list, files->count + 1, sizeof(*files->list));
	struct claim_file file = { .device = device };
	char path[64];

	if (!grown)
		return -ENOMEM;
	files->list = grown;
	device_path(path, sizeof(path), device);
	file.fd = root_open(files->root, path, O_RDONLY | O_CLOEXEC);
	if (file.fd < 0)
		return 1;
	files->list[files->count++] = file;
	return set_lock(file.fd, F_RDLCK, probe_start + 2 * (int64_t)device, 1);
}

static int take_inode(const struct lock_line *line, void *arg)
{
	struct claim_files *files = arg;

	for (size_t i = 0; i < files->count && line->pid == files->self; i++)
		if (line->start == probe_start + 2 * (int64_t)files->list[i].device)
			memcpy(files->list[i].inode, line->inode, sizeof(line->inode));
	return 0;
}

static bool all_inodes_known(const struct claim_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		if (!files->list[i].inode[0])
			return false;
	return true;
}

static int learn_inodes(struct claim_files *files)
{
	size_t length;
	int r = 0;

	for (unsigned i = 0; i < MOST_READINGS && r >= 0 && !all_inodes_known(files); i++)
		r = each_lock(take_inode, files, &length);
	for (size_t i = 0; i < files->count; i++)
		if (set_lock(files->list[i].fd, F_UNLCK,
			     probe_start + 2 * (int64_t)files->list[i].device, 1) < 0)
			r = r < 0 ? r : -ENOTSUP;
	return r < 0 || all_inodes_known(files) ? r : -ENOTSUP;
}

int claim_files_open(struct claim_files *files, const uint32_t *devices, size_t count)
{
	bool added = false;

	close_others(files, devices, count);
	for (size_t i = 0; i < count; i++) {
		int r = claim_files_find(files, devices[i]) ? 1 : add_file(files, devices[i]);

		if (r < 0)
			return r;
		added |= r == 0;
	}
	if (added) {
		int r = learn_inodes(files);

		return r < 0 ? r : 1;
	}
	return 0;
}

/* ---- claims ---- */

int claim_file_put(const struct claim_file *file, enum claim_stage stage, int64_t time_us)
{
	return set_lock(file->fd, F_RDLCK, claim_start(time_us), stage);
}

void claim_file_withdraw(const struct claim_file *file, int64_t time_us)
{
	(void)!set_lock(file->fd, F_UNLCK, claim_start(time_us), CLAIM_STAGES);
}

struct reading {
	const struct claim_files *files;
	struct claims *claims;
};

/* The effective user of a process. */
static uint32_t user_of(int32_t pid)
{
	struct procfs_status status;
	char path[32], text[4096];

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (file_read(AT_FDCWD, path, text, sizeof(text)) < 0 ||
	    procfs_parse_status(text, &status) < 0)
		return CLAIM_NO_USER;
	return status.uid;
}

/* A process has claims on many devices, which /proc/locks lists next to each other. */
static uint32_t user_of_claim(const struct claims *claims, int32_t pid)
{
	if (claims->count && claims->list[claims->count - 1].pid == pid)
		return claims->list[claims->count - 1].uid;
	return user_of(pid);
}

static int take_claim(const struct lock_line *line, void *arg)
{
	const struct reading *reading = arg;
	struct claim claim = { .pid = line->pid };

	if (!claim_parse_range(line->start, line->last, &claim))
		return 0;
	for (size_t i = 0; i < reading->files->count; i++) {
		if (strcmp(reading->files->list[i].inode, line->inode) != 0)
			continue;
		claim.device = reading->files->list[i].device;
		claim.uid = user_of_claim(reading->claims, line->pid);
		return claims_add(reading->claims, &claim);
	}
	return 0;
}

/* ---- claims of processes in other pid namespaces ---- */

struct hidden_search {
	const struct claim_file *file;
	struct claims *claims;
	unsigned lookups;
};

static int add_hidden(const struct hidden_search *search, int64_t start, int64_t last)
{
	struct claim claim = { .device = search->file->device, .uid = CLAIM_NO_USER };

	return claim_parse_range(start, last, &claim) ? claims_add(search->claims, &claim) : 0;
}

/*
 * /proc/locks leaves out processes that are not visible in this pid namespace. F_GETLK reports
 * their locks, without a pid: one in the range asked for, so the ranges on both sides are searched
 * next.
 */
static int find_hidden(struct hidden_search *search, int64_t start, int64_t last)
{
	while (start <= last && search->lookups++ < MOST_LOOKUPS) {
		struct flock lock = { .l_type = F_WRLCK,
				      .l_whence = SEEK_SET,
				      .l_start = start,
				      .l_len = last - start + 1 };
		int64_t end;
		int r = 0;

		if (fcntl(search->file->fd, F_GETLK, &lock) < 0 || lock.l_type == F_UNLCK)
			return 0;
		end = lock.l_len ? lock.l_start + lock.l_len - 1 : last;
		if (lock.l_pid == 0)
			r = add_hidden(search, lock.l_start, end);
		if (r == 0)
			r = find_hidden(search, start, lock.l_start - 1);
		if (r < 0)
			return r;
		start = end + 1;
	}
	return 0;
}

/* A claim that is read several times does no harm. */
int claim_files_read(const struct claim_files *files, struct claims *ret)
{
	struct reading reading = { files, ret };
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t length = 0;
	int r = each_lock(take_claim, &reading, &length);

	for (unsigned i = 1; i < READINGS && r >= 0 && length > page / 2; i++)
		r = each_lock(take_claim, &reading, &length);
	for (size_t i = 0; i < files->count && r >= 0; i++) {
		struct hidden_search search = { .file = &files->list[i], .claims = ret };

		r = find_hidden(&search, 0, probe_start - 1);
	}
	return r;
}
