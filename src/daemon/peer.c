#include "daemon/peer.h"

#include "basic/clock.h"
#include "basic/file.h"
#include "source/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77 /* Linux 6.5 */
#endif

/* linux/pidfd.h of Linux 6.15, which older distributions do not have. */
struct pidfd_answer {
	uint64_t mask;
	uint64_t cgroup;
	uint32_t ids[11]; /* pid, tgid, ppid, and user and group in all forms */
	int32_t exit_code;
};

#define PIDFD_ASK      _IOWR(0xFF, 11, struct pidfd_answer)
#define PIDFD_ASK_EXIT (UINT64_C(1) << 3)

_Static_assert(sizeof(struct pidfd_answer) == 64, "as the kernel's first version");

int peer_ask(int sock, pid_t *ret_pid, uid_t *ret_uid)
{
	struct ucred credentials;
	socklen_t length = sizeof(credentials);

	if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &credentials, &length) < 0)
		return -errno;
	*ret_pid = credentials.pid;
	*ret_uid = credentials.uid;
	return credentials.pid > 0 ? 0 : -ESRCH;
}

static int proc_read(pid_t pid, const char *file, char *text, size_t size)
{
	char path[48];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	n = file_read(AT_FDCWD, path, text, size);
	return n < 0 ? (int)n : 0;
}

/* Boot time, to which the kernel's start times are relative. */
static int64_t boot_ns(void)
{
	return clock_now(CLOCK_REALTIME) - clock_now(CLOCK_BOOTTIME);
}

static int peer_fill(pid_t pid, struct peer *ret)
{
	struct procfs_status status;
	struct procfs_stat stat;
	char text[16384];
	int r;

	r = proc_read(pid, "stat", text, sizeof(text));
	if (r >= 0)
		r = procfs_parse_stat(text, &stat);
	if (r < 0)
		return r;
	r = proc_read(pid, "status", text, sizeof(text));
	if (r >= 0)
		r = procfs_parse_status(text, &status);
	if (r < 0)
		return r;
	*ret = (struct peer){
		.pid = pid,
		.uid = status.uid,
		.ns_pid = status.ns_depth ? status.ns_pids[status.ns_depth - 1] : pid,
		.described = true,
		.start_ticks = stat.start_ticks,
		.start_ns = (uint64_t)boot_ns() +
			    stat.start_ticks * (uint64_t)(NS_PER_S / sysconf(_SC_CLK_TCK)),
	};
	snprintf(ret->name, sizeof(ret->name), "%s", stat.comm);
	return 0;
}

static bool pidfd_has_ended(int pidfd)
{
	struct pollfd state = { .fd = pidfd, .events = POLLIN };

	return poll(&state, 1, 0) != 0;
}

bool pidfd_exit_status(int pidfd, int *ret)
{
	struct pidfd_answer answer = { .mask = PIDFD_ASK_EXIT };

	if (ioctl(pidfd, PIDFD_ASK, &answer) < 0 || !(answer.mask & PIDFD_ASK_EXIT))
		return false;
	*ret = answer.exit_code;
	return true;
}

/*
 * Reads while the pidfd keeps the pid from being reused, and checks that it still did at the end.
 */
int peer_describe(pid_t pid, int pidfd, struct peer *ret)
{
	int r = peer_fill(pid, ret);

	if (r < 0)
		return r == -ENOENT ? -ESRCH : r;
	return pidfd_has_ended(pidfd) ? -ESRCH : 0;
}

int peer_of_pid(pid_t pid, struct peer *ret, int *ret_pidfd)
{
	CLEANUP_CLOSE int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	int r;

	if (pidfd < 0)
		return -errno;
	r = peer_describe(pid, pidfd, ret);
	if (r < 0)
		return r;
	*ret_pidfd = TAKE_FD(pidfd);
	return 0;
}

int peer_pidfd(int sock, pid_t pid, int *ret)
{
	socklen_t length = sizeof(int);
	int pidfd = -1;

	if (getsockopt(sock, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &length) < 0) {
		if (errno == EINVAL)
			return -ESRCH; /* returned by some kernels for a reaped process */
		if (errno != ENOPROTOOPT)
			return -errno;
		pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
		if (pidfd < 0)
			return -errno;
	}
	*ret = pidfd;
	return 0;
}

void peer_of_holder(const struct process *holder, struct peer *ret)
{
	*ret = (struct peer){
		.pid = holder->pid,
		.start_ticks = holder->start_ticks,
		.uid = process_knows(holder, PROC_UID) ? holder->uid : (uid_t)-1,
	};
	if (process_knows(holder, PROC_START_TIME) && holder->start_time > 0)
		ret->start_ns = (uint64_t)(holder->start_time * 1e9);
	memcpy(ret->name, holder->name, MIN(sizeof(ret->name), sizeof(holder->name)));
}

void peer_record(const struct peer *peer, enum image_origin origin, struct image_process *ret)
{
	*ret = (struct image_process){
		.pid = (uint32_t)peer->pid,
		.uid = peer->uid,
		.start_ticks = peer->start_ticks,
		.start_ns = peer->start_ns,
		.origin = origin,
	};
	memcpy(ret->name, peer->name, sizeof(ret->name));
}
