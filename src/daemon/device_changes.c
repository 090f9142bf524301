#include "daemon/device_changes.h"

#include "basic/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#define SETTLE (200 * NS_PER_MS)

int device_changes_init(struct device_changes *changes)
{
	*changes = (struct device_changes){ .fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK) };
	return changes->fd < 0 ? -errno : 0;
}

void device_changes_done(struct device_changes *changes)
{
	if (changes->fd >= 0)
		close(changes->fd);
	changes->fd = -1;
}

/*
 * Watches the directories in which device nodes appear; also /dev, in case the driver is loaded
 * later.
 */
void device_changes_watch(const struct device_changes *changes, const struct root *root)
{
	static const char *const directories[] = { "dev", "dev/tenstorrent",
						   "sys/class/tenstorrent" };
	const uint32_t events = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR;

	for (size_t i = 0; i < ARRAY_SIZE(directories); i++) {
		char path[64];
		CLEANUP_CLOSE int fd =
			root_open(root, directories[i], O_PATH | O_DIRECTORY | O_CLOEXEC);

		if (fd < 0)
			continue;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		inotify_add_watch(changes->fd, path,
				  events); /* on failure, the next sample shows the change */
	}
}

/* Is it one of our nodes? Other files appear in /dev, too. */
static bool change_matters(const struct inotify_event *event)
{
	return event->len == 0 || strcmp(event->name, "tenstorrent") == 0 ||
	       strspn(event->name, "0123456789") == strlen(event->name) ||
	       strncmp(event->name, "tenstorrent!", strlen("tenstorrent!")) == 0;
}

void device_changes_read(struct device_changes *changes)
{
	_Alignas(struct inotify_event) char data[4096];
	ssize_t n;

	while ((n = read(changes->fd, data, sizeof(data))) > 0) {
		for (char *at = data; at < data + n;) {
			const struct inotify_event *event = (const void *)at;

			if (change_matters(event))
				changes->settle_ns = clock_now(CLOCK_MONOTONIC) + SETTLE;
			at += sizeof(*event) + event->len;
		}
	}
}

int device_changes_timeout(const struct device_changes *changes)
{
	int64_t left;

	if (!changes->settle_ns)
		return -1;
	left = changes->settle_ns - clock_now(CLOCK_MONOTONIC);
	return (int)(MAX(left, 0) / NS_PER_MS) + 1;
}

bool device_changes_take(struct device_changes *changes)
{
	bool settled = changes->settle_ns && clock_now(CLOCK_MONOTONIC) >= changes->settle_ns;

	if (settled)
		changes->settle_ns = 0;
	return settled;
}
