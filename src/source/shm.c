#include "source/shm.h"

#include "basic/clock.h"
#include "basic/parse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct visit {
	const char *suffix;
	int (*each)(uint64_t id, const char *name, void *arg);
	void *arg;
};

static int visit_name(const char *name, void *arg)
{
	static const char prefix[] = "tt_device_";
	const struct visit *visit = arg;
	const char *digits = name + sizeof(prefix) - 1;
	char text[21] = { 0 };
	uint64_t id;
	size_t length;

	if (strncmp(name, prefix, sizeof(prefix) - 1) != 0)
		return 0;
	length = strspn(digits, "0123456789");
	if (length == 0 || length >= sizeof(text) ||
	    (visit->suffix && strcmp(digits + length, visit->suffix) != 0))
		return 0;
	memcpy(text, digits, length);
	return parse_u64(text, &id) < 0 ? 0 : visit->each(id, name, visit->arg);
}

int shm_each(const struct root *root, const char *suffix,
	     int (*each)(uint64_t id, const char *name, void *arg), void *arg)
{
	struct visit visit = { suffix, each, arg };

	return root_each(root, "dev/shm", visit_name, &visit);
}

int shm_files_open(const char *suffix, void **ret_state)
{
	struct shm_files *files = calloc(1, sizeof(*files));

	if (!files)
		return -ENOMEM;
	files->suffix = suffix;
	*ret_state = files;
	return 0;
}

static void close_kept(struct shm_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

static void drop_files(struct shm_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		close_kept(&files->files[i]);
	free(files->files);
	files->files = NULL;
	files->count = 0;
	files->settled = false;
}

void shm_files_close(void *state, struct crew *crew)
{
	struct shm_files *files = state;

	(void)crew;
	drop_files(files);
	free(files);
}

static int add_file(uint64_t id, const char *name, void *arg)
{
	struct shm_files *files = arg;
	struct shm_file *grown =
		reallocarray(files->files, files->count + 1, sizeof(*files->files));

	if (!grown)
		return -ENOMEM;
	files->files = grown;
	grown[files->count] = (struct shm_file){ .id = id, .fd = -1 };
	snprintf(grown[files->count].name, sizeof(grown->name), "%s", name);
	files->count++;
	return 0;
}

static bool is_unchanged(const struct shm_folder *folder, const struct stat *st)
{
	return folder->device == st->st_dev && folder->inode == st->st_ino &&
	       folder->changed.tv_sec == st->st_mtim.tv_sec &&
	       folder->changed.tv_nsec == st->st_mtim.tv_nsec;
}

int shm_files_find(struct shm_files *files, const struct root *root)
{
	/* The clock of a file system moves in ticks: two changes in one have the same time. */
	static const int64_t tick_ns = 100 * NS_PER_MS;
	int64_t now = clock_now(CLOCK_REALTIME);
	struct stat st;
	int r;

	r = root_stat(root, "dev/shm", &st);
	if (r < 0) {
		drop_files(files);
		return r;
	}
	if (files->settled && is_unchanged(&files->folder, &st))
		return 0;
	drop_files(files);
	r = shm_each(root, files->suffix, add_file, files);
	if (r < 0)
		return r;
	files->folder = (struct shm_folder){ st.st_dev, st.st_ino, st.st_mtim };
	files->settled = now - (st.st_mtim.tv_sec * NS_PER_S + st.st_mtim.tv_nsec) > tick_ns;
	return 0;
}

/* Neither follows links nor waits. */
static int open_file(const struct root *root, const char *name)
{
	CLEANUP_CLOSE int fd = -1;
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "dev/shm/%s", name);
	fd = root_open(root, path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st) < 0)
		return fd < 0 ? fd : -errno;
	return S_ISREG(st.st_mode) ? TAKE_FD(fd) : -EINVAL;
}

ssize_t shm_files_read(struct shm_files *files, const struct root *root, size_t at, void *data,
		       size_t size)
{
	/* Anybody may make more of them than we have descriptors. */
	static const size_t max_kept = 256;
	struct shm_file *file = &files->files[at];
	ssize_t n;

	if (file->fd < 0) {
		int fd = open_file(root, file->name);

		if (fd < 0)
			return fd;
		file->fd = fd;
	}
	/* In one call: what is added meanwhile is for the next sample. */
	do
		n = pread(file->fd, data, size, 0);
	while (n < 0 && errno == EINTR);
	n = n < 0 ? -errno : n;
	if (n < 0 || at >= max_kept)
		close_kept(file);
	return n;
}
