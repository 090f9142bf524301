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
#include "alloc/memory.h"
#include "alloc/shared_file.h"
#include "alloc/tracker.h"

#include "basic/seqlock.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LISTED_MIN 2048u /* minimum; with fewer slots there is no table */

static size_t table_bytes(uint32_t slots)
{
	return TABLE_SLOT_OFFSET + slots * sizeof(struct table_slot);
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

static void header_fill(struct table_header *header, uint32_t listed, uint64_t flags, uint64_t now)
{
	table_header_lay_out(header, listed);
	header->pid = (uint64_t)getpid();
	header->start_ticks = shared_file_start_ticks();
	header->created = now;
	header->flags = flags;
	word_store(&header->magic, TABLE_MAGIC);
}

static int table_new(struct tracker *tracker, uint32_t listed, uint32_t unlisted, int *ret_fd)
{
	CLEANUP_CLOSE int fd = -1;
	void *base = NULL;
	int r;

	r = shared_file_new(TABLE_NAME, table_bytes(listed), &fd);
	if (r < 0)
		return r;
	r = mapping_new(fd, listed, unlisted, &base);
	if (r < 0)
		return r;

	tracker->header = base;
	tracker->cells = (void *)((char *)base + TABLE_DEVICE_OFFSET);
	tracker->slots = (void *)((char *)base + TABLE_SLOT_OFFSET);
	tracker->mapped = table_bytes(listed + unlisted);
	tracker->listed = (struct slot_range){
		.end = listed,
		.published = &tracker->header->slots_used,
	};
	tracker->unlisted = (struct slot_range){ .used = listed, .end = listed + unlisted };
	*ret_fd = TAKE_FD(fd);
	return 0;
}

/* Creates the largest table that the limits of the process allow. */
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

static size_t links_bytes(const struct tracker *tracker)
{
	return tracker->unlisted.end * sizeof(*tracker->links);
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
	tracker->links = memory_reserve(links_bytes(tracker));
	if (!tracker->links) {
		r = -ENOMEM;
		goto fail;
	}
	header_fill(tracker->header, tracker->listed.end, flags, now);
	r = shared_file_seal(fd);
	if (r < 0)
		goto fail;
	*ret_fd = TAKE_FD(fd);
	return 0;
fail:
	tracker_done(tracker);
	return r;
}

void tracker_done(struct tracker *tracker)
{
	for (uint32_t i = 0; i < TABLE_DEVICES; i++) {
		struct tracker_device *device = &tracker->devices[i];

		if (!device->freed)
			continue;
		index_done(&device->index);
		memory_release(device->freed, TRACKER_FREED * sizeof(*device->freed));
		device->freed = NULL;
	}
	memory_release(tracker->links, links_bytes(tracker));
	if (tracker->header)
		munmap(tracker->header, tracker->mapped);
	tracker->links = NULL;
	tracker->header = NULL;
}
