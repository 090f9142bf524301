#include "daemon/client.h"

#include "basic/clock.h"
#include "daemon/connection.h"
#include "daemon/legacy_process.h"
#include "daemon/log.h"
#include "daemon/manager.h"
#include "daemon/mourner.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* Linux 5.14 */
#endif

int table_fd_check(int fd, struct stat *ret)
{
	const int needed = F_SEAL_SHRINK | F_SEAL_GROW;
	struct statfs fs;
	int seals;

	if (fstatfs(fd, &fs) < 0 || fstat(fd, ret) < 0)
		return -errno;
	/* A file of huge pages can fault even when it is sealed. */
	if (fs.f_type != TMPFS_MAGIC || !S_ISREG(ret->st_mode))
		return -EPERM;
	seals = fcntl(fd, F_GET_SEALS);
	return seals >= 0 && (seals & needed) == needed ? 0 : -EPERM;
}

/*
 * Maps the part of a table that has the totals. A hole that is touched becomes a
 * page, on our account; the cells of a device are looked at only after
 * client_has_cells().
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

static void life_changed(struct watch *watch, uint32_t events)
{
	struct client *client = container_of(watch, struct client, life);
	struct connection *connection = client->connection;

	(void)events;
	client_end(client);
	if (connection)
		connection_close(connection);
}

struct client *client_free(struct client *client)
{
	if (!client)
		return NULL;
	if (client->connection)
		client->connection->client = NULL;
	else
		quotas_drop_client(&client->manager->quotas, client->peer.uid);
	if (!client_is_preload(client))
		legacy_process_note_table(client->manager, &client->peer, -1);
	list_remove(&client->member);
	if (client->life.fd >= 0) {
		int pidfd = client->life.fd;

		watch_stop(&client->manager->loop, &client->life);
		close(pidfd);
	}
	close(client->table);
	munmap((void *)client->map, TABLE_SLOT_OFFSET);
	free(client);
	return NULL;
}

static struct client *client_of_table(struct manager *manager, const struct stat *st)
{
	for (LIST_EACH(at, &manager->clients)) {
		struct client *client = container_of(at, struct client, member);

		if (client->dev == st->st_dev && client->ino == st->st_ino)
			return client;
	}
	return NULL;
}

uint32_t clients_count(struct manager *manager, const struct peer *peer)
{
	uint32_t count = 0;

	for (LIST_EACH(at, &manager->clients)) {
		const struct client *client = container_of(at, struct client, member);

		count += peer_is(&client->peer, peer) && !client_is_preload(client);
	}
	return count;
}

bool client_is_outdone(const struct client *client)
{
	return client_is_preload(client) && (clients_count(client->manager, &client->peer) ||
					     legacy_process_find(client->manager, &client->peer));
}

static bool table_is_of(const struct table_view *view, const struct peer *peer)
{
	return view->pid == (uint64_t)peer->ns_pid &&
	       (view->start_ticks == 0 || view->start_ticks == peer->start_ticks);
}

/*
 * Begins to count it: for its user, unless its connection is, and until its
 * process ends. A connection takes the place of an adoption, and of nothing else.
 */
static int client_start(struct client *client, int pidfd, struct client *known)
{
	struct manager *manager = client->manager;
	bool adopted = !client->connection;
	int r = 0;

	if (known && (known->connection || adopted))
		return -EALREADY;
	if (adopted)
		r = quotas_add_client(&manager->quotas, &manager->limits, client->peer.uid);
	if (r < 0)
		return r;
	client->life = (struct watch){ .fd = -1, .ready = life_changed };
	r = watch_start(&manager->loop, &client->life, pidfd, EPOLLIN);
	if (r < 0 && adopted)
		quotas_drop_client(&manager->quotas, client->peer.uid);
	if (r < 0)
		return r;
	client_free(known);
	list_append(&manager->clients, &client->member);
	if (!client_is_preload(client))
		legacy_process_note_table(manager, &client->peer, 1);
	return 0;
}

int client_new(struct manager *manager, const struct peer *peer, int pidfd, int table,
	       struct connection *connection, int link, struct client **ret)
{
	struct client *client;
	struct stat st;
	int r;

	r = table_fd_check(table, &st);
	if (r < 0)
		return r;
	client = calloc(1, sizeof(*client));
	if (!client)
		return -ENOMEM;
	*client = (struct client){
		.manager = manager,
		.peer = *peer,
		.table = table,
		.dev = st.st_dev,
		.ino = st.st_ino,
		.connection = connection,
		.link = link,
	};
	r = table_map(table, &st, &client->map, &client->view);
	if (r >= 0 && !table_is_of(&client->view, peer))
		r = -EPROTO;
	if (r >= 0)
		r = client_start(client, pidfd, client_of_table(manager, &st));
	if (r < 0) {
		if (client->map)
			munmap((void *)client->map, TABLE_SLOT_OFFSET);
		free(client);
		return r;
	}
	*ret = client;
	return 0;
}

static bool link_is_there(const struct client *client)
{
	struct stat st;
	char path[48];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", client->peer.pid, client->link);
	return stat(path, &st) == 0 && st.st_dev == client->dev && st.st_ino == client->ino;
}

void clients_refresh(struct manager *manager)
{
	for (LIST_EACH(at, &manager->clients)) {
		struct client *client = container_of(at, struct client, member);

		if (!client->connection && !link_is_there(client))
			client_end(client);
	}
}

void client_end(struct client *client)
{
	struct manager *manager = client->manager;
	struct image_process process;
	uint32_t n;
	uint64_t serial;

	client_describe(client, &process);
	process.flags |= IMAGE_FINISHED;
	process.ended_ns = (uint64_t)clock_now(CLOCK_REALTIME);
	n = client_usages(client, manager->usages, &process.flags);
	serial = accounts_add(&manager->accounts, &process, manager->usages, n);
	log_line(LOG_EVENT, "table of %s, pid %d, uid %u: ended", process.name, client->peer.pid,
		 client->peer.uid);
	mourner_new(manager, client->life.fd, serial);
	client_free(client);
}

void client_bury(struct manager *manager, const struct peer *peer, int table)
{
	struct client client = { .manager = manager, .peer = *peer, .table = table };
	struct image_process process;
	struct stat st;
	uint32_t n;

	if (table_fd_check(table, &st) < 0 || table_map(table, &st, &client.map, &client.view) < 0)
		return;
	client_describe(&client, &process);
	process.flags |= IMAGE_FINISHED;
	process.ended_ns = (uint64_t)clock_now(CLOCK_REALTIME);
	n = client_usages(&client, manager->usages, &process.flags);
	accounts_add(&manager->accounts, &process, manager->usages, n);
	munmap((void *)client.map, TABLE_SLOT_OFFSET);
}

void client_describe(const struct client *client, struct image_process *ret)
{
	*ret = (struct image_process){
		.pid = (uint32_t)client->peer.pid,
		.uid = client->peer.uid,
		.start_ticks = client->peer.start_ticks,
		.start_ns = client->peer.start_ns,
		.origin = IMAGE_TABLE,
		.flags = client_is_preload(client) ? IMAGE_PRELOAD : 0,
	};
	if (table_read_program(&client->view, ret->name) < 0 || !ret->name[0])
		snprintf(ret->name, sizeof(ret->name), "%s", client->peer.name);
	for (unsigned kind = 0; kind < TABLE_MISUSES; kind++)
		ret->misuse[kind] = table_misuse_count(&client->view, (enum table_misuse)kind);
	ret->unlisted = __atomic_load_n(&client->view.header->unlisted, __ATOMIC_ACQUIRE);
	if (ret->misuse[TABLE_LOST])
		ret->flags |= IMAGE_TOTALS_LOW;
}

/*
 * Has the table pages where the cells of this device are? Asked once per device: who says that it
 * used a device must have written there.
 */
static bool client_has_cells(struct client *client, uint32_t device)
{
	off_t at = (off_t)(TABLE_DEVICE_OFFSET + device * sizeof(struct table_device_cell));

	if (!(client->there >> device & 1) && lseek(client->table, at, SEEK_DATA) == at)
		client->there |= UINT64_C(1) << device;
	return client->there >> device & 1;
}

uint32_t client_count_usages(struct client *client)
{
	return (uint32_t)__builtin_popcountll(table_devices(&client->view)) * TABLE_POOLS;
}

static bool usage_fill(const struct client *client, uint32_t device, enum table_pool pool,
		       const struct table_device *card, struct image_usage *ret, uint32_t *flags)
{
	struct table_pool_total total;
	int r = table_read_pool(&client->view, device, pool, &total);

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

uint32_t client_usages(struct client *client, struct image_usage *ret, uint32_t *flags)
{
	uint64_t devices = table_devices(&client->view);
	uint32_t count = 0;

	for (uint32_t device = 0; device < TABLE_DEVICES; device++) {
		struct table_device card = { 0 };

		if (!(devices >> device & 1))
			continue;
		if (!client_has_cells(client, device)) {
			*flags |= IMAGE_INCONSISTENT;
			continue;
		}
		if (table_read_device(&client->view, device, &card) < 0)
			card = (struct table_device){ 0 };
		for (unsigned pool = 0; pool < TABLE_POOLS; pool++)
			count += usage_fill(client, device, (enum table_pool)pool, &card,
					    &ret[count], flags);
	}
	return count;
}

/* Bytes of the list that exist, without a hole, up to what we are willing to list. */
static size_t list_length(const struct client *client)
{
	uint64_t used = __atomic_load_n(&client->view.header->slots_used, __ATOMIC_ACQUIRE);
	uint64_t most = MIN(client->view.slot_capacity, client->manager->limits.value[LIMIT_SLOTS]);
	off_t wanted = (off_t)(MIN(used, most) * sizeof(struct table_slot)), end;

	end = lseek(client->table, (off_t)TABLE_SLOT_OFFSET, SEEK_HOLE);
	return end < (off_t)TABLE_SLOT_OFFSET ? 0
					      : (size_t)MIN(end - (off_t)TABLE_SLOT_OFFSET, wanted);
}

uint32_t client_count_allocations(const struct client *client)
{
	return (uint32_t)(list_length(client) / sizeof(struct table_slot));
}

void client_list(const struct client *client, struct image_writer *writer, uint32_t *flags)
{
	size_t length = TABLE_SLOT_OFFSET + list_length(client);
	struct table_cursor cursor = { 0 };
	struct table_allocation got;
	struct table_view view;
	void *map;

	map = mmap(NULL, length, PROT_READ, MAP_SHARED, client->table, 0);
	if (map == MAP_FAILED || table_view_init(&view, map, length) < 0) {
		*flags |= IMAGE_LIST_CUT;
		if (map != MAP_FAILED)
			munmap(map, length);
		return;
	}
	/* The list exists and will be read: at once it takes half the time of a fault per page. */
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
