#include "basic/sibling_program.h"

#include "basic/file.h"
#include "libexec.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Locations relative to the directory of the running program. */
static const char *const places[] = { "", TT_SMI_LIBEXEC "/", TT_SMI_BIN "/" };

int sibling_program_find(const char *name, char *path, size_t size)
{
	char self[PATH_MAX];
	char *slash;
	ssize_t n;

	n = file_readlink(AT_FDCWD, "/proc/self/exe", self, sizeof(self));
	if (n < 0)
		return (int)n;
	slash = strrchr(self, '/');
	if (!slash)
		return -ENOENT;
	*slash = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		int length = snprintf(path, size, "%s/%s%s", self, places[i], name);

		if (length < 0 || (size_t)length >= size)
			return -ENAMETOOLONG;
		if (access(path, F_OK) == 0)
			return 0;
	}
	return -ENOENT;
}

int sibling_program_execute(const char *name, char **argv)
{
	char path[PATH_MAX];
	int r;

	r = sibling_program_find(name, path, sizeof(path));
	if (r < 0)
		return r;
	execv(path, argv);
	return -errno;
}
