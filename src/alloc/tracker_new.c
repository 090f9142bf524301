/*
 * Creates a table: a memfd that is mapped, filled and sealed.
 *
 * The file has its final size from the start, so that it can be sealed against growing and
 * shrinking, and readers never have to map it again. It is sparse: unused slots take no memory.
 * The mapping continues into private memory:
 *
 *	| header | devices | listed slots | unlisted slots |
 *	|<------------ the memfd -------->|<-- anonymous ->|
 */
#include "alloc/link.h"
#include "alloc/tracker.h"

#include "basic/parse.h"
#include "basic/seqlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define LISTED_MIN 2048u /* with fewer slots there is no table */

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010 /* Linux 5.1 */
#endif

static size_t table_bytes(uint32_t slots)
{
	return TABLE_SLOT_OFFSET + slots * sizeof(struct table_slot);
}

/* ftruncate() above RLIMIT_FSIZE raises SIGXFSZ, so that is checked first. */
static int file_new(uint32_t listed, int *ret)
{
	struct rlimit limit;
	int fd;

	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < table_bytes(listed))
		return -EFBIG;
	fd = memfd_create(TABLE_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -errno;
	fd = descriptor_settle(fd);
	if (fd < 0)
		return fd;
	if (ftruncate(fd, (off_t)table_bytes(listed)) < 0) {
		int error = -errno;

		close(fd);
		return error;
	}
	*ret = fd;
	return 0;
}

static int mapping_new(int fd, uint32_t listed, uint32_t unlisted, void **ret)
{
	size_t bytes = table_bytes(listed + unlisted);
	void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (base == MAP_FAILED)
		return -errno;
	if (mmap(base, table_bytes(listed), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
		 0) == MAP_FAILED) {
		int error = -errno;

		munmap(base, bytes);
		return error;
	}
	/* A forked child must not be able to write into its parent's table. */
	madvise(base, bytes, MADV_DONTFORK);
	*ret = base;
	return 0;
}

/* Start of this process in clock ticks since boot: field 22 of its stat file, 0 if unknown. */
static uint64_t process_start(void)
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

static void header_fill(struct table_header *header, uint32_t listed, uint64_t flags, uint64_t now)
{
	table_header_lay_out(header, listed);
	header->pid = (uint64_t)getpid();
	header->start_ticks = process_start();
	header->created = now;
	header->flags = flags;
	word_store(&header->magic, TABLE_MAGIC);
}

static int table_new(struct tracker *tracker, uint32_t listed, uint32_t unlisted, int *ret_fd)
{
	CLEANUP_CLOSE int fd = -1;
	void *base = NULL;
	int r;

	r = file_new(listed, &fd);
	if (r < 0)
		return r;
	r = mapping_new(fd, listed, unlisted, &base);
	if (r < 0)
		return r;

	tracker->header = base;
	tracker->devices = (void *)((char *)base + TABLE_DEVICE_OFFSET);
	tracker->slots = (void *)((char *)base + TABLE_SLOT_OFFSET);
	tracker->mapped = table_bytes(listed + unlisted);
	tracker->listed = (struct slot_range){ .end = listed };
	tracker->unlisted = (struct slot_range){
		.used = listed,
		.ready = listed,
		.end = listed + unlisted,
	};
	*ret_fd = TAKE_FD(fd);
	return 0;
}

/* The largest table that the limits of the process allow. */
static int table_new_fitting(struct tracker *tracker, uint32_t listed, uint32_t unlisted, int *ret)
{
	int r = table_new(tracker, listed, unlisted, ret);

	while ((r == -EFBIG || r == -ENOMEM) && listed / 8 >= LISTED_MIN) {
		listed /= 8;
		unlisted /= 8;
		r = table_new(tracker, listed, unlisted, ret);
	}
	return r;
}

int tracker_init(struct tracker *tracker, uint32_t listed, uint32_t unlisted, uint64_t flags,
		 uint64_t now, int *ret_fd)
{
	CLEANUP_CLOSE int fd = -1;
	int r;

	memset(tracker, 0, sizeof(*tracker));
	r = table_new_fitting(tracker, listed, unlisted, &fd);
	if (r < 0)
		return r;
	r = index_init(&tracker->index, tracker->slots, tracker->unlisted.end);
	if (r < 0)
		goto fail;
	header_fill(tracker->header, tracker->listed.end, flags, now);
	if (fcntl(fd, F_ADD_SEALS,
		  F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) < 0) {
		r = -errno;
		goto fail;
	}
	*ret_fd = TAKE_FD(fd);
	return 0;
fail:
	tracker_done(tracker);
	return r;
}

void tracker_done(struct tracker *tracker)
{
	index_done(&tracker->index);
	if (tracker->header)
		munmap(tracker->header, tracker->mapped);
	tracker->header = NULL;
}
