#include "source/table_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

static int check(int fd, size_t least)
{
	const int needed = F_SEAL_SHRINK | F_SEAL_GROW;
	struct stat st;
	struct statfs fs;
	int seals = fcntl(fd, F_GET_SEALS);

	/* A file that can shrink could cause SIGBUS at any time, as could huge pages. */
	if (seals < 0 || (seals & needed) != needed)
		return -EPERM;
	if (fstat(fd, &st) < 0 || fstatfs(fd, &fs) < 0)
		return -errno;
	if (fs.f_type != TMPFS_MAGIC || !S_ISREG(st.st_mode))
		return -EPERM;
	return st.st_size < (off_t)least ? -EBADMSG : 0;
}

int table_file_open(const struct root *root, int32_t pid, int32_t descriptor, size_t least)
{
	char path[48];
	int fd, r;

	snprintf(path, sizeof(path), "proc/%d/fd/%d", pid, descriptor);
	fd = root_open_memory(root, path);
	if (fd < 0)
		return fd;
	r = check(fd, least);
	if (r == 0)
		return fd;
	close(fd);
	return r;
}

void table_file_report(struct snapshot *snapshot, const char *source, int32_t pid,
		       int32_t descriptor, int error)
{
	if (error == -EAGAIN || error == -ENOENT || error == -EACCES)
		return; /* not written yet, closed meanwhile, or not to be read */
	snapshot_add_problem(snapshot, source, "process %d, descriptor %d: %s", pid, descriptor,
			     error == -EPERM ? "not sealed, so not read" : strerror(-error));
}

bool table_file_is_own(const struct process *process, uint64_t pid, uint64_t start_ticks)
{
	int32_t inner = process->ns_depth ? process->ns_pids[process->ns_depth - 1] : process->pid;

	if (start_ticks && process->start_ticks && start_ticks != process->start_ticks)
		return false;
	return pid == (uint64_t)inner;
}
