#include "source/shm.h"

#include "basic/parse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
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

	return directory_each(root->fd, "dev/shm", visit_name, &visit);
}

ssize_t shm_read(const struct root *root, const char *name, void *data, size_t size)
{
	CLEANUP_CLOSE int fd = -1;
	char path[64];
	struct stat st;
	size_t done = 0;

	if (snprintf(path, sizeof(path), "dev/shm/%s", name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = openat(root->fd, path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	size = MIN(size, (size_t)st.st_size); /* what is added meanwhile is for the next sample */
	while (done < size) {
		ssize_t n = read(fd, (char *)data + done, size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}
