#include "daemon/client_table.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* Linux 5.14 */
#endif

/*
 * Is it safe to map this descriptor? -EPERM if its owner could truncate the file, which would cause
 * SIGBUS.
 */
static int table_fd_check(int fd, struct stat *ret)
{
	const int needed = F_SEAL_SHRINK | F_SEAL_GROW;
	struct statfs fs;
	int seals;

	if (fstatfs(fd, &fs) < 0 || fstat(fd, ret) < 0)
		return -errno;
	/* A file of huge pages can cause SIGBUS even if it is sealed. */
	if (fs.f_type != TMPFS_MAGIC || !S_ISREG(ret->st_mode))
		return -EPERM;
	seals = fcntl(fd, F_GET_SEALS);
	return seals >= 0 && (seals & needed) == needed ? 0 : -EPERM;
}

/*
 * Maps the part of a table that has the totals. Reading a hole allocates a page, charged to the
 * server; so the cells of a device are read only after table_has_cells().
 */
static int table_map(int fd, const struct stat *st, const void **ret_map, struct table_view *ret)
{
	void *map;
	int r;

	if (st->st_size < (off_t)TABLE_SLOT_OFFSET || lseek(fd, 0, SEEK_DATA) != 0)
		return -EPROTO;
	map = mmap(NULL, TABLE_SLOT_OFFSET, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -errno == -EACCES ? -EPERM : -errno;
	r = table_view_init(ret, map, TABLE_SLOT_OFFSET);
	if (r < 0) {
		munmap(map, TABLE_SLOT_OFFSET);
		return r == -EPROTONOSUPPORT ? r : -EPROTO;
	}
	*ret_map = map;
	return 0;
}

int client_table_open(struct client_table *table, int fd)
{
	struct stat st;
	int r = table_fd_check(fd, &st);

	*table = (struct client_table){ .fd = fd };
	if (r < 0)
		return r;
	table->dev = st.st_dev;
	table->ino = st.st_ino;
	return table_map(fd, &st, &table->map, &table->view);
}

void client_table_close(struct client_table *table)
{
	if (table->map)
		munmap((void *)table->map, TABLE_SLOT_OFFSET);
	table->map = NULL;
}

bool client_table_is_of(const struct client_table *table, const struct peer *peer)
{
	const struct table_view *view = &table->view;

	/* A process that could not be probed is identified by its connection alone. */
	if (!peer->described)
		return true;
	return view->pid == (uint64_t)peer->ns_pid &&
	       (view->start_ticks == 0 || view->start_ticks == peer->start_ticks);
}

void client_table_describe(const struct client_table *table, struct image_process *record)
{
	char name[sizeof(record->name)];

	if (client_table_is_preload(table))
		record->flags |= IMAGE_PRELOAD;
	if (table_read_program(&table->view, name) >= 0 && name[0])
		memcpy(record->name, name, sizeof(name));
	for (unsigned kind = 0; kind < TABLE_MISUSES; kind++)
		record->misuse[kind] = table_misuse_count(&table->view, (enum table_misuse)kind);
	record->unlisted = __atomic_load_n(&table->view.header->unlisted, __ATOMIC_ACQUIRE);
	if (record->misuse[TABLE_LOST])
		record->flags |= IMAGE_TOTALS_LOW;
}

/*
 * Does the file have pages for the cells of this device? Checked once per device: a client that has
 * used a device must have written there.
 */
static bool table_has_cells(struct client_table *table, uint32_t device)
{
	off_t at = (off_t)(TABLE_DEVICE_OFFSET + device * sizeof(struct table_device_cell));

	if (!(table->there >> device & 1) && lseek(table->fd, at, SEEK_DATA) == at)
		table->there |= UINT64_C(1) << device;
	return table->there >> device & 1;
}

static bool usage_fill(const struct client_table *table, uint32_t device, enum pool pool,
		       const struct table_device *card, struct image_usage *ret, uint32_t *flags)
{
	struct table_pool_total total;
	int r = table_read_pool(&table->view, device, pool, &total);

	if (r < 0) {
		*flags |= r == -EAGAIN ? IMAGE_TOTALS_LOW : IMAGE_TOTALS_LOW | IMAGE_INCONSISTENT;
		return false;
	}
	if (total.allocs == 0 && total.failures == 0)
		return false;
	*ret = (struct image_usage){
		.device = device,
		.pool = pool,
		.known = card->known,
		.node = card->node,
		.bdf = card->bdf,
		.asic = card->asic,
		.now_bytes = total.now_bytes,
		.peak_bytes = total.peak_bytes,
		.allocs = total.allocs,
		.frees = total.frees,
		.failures = total.failures,
		.changed_ns = total.changed_ns,
	};
	return true;
}

uint32_t client_table_usages(struct client_table *table, struct image_usage *ret, uint32_t *flags)
{
	uint64_t devices = table_devices(&table->view);
	uint32_t count = 0;

	for (uint32_t device = 0; device < TABLE_DEVICES; device++) {
		struct table_device card = { 0 };

		if (!(devices >> device & 1))
			continue;
		if (!table_has_cells(table, device)) {
			*flags |= IMAGE_INCONSISTENT;
			continue;
		}
		if (table_read_device(&table->view, device, &card) < 0)
			card = (struct table_device){ 0 };
		for (unsigned pool = 0; pool < POOL_COUNT; pool++)
			count += usage_fill(table, device, (enum pool)pool, &card, &ret[count],
					    flags);
	}
	return count;
}

/* Bytes of the list up to the first hole, and at most for the given number of allocations. */
static size_t list_length(const struct client_table *table, uint32_t most)
{
	uint64_t used = __atomic_load_n(&table->view.header->slots_used, __ATOMIC_ACQUIRE);
	uint64_t count = MIN(used, MIN(table->view.slot_capacity, most));
	off_t wanted = (off_t)(count * sizeof(struct table_slot)), end;

	end = lseek(table->fd, (off_t)TABLE_SLOT_OFFSET, SEEK_HOLE);
	return end < (off_t)TABLE_SLOT_OFFSET ? 0
					      : (size_t)MIN(end - (off_t)TABLE_SLOT_OFFSET, wanted);
}

uint32_t client_table_count_usages(const struct client_table *table)
{
	return (uint32_t)__builtin_popcountll(table_devices(&table->view)) * POOL_COUNT;
}

uint32_t client_table_count_allocations(const struct client_table *table, uint32_t most)
{
	return (uint32_t)(list_length(table, most) / sizeof(struct table_slot));
}

void client_table_list(const struct client_table *table, uint32_t most, struct image_writer *writer,
		       uint32_t *flags)
{
	size_t length = TABLE_SLOT_OFFSET + list_length(table, most);
	struct table_cursor cursor = { 0 };
	struct table_allocation got;
	struct table_view view;
	void *map;

	map = mmap(NULL, length, PROT_READ, MAP_SHARED, table->fd, 0);
	if (map == MAP_FAILED || table_view_init(&view, map, length) < 0) {
		*flags |= IMAGE_LIST_CUT;
		if (map != MAP_FAILED)
			munmap(map, length);
		return;
	}
	/*
	 * The whole list will be read: populating it at once takes half the time of single page
	 * faults.
	 */
	madvise((char *)map + TABLE_SLOT_OFFSET, length - TABLE_SLOT_OFFSET, MADV_POPULATE_READ);
	while (table_next(&view, &cursor, &got)) {
		struct image_allocation allocation = {
			.id = got.id,
			.size = got.size,
			.time_ns = got.time_ns,
			.device = got.device,
			.pool = got.pool,
		};

		if (image_add_allocation(writer, &allocation) < 0)
			break;
	}
	if (cursor.changing || cursor.invalid || !table_list_is_complete(&view))
		*flags |= IMAGE_LIST_CUT;
	munmap(map, length);
}
