#include "source/driver_pids.h"

#include "basic/digits.h"
#include "source/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

void driver_pids_init(struct driver_pids *list, const struct root *root, uint32_t index)
{
	*list = (struct driver_pids){ .index = index, .root = root, .fd = -1 };
}

static void close_kept(struct driver_pids *list)
{
	if (list->fd >= 0)
		close(list->fd);
	list->fd = -1;
}

void driver_pids_forget(struct driver_pids *list)
{
	close_kept(list);
	list->n_pids = list->unseen = 0;
}

void driver_pids_done(struct driver_pids *list)
{
	close_kept(list);
	free(list->pids);
}

static void list_add(int32_t pid, void *arg)
{
	struct driver_pids *list = arg;
	int32_t *grown;

	if (pid == 0) {
		list->unseen++;
		return;
	}
	/* Our parent process may have passed us a descriptor. */
	if (list->root->live && pid == getpid())
		return;
	grown = reallocarray(list->pids, list->n_pids + 1, sizeof(*grown));
	if (!grown) {
		list->error = -ENOMEM;
		return;
	}
	list->pids = grown;
	list->pids[list->n_pids++] = pid;
}

static int by_number(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

/* A process that opened the device twice has two lines. */
static void list_drop_duplicates(struct driver_pids *list)
{
	size_t kept = 0;

	if (!list->n_pids)
		return;
	qsort(list->pids, list->n_pids, sizeof(*list->pids), by_number);
	for (size_t i = 0; i < list->n_pids; i++)
		if (!kept || list->pids[kept - 1] != list->pids[i])
			list->pids[kept++] = list->pids[i];
	list->n_pids = kept;
}

/* Reads the whole file. A seq_file returns it in pieces. */
static int list_read_text(struct driver_pids *list, struct buf *text)
{
	static const size_t limit = 1 << 20, line = 16;
	char chunk[4096];
	ssize_t n;

	do {
		n = pread(list->fd, chunk, sizeof(chunk), (off_t)text->length);
		if (n < 0)
			return -errno;
		buf_add(text, chunk, (size_t)n);
		if (text->failed || text->length > limit)
			return text->failed ? -ENOMEM : -EFBIG;
	} while ((size_t)n >
		 sizeof(chunk) - line); /* a piece with room for another line is the last */
	return 0;
}

static int list_read(struct driver_pids *list)
{
	CLEANUP_BUF struct buf text = { 0 };
	int r;

	if (list->fd < 0) {
		static const char before[] = "proc/driver/tenstorrent/", after[] = "/pids";
		char path[sizeof(before) + DIGITS_SIZE + sizeof(after)];

		strcpy(digits_put(stpcpy(path, before), list->index), after);
		list->fd =
			root_open(list->root, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
		if (list->fd < 0)
			return list->fd;
	}
	r = list_read_text(list, &text);
	if (r < 0)
		return r;
	r = procfs_parse_pids(buf_text(&text), list_add, list);
	list_drop_duplicates(list);
	return r;
}

/* Reading the file of a removed device fails with EIO. Its index may be reused by another card. */
void driver_pids_read(void *arg)
{
	struct driver_pids *list = arg;

	for (int tries = 0; tries < 2; tries++) {
		list->n_pids = 0;
		list->unseen = 0;
		list->error = 0;
		list->error = MIN(list_read(list), list->error);
		if (list->error >= 0)
			return;
		close_kept(list);
	}
}
