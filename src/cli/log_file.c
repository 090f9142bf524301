#include "cli/log_file.h"

#include "basic/chase.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

static volatile sig_atomic_t reopen_requested;

static void on_hangup(int signal)
{
	(void)signal;
	reopen_requested = 1;
}

static int open_file(struct log_file *log, struct buf *ret_link)
{
	struct stat st;
	int fd, r;

	fd = chase_open(log->path, O_WRONLY | O_CREAT | O_APPEND | O_NOCTTY, 0666, ret_link);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0) {
		r = -errno;
		close(fd);
		return r;
	}
	if (log->fd >= 0)
		close(log->fd);
	log->fd = fd;
	log->device = st.st_dev;
	log->inode = st.st_ino;
	log->is_special = !S_ISREG(st.st_mode);
	return 0;
}

int log_file_open(struct log_file *log, const char *path, struct buf *ret_link)
{
	const struct sigaction action = { .sa_handler = on_hangup, .sa_flags = SA_RESTART };

	*log = (struct log_file){ .path = path, .fd = -1 };
	sigaction(SIGHUP, &action, NULL);
	return open_file(log, ret_link);
}

static bool is_moved(const struct log_file *log)
{
	struct stat st;

	return stat(log->path, &st) < 0 || st.st_dev != log->device || st.st_ino != log->inode;
}

bool log_file_is_empty(const struct log_file *log)
{
	struct stat st;

	return log->is_special || fstat(log->fd, &st) < 0 || st.st_size == 0;
}

int log_file_follow(struct log_file *log, struct buf *ret_link)
{
	int r;

	if (log->is_special)
		return 0;
	if (!reopen_requested && !is_moved(log))
		return log_file_is_empty(log);
	r = open_file(log, ret_link);
	if (r < 0)
		return r;
	reopen_requested = 0;
	return 1;
}
