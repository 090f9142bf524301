#include "trace/pins.h"

#include "basic/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>

static int fail(struct buf *problem, int r, const char *what)
{
	buf_printf(problem, "%s: %s", what, strerror(-r));
	return r;
}

static int is_mounted(void)
{
	struct statfs fs;

	if (statfs(PINS_FOLDER, &fs) < 0)
		return errno == ENOENT ? 0 : -errno;
	return fs.f_type == BPF_FS_MAGIC;
}

int pins_are_there(void)
{
	if (access(PINS_ALLOCATIONS, F_OK) == 0)
		return 1;
	return errno == ENOENT ? 0 : -errno;
}

static int make_folder(const char *path, mode_t mode)
{
	if (mkdir(path, mode) < 0 && errno != EEXIST)
		return -errno;
	return 0;
}

int pins_mount(struct buf *problem)
{
	static const char *const inner[] = { PINS_MAPS, PINS_PROGRAMS, PINS_LINKS };
	int r;

	r = make_folder(TRACE_FOLDER, 0755);
	if (r < 0)
		return fail(problem, r, TRACE_FOLDER);
	r = make_folder(PINS_FOLDER, 0755);
	if (r < 0)
		return fail(problem, r, PINS_FOLDER);
	r = is_mounted();
	if (r == 0 &&
	    mount("bpf", PINS_FOLDER, "bpf", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0755") < 0)
		r = -errno;
	if (r < 0)
		return fail(problem, r, "cannot mount a BPF file system on " PINS_FOLDER);
	for (size_t i = 0; i < ARRAY_SIZE(inner); i++) {
		r = make_folder(inner[i], 0700);
		if (r < 0)
			return fail(problem, r, inner[i]);
	}
	return 0;
}

static int remove_one(const char *name, void *arg)
{
	const char *folder = arg;
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return unlink(path) < 0 && errno != EISDIR && errno != EPERM ? -errno : 0;
}

/* Removes the files of a folder; folders in it stay. */
static int clear_folder(char *folder)
{
	int r = directory_each(AT_FDCWD, folder, remove_one, folder);

	return r == -ENOENT ? 0 : r;
}

int pins_clear(struct buf *problem)
{
	/* The files that users read, then probes and programs, and last the maps that these use. */
	static char folders[][sizeof(PINS_PROGRAMS)] = { PINS_FOLDER, PINS_LINKS, PINS_PROGRAMS,
							 PINS_MAPS };

	if (is_mounted() != 1)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		int r = clear_folder(folders[i]);

		if (r < 0)
			return fail(problem, r, folders[i]);
	}
	return 0;
}

int pins_unmount(struct buf *problem)
{
	/* MNT_DETACH: a process may be reading now. The unmount completes when it is done. */
	if (is_mounted() == 1 && umount2(PINS_FOLDER, MNT_DETACH) < 0)
		return fail(problem, -errno, PINS_FOLDER);
	if (rmdir(PINS_FOLDER) < 0 && errno != ENOENT)
		return fail(problem, -errno, PINS_FOLDER);
	return 0;
}
