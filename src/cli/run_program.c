#include "cli/run_program.h"

#include "metal/elf_file.h"
#include "metal/library.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

/* The kernel's limits for the first line of a script, and for nested interpreters. */
enum { FIRST_LINE = 4096, INTERPRETERS_MAX = 5 };

static int check_executable(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return -errno;
	return S_ISREG(st.st_mode) && access(path, X_OK) == 0 ? 0 : -EACCES;
}

int program_find(const char *name, char *path, size_t size)
{
	const char *list = getenv("PATH");
	int r = -ENOENT;

	if (strchr(name, '/')) {
		snprintf(path, size, "%s", name);
		return check_executable(name);
	}
	for (list = list ? list : "/bin:/usr/bin"; name[0]; list++) {
		size_t length = strcspn(list, ":");
		int n = snprintf(path, size, "%.*s%s%s", (int)length, list, length ? "/" : "",
				 name);
		int seen = n < 0 || (size_t)n >= size ? -ENOENT : check_executable(path);

		if (seen == 0)
			return 0;
		if (seen == -EACCES)
			r = seen;
		list += length;
		if (!*list)
			break;
	}
	return r;
}

/* "#! /path argument": copies the path. False: not a script. */
static bool read_interpreter(int fd, char *path, size_t size)
{
	char text[FIRST_LINE + 1], *at = text + 2;
	ssize_t n = pread(fd, text, FIRST_LINE, 0);
	size_t length;

	if (n < 2 || strncmp(text, "#!", 2) != 0)
		return false;
	text[n] = '\0';
	at += strspn(at, " \t");
	length = strcspn(at, " \t\r\n");
	if (length == 0 || length >= size)
		return false;
	memcpy(path, at, length);
	path[length] = '\0';
	return true;
}

/* Opens the file that is executed: for a script its interpreter, whose path is then in path. */
static int open_executed(char path[static PATH_MAX])
{
	for (int i = 0;; i++) {
		CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

		if (fd < 0)
			return -errno;
		if (i == INTERPRETERS_MAX || !read_interpreter(fd, path, PATH_MAX))
			return TAKE_FD(fd);
	}
}

/*
 * The loader ignores LD_PRELOAD in a program that gains privileges. Such programs often cannot be
 * read, so this uses only stat(2) and getxattr(2).
 */
static bool gains_privileges(const char *path)
{
	struct stat st;
	char caps[64];

	if (stat(path, &st) < 0)
		return false;
	return ((st.st_mode & S_ISUID) && st.st_uid != geteuid()) ||
	       ((st.st_mode & S_ISGID) && st.st_gid != getegid()) ||
	       (geteuid() != 0 && getxattr(path, "security.capability", caps, sizeof(caps)) > 0);
}

static bool is_for_this_machine(const struct elf_target *target)
{
	CLEANUP_CLOSE int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct elf_target self;

	return fd < 0 || elf_read_target(fd, &self) < 0 ||
	       (self.class == target->class && self.machine == target->machine);
}

/* A file that cannot be parsed is assumed to be dynamic. */
static bool is_static(int fd)
{
	struct elf_file elf;

	return elf_open(&elf, fd) == 0 && !elf.has_interpreter;
}

/* A program calls its own functions directly, so they cannot be interposed. */
static bool contains_metal(int fd)
{
	struct metal_library library;
	int r = metal_library_read(&library, fd);

	return r == 0 || r == -ENOTSUP;
}

const char *program_obstacle(const char *name)
{
	char path[PATH_MAX];
	CLEANUP_CLOSE int fd = -1;
	struct elf_target target;
	bool is_elf;

	if (snprintf(path, sizeof(path), "%s", name) >= (int)sizeof(path))
		return NULL;
	fd = open_executed(path);
	is_elf = fd >= 0 && elf_read_target(fd, &target) == 0;
	/* Set-user-ID bits of a script have no effect; those of its interpreter do. */
	if ((fd < 0 || is_elf) && gains_privileges(path))
		return "gains privileges (set-user-ID, set-group-ID or capabilities)";
	if (!is_elf)
		return NULL; /* the kernel may be able to execute it anyway */
	if (!is_for_this_machine(&target))
		return "is made for another machine";
	if (is_static(fd))
		return "is linked statically";
	return contains_metal(fd) ? "has TT-Metal built in" : NULL;
}
