#include "daemon/client.h"

#include "daemon/client_table.h"
#include "daemon/connection.h"
#include "daemon/fd_closer.h"
#include "daemon/legacy_process.h"
#include "daemon/log.h"
#include "daemon/manager.h"
#include "daemon/exit_watch.h"
#include "daemon/observer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

/* May this descriptor be mapped? -EPERM if not: its owner could take pages away under us. */
static int table_fd_check(int fd, struct stat *ret)
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

struct client *client_free(struct client *client)
{
	struct manager *manager;

	if (!client)
		return NULL;
	manager = client->reporter.manager;
	if (client->connection)
		client->connection->client = NULL;
	else
		user_give_back(client->reporter.user, LIMIT_CLIENTS, 1);
	if (!client_is_preload(client))
		legacy_process_note_table(client->reporter.manager, &client->reporter.peer, -1);
	reporter_done(&client->reporter);
	munmap((void *)client->map, TABLE_SLOT_OFFSET);
	fd_closer_close(manager->closer, client->table); /* may be the last, and free its pages */
	free(client);
	return NULL;
}

static struct client *client_of_table(struct manager *manager, const struct stat *st)
{
	for (LIST_EACH(at, &manager->reporters)) {
		struct client *client = client_of(reporter_of(at));

		if (client && client->dev == st->st_dev && client->ino == st->st_ino)
			return client;
	}
	return NULL;
}

uint32_t clients_count(struct manager *manager, const struct peer *peer)
{
	uint32_t count = 0;

	for (LIST_EACH(at, &manager->reporters)) {
		const struct client *client = client_of(reporter_of(at));

		count += client && peer_is(&client->reporter.peer, peer) &&
			 !client_is_preload(client);
	}
	return count;
}

static bool client_is_outdone(const struct reporter *reporter)
{
	const struct client *client = container_of(reporter, struct client, reporter);

	return client_is_preload(client) &&
	       (clients_count(reporter->manager, &reporter->peer) ||
		legacy_process_find(reporter->manager, &reporter->peer));
}

static bool table_is_of(const struct table_view *view, const struct peer *peer)
{
	/* Of a process that does not answer, its connection tells enough. */
	if (!peer->described)
		return true;
	return view->pid == (uint64_t)peer->ns_pid &&
	       (view->start_ticks == 0 || view->start_ticks == peer->start_ticks);
}

/*
 * Begins to count it: for its user, unless its connection is, and until its
 * process ends. A connection takes the place of an adoption, and of nothing else.
 */
static int client_start(struct client *client, int pidfd, struct client *known)
{
	struct manager *manager = client->reporter.manager;
	bool adopted = !client->connection;
	int r = 0;

	if (known && (known->connection || adopted))
		return -EALREADY;
	if (adopted)
		r = user_take(client->reporter.user, LIMIT_CLIENTS);
	if (r < 0)
		return r;
	r = reporter_start(&client->reporter, pidfd);
	if (r < 0 && adopted)
		user_give_back(client->reporter.user, LIMIT_CLIENTS, 1);
	if (r < 0)
		return r;
	client_free(known);
	if (!client_is_preload(client))
		legacy_process_note_table(manager, &client->reporter.peer, 1);
	return 0;
}

int client_new(struct manager *manager, const struct peer *peer, int pidfd, int table,
	       struct connection *connection, int link, struct client **ret)
{
	static uint64_t last_link;
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
		.table = table,
		.dev = st.st_dev,
		.ino = st.st_ino,
		.connection = connection,
		.link = link,
		.link_name = ++last_link,
	};
	r = reporter_init(&client->reporter, &client_ops, manager, peer);
	if (r >= 0)
		r = table_map(table, &st, &client->map, &client->view);
	if (r >= 0 && !table_is_of(&client->view, peer))
		r = -EPROTO;
	if (r >= 0)
		r = client_start(client, pidfd, client_of_table(manager, &st));
	if (r < 0) {
		if (client->map)
			munmap((void *)client->map, TABLE_SLOT_OFFSET);
		reporter_done(&client->reporter);
		free(client);
		return r;
	}
	*ret = client;
	return 0;
}

struct observed_link *clients_links(struct manager *manager, size_t *ret_count)
{
	struct observed_link *links = NULL;
	size_t count = 0, adopted = 0;

	for (LIST_EACH(at, &manager->reporters)) {
		const struct client *client = client_of(reporter_of(at));

		adopted += client && !client->connection;
	}
	if (adopted)
		links = calloc(adopted, sizeof(*links));
	for (LIST_EACH(at, &manager->reporters)) {
		const struct client *client = client_of(reporter_of(at));

		if (!client || client->connection || !links)
			continue;
		links[count++] = (struct observed_link){
			.name = client->link_name,
			.pid = client->reporter.peer.pid,
			.number = client->link,
			.dev = client->dev,
			.ino = client->ino,
		};
	}
	*ret_count = count;
	return links;
}

void clients_lost_link(struct manager *manager, uint64_t name)
{
	for (LIST_EACH(at, &manager->reporters)) {
		struct client *client = client_of(reporter_of(at));

		if (client && !client->connection && client->link_name == name) {
			client_end(client);
			return;
		}
	}
}

void client_end(struct client *client)
{
	reporter_account(&client->reporter);
	client_free(client);
}

static void client_ended(struct reporter *reporter)
{
	struct client *client = container_of(reporter, struct client, reporter);
	struct connection *connection = client->connection;

	client_end(client);
	if (connection)
		connection_close(connection);
}

void client_bury(struct manager *manager, const struct peer *peer, int table)
{
	struct client client = { .table = table };
	struct stat st;

	if (reporter_init(&client.reporter, &client_ops, manager, peer) >= 0 &&
	    table_fd_check(table, &st) >= 0 &&
	    table_map(table, &st, &client.map, &client.view) >= 0) {
		reporter_account(&client.reporter);
		munmap((void *)client.map, TABLE_SLOT_OFFSET);
	}
	reporter_done(&client.reporter);
}

const struct reporter_ops client_ops = {
	.kind = "table",
	.origin = IMAGE_TABLE,
	.describe = client_describe,
	.usages = client_usages,
	.count_usages = client_count_usages,
	.count_allocations = client_count_allocations,
	.list = client_list,
	.is_outdone = client_is_outdone,
	.ended = client_ended,
};
