#include "source/proc_reader.h"

#include "basic/buf.h"
#include "basic/clock.h"
#include "basic/file.h"
#include "basic/parse.h"
#include "basic/proc_path.h"
#include "basic/shared_text.h"
#include "basic/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* More than the longest command line or environment, which is a quarter of the stack limit. */
static const size_t arguments_limit = 2 << 20;

/* Large enough for a status or cgroup file of any machine seen, in one read. */
struct proc_text {
	char data[16384];
};

static int read_proc(const struct proc_reader *reader, const char *file, struct proc_text *ret)
{
	char path[PROC_PATH_SIZE];
	ssize_t n;

	proc_path(path, reader->pid, file);
	n = root_read(reader->root, path, ret->data, sizeof(ret->data));
	return n < 0 ? (int)n : 0;
}

/* Is it shown, or does it contain the script that completes the name of an interpreter? */
static bool needs_command(const struct proc_reader *reader)
{
	return reader->wants_command || process_is_interpreter(reader->name) ||
	       process_is_interpreter(reader->stat.comm) || process_is_interpreter(reader->exe);
}

static char *join_arguments(const char *data, size_t length)
{
	char *command = shared_text_new(length + 1);

	if (command)
		procfs_join_arguments(data, length, command, length + 1);
	return shared_text_join(command);
}

/* The name is the kernel's if the process has set a title or has no command line. */
static void take_command(struct proc_reader *reader, const char *data, size_t length)
{
	procfs_program_name(data, length, reader->name, sizeof(reader->name));
	if (length && needs_command(reader))
		reader->command = join_arguments(data, length);
	if (!reader->name[0] || procfs_is_title(data, reader->name, reader->stat.comm))
		text_copy(reader->name, sizeof(reader->name), reader->stat.comm);
}

/* A read that does not fill the buffer has all of it. */
static void read_command(struct proc_reader *reader, struct proc_text *text)
{
	CLEANUP_BUF struct buf all = { 0 };
	char path[PROC_PATH_SIZE];
	ssize_t n;

	proc_path(path, reader->pid, "cmdline");
	n = root_read(reader->root, path, text->data, sizeof(text->data));
	reader->command = shared_text_unref(reader->command);
	if (n == -EFBIG && root_read_all(reader->root, path, arguments_limit, &all) >= 0)
		take_command(reader, buf_text(&all), all.length);
	else
		take_command(reader, text->data, n > 0 ? (size_t)n : 0);
}

/* The kernel shows an environment only to the user of the process and to root. */
static void read_job(struct proc_reader *reader, struct owner *owner)
{
	CLEANUP_BUF struct buf text = { 0 };
	char path[PROC_PATH_SIZE];
	int r;

	proc_path(path, reader->pid, "environ");
	r = root_read_all(reader->root, path, arguments_limit, &text);
	if (r >= 0)
		procfs_parse_job(text.data, text.length, owner);
	else if (r != -ENOENT) /* in a recorded tree */
		owner->job_why = (uint8_t)reason_of_error(r);
}

/* Most processes belong to no container, pod, job or unit. */
static void read_owner(struct proc_reader *reader, struct proc_text *text)
{
	static const struct owner none;
	struct owner owner = none;

	free(reader->owner);
	reader->owner = NULL;
	reader->owner_error = read_proc(reader, "cgroup", text);
	if (reader->owner_error < 0)
		return;
	procfs_parse_cgroup(text->data, &owner);
	if (procfs_may_be_job(&owner))
		read_job(reader, &owner);
	if (memcmp(&owner, &none, sizeof(owner)) == 0)
		return;
	reader->owner = malloc(sizeof(owner));
	if (reader->owner)
		*reader->owner = owner;
	else
		reader->owner_error = -ENOMEM;
}

/*
 * Base name of the executable. In a tree it counts as unreadable: the owner of the file is not
 * recorded, and links of a simulated process lead to the simulator.
 */
static void read_exe(struct proc_reader *reader)
{
	char path[PROC_PATH_SIZE], text[PATH_MAX], *base, *end;
	ssize_t length;

	reader->exe[0] = '\0';
	proc_path(path, reader->pid, "exe");
	length = reader->root->live ? root_readlink(reader->root, path, text, sizeof(text)) : -1;
	reader->exe_read = length > 0;
	base = reader->exe_read ? strrchr(text, '/') : NULL;
	if (!base)
		return;
	end = text + length - MIN((size_t)length, strlen(PROCFS_DELETED));
	if (end > base && strcmp(end, PROCFS_DELETED) == 0)
		*end = '\0';
	if (strlen(base + 1) < sizeof(reader->exe))
		strcpy(reader->exe, base + 1);
}

static bool has_recent_details(const struct proc_reader *reader)
{
	return reader->read_ns && clock_now(CLOCK_MONOTONIC) - reader->read_ns < reader->details_ns;
}

/*
 * Was the process read recently, and has it the same name and address space? After execve() its
 * stack begins at another address.
 */
static bool proc_reader_is_fresh(const struct proc_reader *reader, const struct procfs_stat *before)
{
	return has_recent_details(reader) && before->start_ticks == reader->stat.start_ticks &&
	       before->stack_start == reader->stat.stack_start &&
	       strcmp(before->comm, reader->stat.comm) == 0;
}

/* The first reading counts as older, depending on the pid, so that not all are due at once. */
static int64_t read_time(const struct proc_reader *reader)
{
	int64_t now = clock_now(CLOCK_MONOTONIC);

	return reader->read_ns ? now : MAX(now - reader->details_ns / 32 * (reader->pid % 32), 1);
}

/* 0 (unknown) if we may not inspect the process. */
static void read_mount_ns(struct proc_reader *reader)
{
	struct stat st;
	char path[PROC_PATH_SIZE];

	proc_path(path, reader->pid, "ns/mnt");
	reader->mount_ns = root_stat(reader->root, path, &st) < 0 ? 0 : st.st_ino;
}

static void read_status(struct proc_reader *reader, struct proc_text *text)
{
	int r = read_proc(reader, "status", text);

	reader->status_error = r < 0 ? r : procfs_parse_status(text->data, &reader->status);
	reader->has_status = true;
}

void proc_reader_read_user(void *arg)
{
	struct proc_text text;

	read_status(arg, &text);
}

/*
 * text: room, the caller's, since each such buffer is pages of stack that the kernel has to clear.
 */
static void read_rest(struct proc_reader *reader, struct proc_text *text)
{
	reader->status = (struct procfs_status){ 0 };
	reader->has_status = false;
	if (reader->wants_user || proc_reader_wants(reader, PROC_UID) ||
	    proc_reader_wants(reader, PROC_USER) || proc_reader_wants(reader, PROC_NS_PID))
		read_status(reader, text);
	if (proc_reader_wants(reader, PROC_OWNER))
		read_owner(reader, text);
	if (reader->wants_role)
		read_exe(reader);
	read_command(reader, text);
	reader->mount_ns = 0;
	if (reader->wants_mount_ns)
		read_mount_ns(reader);
}

static void close_stat(struct proc_reader *reader)
{
	if (reader->stat_fd >= 0)
		close(reader->stat_fd);
	reader->stat_fd = -1;
}

static int open_stat(struct proc_reader *reader)
{
	char path[PROC_PATH_SIZE];
	int fd;

	proc_path(path, reader->pid, "stat");
	fd = root_open(reader->root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || !reader->may_keep || !file_is_in_procfs(fd))
		return fd;
	reader->stat_fd = fd;
	return fd;
}

/*
 * Does stat have nothing new? The CPU clock is read in a sixth of the time, and a process that has
 * not run has neither used CPU time nor changed its state. Its parent may have exited, though, and
 * the kernel may have reclaimed memory, so that stat is read again after a while.
 */
static bool is_idle(const struct proc_reader *reader)
{
	return reader->clock_ns >= 0 && reader->clock_ns == reader->ran_ns &&
	       clock_now(CLOCK_MONOTONIC) < reader->due_ns;
}

/* Staggered by pid, so that not all are due at once. */
static int64_t next_stat(const struct proc_reader *reader)
{
	static const int64_t idle_ns = 16 * NS_PER_S;

	return clock_now(CLOCK_MONOTONIC) + idle_ns / 2 + idle_ns / 32 * (reader->pid % 16);
}

/*
 * Reads through the kept descriptor, if there is one. It refers to the process, not to its pid:
 * after the process has exited, reading fails with ESRCH, and the file is opened by name again.
 */
static ssize_t fetch_stat(struct proc_reader *reader, struct proc_text *text)
{
	ssize_t n = -ESRCH;
	int fd;

	if (reader->stat_fd >= 0)
		n = file_pread(reader->stat_fd, text->data, sizeof(text->data));
	if (n != -ESRCH)
		return n;
	close_stat(reader);
	fd = open_stat(reader);
	if (fd < 0)
		return fd;
	n = file_pread(fd, text->data, sizeof(text->data));
	if (fd != reader->stat_fd)
		close(fd);
	return n;
}

static int read_stat(struct proc_reader *reader, struct proc_text *text)
{
	ssize_t n;
	int r;

	if (!reader->may_keep)
		close_stat(reader);
	if (is_idle(reader))
		return 0;
	reader->ran_ns = -1;
	n = fetch_stat(reader, text);
	r = n < 0 ? (int)n : procfs_parse_stat(text->data, &reader->stat);
	if (r < 0)
		return r;
	reader->ran_ns = reader->clock_ns; /* read before stat: what runs meanwhile is noticed */
	reader->due_ns = next_stat(reader);
	return 0;
}

bool proc_reader_is_current(const struct proc_reader *reader)
{
	return is_idle(reader) && reader->error == 0 && has_recent_details(reader);
}

void proc_reader_run(void *arg)
{
	struct proc_reader *reader = arg;
	struct procfs_stat before = reader->stat;
	struct proc_text text;

	reader->error = read_stat(reader, &text);
	if (reader->error < 0 || proc_reader_is_fresh(reader, &before))
		return;
	read_rest(reader, &text);
	reader->read_ns = read_time(reader);
}

struct proc_reader *proc_reader_new(int32_t pid)
{
	struct proc_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return NULL;
	reader->pid = pid;
	reader->stat_fd = -1;
	reader->ran_ns = -1;
	return reader;
}

struct proc_reader *proc_reader_free(struct proc_reader *reader)
{
	if (!reader)
		return NULL;
	close_stat(reader);
	shared_text_unref(reader->command);
	free(reader->owner);
	free(reader);
	return NULL;
}
