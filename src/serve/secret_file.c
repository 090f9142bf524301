#include "serve/secret_file.h"

#include "basic/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

/* Some hundred certificates, some thousand users. */
static const size_t largest = 1 << 20;

/* Returns 0, or -errno; some errors have a text of their own. */
static int check(int fd, mode_t forbidden, const char **ret_reason)
{
	struct stat info;

	if (fstat(fd, &info) < 0)
		return -errno;
	if (!S_ISREG(info.st_mode)) {
		*ret_reason = "not a regular file";
		return -EINVAL;
	}
	if (info.st_mode & forbidden & S_IRWXO) {
		*ret_reason = forbidden & S_IROTH
				      ? "every user has access to it; restrict it with: chmod 640"
				      : "every user may change it; restrict it with: chmod 640";
		return -EPERM;
	}
	if (info.st_mode & forbidden) {
		*ret_reason = "its group may change it; restrict it with: chmod 640";
		return -EPERM;
	}
	return 0;
}

bool secret_file_read(const char *path, mode_t forbidden, struct buf *ret, struct buf *why)
{
	const char *reason = NULL;
	/* Not blocked by a FIFO. */
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int r = fd < 0 ? -errno : check(fd, forbidden, &reason);

	if (r == 0)
		r = file_read_all_open(fd, largest, ret);
	if (r >= 0)
		return true;
	buf_printf(why, "%s: %s", path, reason ? reason : strerror(-r));
	return false;
}

void secret_wipe(struct buf *text)
{
	if (text->data)
		explicit_bzero(text->data, text->length);
	buf_done(text);
}
