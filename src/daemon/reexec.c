#include "daemon/reexec.h"

#include "basic/parse.h"
#include "basic/systemd.h"
#include "daemon/fd_closer.h"
#include "daemon/log.h"
#include "daemon/manager.h"
#include "daemon/state.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* Passes the number of the state's descriptor to the executed server. */
static const char variable[] = "TT_ALLOCD_STATE";

static char program[PATH_MAX];
static void *inherited; /* NULL: none */
static size_t inherited_length;

static int state_map(const char *number)
{
	struct stat st;
	uint32_t fd;
	void *map;
	int r;

	if (parse_u32(number, &fd) < 0 || fd > INT_MAX || fstat((int)fd, &st) < 0)
		return -EBADMSG;
	map = mmap(NULL, (size_t)MAX(st.st_size, 1), PROT_READ, MAP_PRIVATE, (int)fd, 0);
	close((int)fd);
	if (map == MAP_FAILED)
		return -errno;
	r = state_check(map, (size_t)st.st_size);
	if (r < 0) {
		munmap(map, (size_t)MAX(st.st_size, 1));
		return r;
	}
	inherited = map;
	inherited_length = (size_t)st.st_size;
	return 0;
}

void reexec_begin(void)
{
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);
	const char *number = getenv(variable);
	int r;

	program[MAX(n, 0)] = '\0';
	if (!number)
		return;
	r = state_map(number);
	unsetenv(variable);
	if (r >= 0)
		return;
	log_line(LOG_FAULT, "cannot use the state of the previous server (%s): starting without it",
		 strerror(-r));
	close_range(STDERR_FILENO + 1, ~0u, 0);
}

bool reexec_has_state(void)
{
	return inherited != NULL;
}

bool reexec_restore(struct manager *manager)
{
	int r;

	if (!inherited)
		return false;
	r = state_restore(manager, inherited, inherited_length);
	munmap(inherited, inherited_length);
	inherited = NULL;
	if (r < 0)
		log_line(LOG_FAULT, "cannot use all of the previous server's state: %s",
			 strerror(-r));
	return manager->own.watch.fd >= 0;
}

static void descriptor_stays(int fd, bool stays)
{
	fcntl(fd, F_SETFD, stays ? 0 : FD_CLOEXEC);
}

static int state_write(struct manager *manager)
{
	CLEANUP_BUF struct buf state = { 0 };
	CLEANUP_CLOSE int fd = -1;
	size_t done = 0;

	state_save(manager, &state);
	if (state.failed)
		return -ENOMEM;
	fd = memfd_create("tt-allocd-state",
			  0); /* without MFD_CLOEXEC: it must stay open across execve() */
	if (fd < 0)
		return -errno;
	while (done < state.length) {
		ssize_t n = write(fd, state.data + done, state.length - done);

		if (n < 0)
			return -errno;
		done += (size_t)n;
	}
	return TAKE_FD(fd);
}

void reexec(struct manager *manager, char **argv)
{
	CLEANUP_CLOSE int fd = -1;
	char number[16];

	if (fd_closer_hangs(manager->closer)) {
		log_line(LOG_FAULT, "cannot restart on SIGHUP: descriptors that a client sent "
				    "cannot be closed");
		return;
	}
	fd = state_write(manager);

	if (fd < 0) {
		log_line(LOG_FAULT, "cannot restart on SIGHUP: %s", strerror(-fd));
		return;
	}
	systemd_notify("RELOADING=1");
	snprintf(number, sizeof(number), "%d", fd);
	setenv(variable, number, 1);
	state_descriptors(manager, descriptor_stays, true);
	execv(program, argv);
	log_line(LOG_FAULT, "cannot execute %s: %s; continuing", program, strerror(errno));
	state_descriptors(manager, descriptor_stays, false);
	unsetenv(variable);
	systemd_notify("READY=1");
}
