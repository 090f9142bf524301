#include "tui/errand.h"

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
 * The number must still be that of the process that was shown: held by a pidfd it
 * cannot be given away while its start time is compared. This looks at the machine we
 * run on, whatever the tree that is shown: in a recorded one nobody can be signalled.
 */
static int send_signal(const struct target *target, int signal)
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

/* "SIGTERM sent to 2 of 3 processes; 1234: Operation not permitted": the first that failed. */
static void run_signal(const struct errand *errand, struct buf *ret)
{
	CLEANUP_BUF struct buf failure = { 0 };
	size_t sent = 0;

	for (size_t i = 0; i < errand->n_targets; i++) {
		int r = send_signal(&errand->targets[i], errand->signal);

		sent += r == 0;
		if (r < 0 && !failure.length)
			buf_printf(&failure, "%d: %s", errand->targets[i].pid,
				   r == -ESRCH ? "no such process on this machine" : strerror(-r));
	}
	buf_printf(ret, "SIG%s ", sigabbrev_np(errand->signal));
	if (errand->n_targets == 1 && sent)
		buf_printf(ret, "sent to %d", errand->targets[0].pid);
	else if (errand->n_targets == 1)
		buf_printf(ret, "to %s", buf_text(&failure));
	else if (!failure.length)
		buf_printf(ret, "sent to %zu processes", sent);
	else
		buf_printf(ret, "sent to %zu of %zu processes; %s", sent, errand->n_targets,
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
		for (size_t i = 0; i < length; i++) /* a value may hold lines */
			buf_putc(ret, text.data[at + i] == '\n' ? ' ' : text.data[at + i]);
		buf_putc(ret, '\n');
		at += length + 1;
	}
}

/* Descriptors come in any order; here their numbers are kept, one after the other. */
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

/* A line if it is a device; false: it is something else. */
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
 * Files of a process can hang as long as it hangs itself, and so can a home that another
 * machine serves. So they are visited by a thread of their own with memory of its own,
 * which is left behind if it does not come back.
 */
struct visit {
	struct job job;
	struct errand errand;
	struct root root;
	struct buf text;
};

static void inspect(void *arg)
{
	struct visit *visit = arg;

	put_files(&visit->root, visit->errand.pid, &visit->text);
	put_environment(&visit->root, visit->errand.pid, &visit->text);
}

static void save(void *arg)
{
	struct visit *visit = arg;
	CLEANUP_BUF struct buf path = { 0 };
	int r = settings_save(&visit->errand.settings, &path);

	if (r < 0)
		buf_printf(&visit->text, "settings not written: %s: %s",
			   path.length ? buf_text(&path)
				       : "neither XDG_CONFIG_HOME nor HOME is set",
			   strerror(-r));
	else
		buf_printf(&visit->text, "settings written: %s", buf_text(&path));
}

static void visit_free(struct visit *visit)
{
	if (!visit)
		return;
	root_done(&visit->root);
	buf_done(&visit->text);
	free(visit);
}

/* With its own descriptor: the machine may be closed before it comes back. */
static struct visit *visit_new(const struct errand *errand, const struct root *root,
			       void (*run)(void *arg))
{
	struct visit *visit = calloc(1, sizeof(*visit));

	if (!visit)
		return NULL;
	visit->root.fd = -1;
	visit->errand = *errand;
	visit->job = (struct job){ .run = run, .arg = visit };
	if (root_copy(root, &visit->root) >= 0)
		return visit;
	visit_free(visit);
	return NULL;
}

/* -EBUSY: too many have not come back; -ETIMEDOUT: nor does this one. */
static int run_visit(const struct errand *errand, const struct root *root, void (*run)(void *arg),
		     struct buf *ret)
{
	enum { PATIENCE_MS = 500, MOST_LEFT_BEHIND = 16 };
	static unsigned left_behind; /* the sampler thread's own */
	struct visit *visit;
	int r;

	if (left_behind >= MOST_LEFT_BEHIND)
		return -EBUSY;
	visit = visit_new(errand, root, run);
	r = visit ? job_run_once(&visit->job, PATIENCE_MS * NS_PER_MS) : -ENOMEM;
	if (r == 0)
		buf_add(ret, buf_text(&visit->text), visit->text.length);
	if (r == -ETIMEDOUT)
		left_behind++;
	else
		visit_free(visit);
	return r;
}

static void run_inspect(const struct errand *errand, const struct root *root, struct buf *ret)
{
	int r = run_visit(errand, root, inspect, ret);

	if (r < 0)
		buf_printf(ret, "Environment\n  N/A (%s)\n",
			   r == -ETIMEDOUT ? "timed out: the process hangs"
			   : r == -EBUSY   ? "too many processes hang"
					   : strerror(-r));
}

static void run_save(const struct errand *errand, const struct root *root, struct buf *ret)
{
	int r = run_visit(errand, root, save, ret);

	if (r < 0)
		buf_printf(ret, "settings not written: %s",
			   r == -ETIMEDOUT ? "the folder does not answer" : strerror(-r));
}

void errand_run(const struct errand *errand, const struct root *root, struct buf *ret)
{
	switch (errand->kind) {
	case ERRAND_SIGNAL: run_signal(errand, ret); break;
	case ERRAND_SAVE: run_save(errand, root, ret); break;
	case ERRAND_INSPECT: run_inspect(errand, root, ret); break;
	case ERRAND_N: break;
	}
}
