/*
 * served FOLDER MOUNTPOINT: serves the files of a folder by FUSE. Nothing is cached, so that each
 * access needs this program; while it is stopped, all accesses block.
 */
#define FUSE_USE_VERSION 314
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int folder;

static const char *below(const char *path)
{
	return path[1] ? path + 1 : ".";
}

static int served_getattr(const char *path, struct stat *st, struct fuse_file_info *info)
{
	(void)info;
	return fstatat(folder, below(path), st, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
}

static int served_open(const char *path, struct fuse_file_info *info)
{
	int fd = openat(folder, below(path), O_RDONLY | O_CLOEXEC);

	info->fh = (uint64_t)fd;
	return fd < 0 ? -errno : 0;
}

static int served_read(const char *path, char *to, size_t size, off_t offset,
		       struct fuse_file_info *info)
{
	ssize_t n = pread((int)info->fh, to, size, offset);

	(void)path;
	return n < 0 ? -errno : (int)n;
}

static int served_release(const char *path, struct fuse_file_info *info)
{
	(void)path;
	return close((int)info->fh);
}

static void *served_init(struct fuse_conn_info *connection, struct fuse_config *config)
{
	(void)connection;
	config->attr_timeout = config->entry_timeout = 0;
	return NULL;
}

static const struct fuse_operations operations = {
	.init = served_init,
	.getattr = served_getattr,
	.open = served_open,
	.read = served_read,
	.release = served_release,
};

int main(int argc, char **argv)
{
	char *words[] = { argv[0], argv[2], (char[]){ "-f" }, (char[]){ "-s" } };

	if (argc != 3)
		return 2;
	folder = open(argv[1], O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return 2;
	return fuse_main(4, words, &operations, NULL);
}
