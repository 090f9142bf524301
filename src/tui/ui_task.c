#include "tui/ui_task.h"

#include "basic/clock.h"
#include "basic/worker_pool.h"
#include "basic/file.h"
#include "basic/parse.h"
#include "source/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>

enum { MOST_BYTES = 2 << 20 };

/*
 * The pid must still belong to the process that was shown: while a pidfd is open, the kernel does
 * not reuse the pid, so the start time can be compared safely. This reads the /proc of the running
 * machine even with --root: processes of a recorded machine cannot be signalled.
 */
static int send_signal(const struct process_id *target, int signal)
{
	CLEANUP_CLOSE int fd = pidfd_open(target->pid, 0);
	struct procfs_stat stat;
	char path[32], text[4096];
	ssize_t n;
	int r;

	if (fd < 0)
		return -errno;
	snprintf(path, sizeof(path), "/proc/%d/stat", target->pid);
	n = file_read(AT_FDCWD, path, text, sizeof(text));
	if (n < 0)
		return (int)n;
	r = procfs_parse_stat(text, &stat);
	if (r < 0)
		return r;
	if (target->start_ticks == 0 || stat.start_ticks != target->start_ticks)
		return -ESRCH;
	return pidfd_send_signal(fd, signal, NULL, 0) < 0 ? -errno : 0;
}

/* "SIGTERM sent to 2 of 3 processes; 1234: Operation not permitted", for the first failure. */
static void run_signal(const struct ui_task *task, struct buf *ret)
{
	CLEANUP_BUF struct buf failure = { 0 };
	size_t sent = 0;

	for (size_t i = 0; i < task->n_targets; i++) {
		int r = send_signal(&task->targets[i], task->signal);

		sent += r == 0;
		if (r < 0 && !failure.length)
			buf_printf(&failure, "%d: %s", task->targets[i].pid,
				   r == -ESRCH ? "no such process on this machine" : strerror(-r));
	}
	buf_printf(ret, "SIG%s ", sigabbrev_np(task->signal));
	if (task->n_targets == 1 && sent)
		buf_printf(ret, "sent to %d", task->targets[0].pid);
	else if (task->n_targets == 1)
		buf_printf(ret, "to %s", buf_text(&failure));
	else if (!failure.length)
		buf_printf(ret, "sent to %zu processes", sent);
	else
		buf_printf(ret, "sent to %zu of %zu processes; %s", sent, task->n_targets,
			   buf_text(&failure));
}

/* NUL-terminated words, one per line. */
static void put_environment(const struct root *root, int32_t pid, struct buf *ret)
{
	CLEANUP_BUF struct buf text = { 0 };
	char path[48];
	int r;

	snprintf(path, sizeof(path), "proc/%d/environ", pid);
	r = root_read_all(root, path, MOST_BYTES, &text);
	buf_puts(ret, "Environment\n");
	if (r < 0) {
		buf_printf(ret, "  N/A (%s)\n", strerror(-r));
		return;
	}
	for (size_t at = 0; at < text.length;) {
		size_t length = strnlen(text.data + at, text.length - at);

		buf_puts(ret, "  ");
		for (size_t i = 0; i < length; i++) /* a value may contain newlines */
			buf_putc(ret, text.data[at + i] == '\n' ? ' ' : text.data[at + i]);
		buf_putc(ret, '\n');
		at += length + 1;
	}
}

/* Collects descriptor numbers for sorting: the directory is unordered. */
static int visit_file(const char *name, void *arg)
{
	uint32_t number;

	if (parse_u32(name, &number) == 0)
		buf_add(arg, &number, sizeof(number));
	return 0;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

/* Appends a line if the descriptor is a device file; false: it is not. */
static bool put_file(const struct root *root, int32_t pid, uint32_t number, struct buf *ret)
{
	char path[64], target[256];
	uint32_t index;

	snprintf(path, sizeof(path), "proc/%d/fd/%u", pid, number);
	if (root_readlink(root, path, target, sizeof(target)) < 0 ||
	    !procfs_names_node(target, root->path, &index))
		return false;
	buf_printf(ret, "  %-5u device %u  %s\n", number, index, target);
	return true;
}

static void put_files(const struct root *root, int32_t pid, struct buf *ret)
{
	CLEANUP_BUF struct buf numbers = { 0 };
	unsigned others = 0;
	char path[48];
	int r;

	snprintf(path, sizeof(path), "proc/%d/fd", pid);
	buf_puts(ret, "Open device files\n");
	r = root_each(root, path, visit_file, &numbers);
	if (r < 0) {
		buf_printf(ret, "  N/A (%s)\n", strerror(-r));
		return;
	}
	if (numbers.length)
		qsort(numbers.data, numbers.length / sizeof(uint32_t), sizeof(uint32_t), by_number);
	for (size_t at = 0; at < numbers.length; at += sizeof(uint32_t)) {
		uint32_t number;

		memcpy(&number, numbers.data + at, sizeof(number));
		others += !put_file(root, pid, number, ret);
	}
	buf_printf(ret, "  and %u other%s\n", others, others == 1 ? "" : "s");
}

/*
 * Reading a process's files blocks while the process hangs, and a home directory may be on an NFS
 * server that does not respond. So each task runs in a thread with its own memory, which is
 * abandoned when the deadline passes.
 */
struct blocking_task {
	struct job job;
	struct ui_task task;
	struct root root;
	struct buf text;
};

static void inspect(void *arg)
{
	struct blocking_task *blocking = arg;

	put_files(&blocking->root, blocking->task.pid, &blocking->text);
	put_environment(&blocking->root, blocking->task.pid, &blocking->text);
}

static void save(void *arg)
{
	struct blocking_task *blocking = arg;
	CLEANUP_BUF struct buf path = { 0 };
	int r = settings_save(&blocking->task.settings, &path);

	if (r < 0)
		buf_printf(&blocking->text, "settings not written: %s: %s",
			   path.length ? buf_text(&path)
				       : "neither XDG_CONFIG_HOME nor HOME is set",
			   strerror(-r));
	else
		buf_printf(&blocking->text, "settings written: %s", buf_text(&path));
}

static void blocking_task_free(struct blocking_task *blocking)
{
	if (!blocking)
		return;
	root_done(&blocking->root);
	buf_done(&blocking->text);
	free(blocking);
}

/* With its own descriptor: the root may be closed before the thread ends. */
static struct blocking_task *blocking_task_new(const struct ui_task *task, const struct root *root,
					       void (*run)(void *arg))
{
	struct blocking_task *blocking = calloc(1, sizeof(*blocking));

	if (!blocking)
		return NULL;
	blocking->root.fd = -1;
	blocking->task = *task;
	blocking->job = (struct job){ .run = run, .arg = blocking };
	if (root_copy(root, &blocking->root) >= 0)
		return blocking;
	blocking_task_free(blocking);
	return NULL;
}

/* -ETIMEDOUT: the deadline passed; -EBUSY: too many threads are still blocked. */
static int run_with_deadline(const struct ui_task *task, const struct root *root,
			     void (*run)(void *arg), struct buf *ret)
{
	enum { DEADLINE_MS = 500, MAX_ABANDONED = 16 };
	static unsigned abandoned; /* used by the sampler thread only */
	struct blocking_task *blocking;
	int r;

	if (abandoned >= MAX_ABANDONED)
		return -EBUSY;
	blocking = blocking_task_new(task, root, run);
	r = blocking ? job_run_once(&blocking->job, DEADLINE_MS * NS_PER_MS) : -ENOMEM;
	if (r == 0)
		buf_add(ret, buf_text(&blocking->text), blocking->text.length);
	if (r == -ETIMEDOUT)
		abandoned++;
	else
		blocking_task_free(blocking);
	return r;
}

static void run_inspect(const struct ui_task *task, const struct root *root, struct buf *ret)
{
	int r = run_with_deadline(task, root, inspect, ret);

	if (r < 0)
		buf_printf(ret, "Environment\n  N/A (%s)\n",
			   r == -ETIMEDOUT ? "timed out: the process hangs"
			   : r == -EBUSY   ? "too many processes hang"
					   : strerror(-r));
}

static void run_save(const struct ui_task *task, const struct root *root, struct buf *ret)
{
	int r = run_with_deadline(task, root, save, ret);

	if (r < 0)
		buf_printf(ret, "settings not written: %s",
			   r == -ETIMEDOUT ? "the directory does not answer" : strerror(-r));
}

void ui_task_run(const struct ui_task *task, const struct root *root, struct buf *ret)
{
	switch (task->kind) {
	case UI_TASK_SIGNAL: run_signal(task, ret); break;
	case UI_TASK_SAVE: run_save(task, root, ret); break;
	case UI_TASK_INSPECT: run_inspect(task, root, ret); break;
	case UI_TASK_N: break;
	}
}
