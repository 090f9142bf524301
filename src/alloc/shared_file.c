#include "alloc/shared_file.h"

#include "alloc/link.h"
#include "basic/parse.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010 /* Linux 5.1 */
#endif

/* ftruncate() above RLIMIT_FSIZE raises SIGXFSZ, so that is checked first. */
int shared_file_new(const char *name, size_t bytes, int *ret)
{
	struct rlimit limit;
	int fd;

	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < bytes)
		return -EFBIG;
	fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -errno;
	fd = descriptor_settle(fd);
	if (fd < 0)
		return fd;
	if (ftruncate(fd, (off_t)bytes) < 0) {
		int error = -errno;

		close(fd);
		return error;
	}
	*ret = fd;
	return 0;
}

int shared_file_seal(int fd)
{
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL;

	return fcntl(fd, F_ADD_SEALS, seals) < 0 ? -errno : 0;
}

uint64_t shared_file_start_ticks(void)
{
	char text[1024], *at, *end;
	uint64_t ticks;
	ssize_t length;
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	length = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (length <= 0)
		return 0;
	text[length] = '\0';
	at = strrchr(text, ')'); /* field 2 may contain any byte, spaces and parentheses too */
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	end = at ? strchr(at + 1, ' ') : NULL;
	if (!end)
		return 0;
	*end = '\0';
	return parse_u64(at + 1, &ticks) < 0 ? 0 : ticks;
}
