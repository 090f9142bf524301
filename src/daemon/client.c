#include "daemon/client.h"

#include "daemon/fd_closer.h"
#include "daemon/link_check.h"

#include <errno.h>
#include <stdlib.h>

static void client_free(struct client *client)
{
	if (client->holder)
		client->holder->client = NULL;
	else
		user_give_back(client->reporter.user, LIMIT_CLIENTS, 1);
	reporter_done(&client->reporter);
	client_table_close(&client->table);
	/* This may be the last descriptor of the memfd; closing it then frees its pages. */
	fd_closer_close(client->clients->closer, client->table.fd);
	free(client);
}

static struct client *client_of_table(struct clients *clients, const struct client_table *table)
{
	for (LIST_EACH(at, &clients->reporters->list)) {
		struct client *client = client_of(reporter_of(at));

		if (client && client->table.dev == table->dev && client->table.ino == table->ino)
			return client;
	}
	return NULL;
}

/*
 * Counts it against its user's limit, unless its connection is counted, and watches its process. A
 * client with a connection replaces an adopted one, but no other.
 */
static int client_start(struct client *client, int pidfd, struct client *known)
{
	bool preload = client_table_is_preload(&client->table);
	bool adopted = !client->holder;
	int r = 0;

	if (known && (known->holder || adopted))
		return -EALREADY;
	if (adopted)
		r = user_take(client->reporter.user, LIMIT_CLIENTS);
	if (r < 0)
		return r;
	r = reporter_start(&client->reporter, preload ? RANK_PRELOAD : RANK_TABLE, pidfd);
	if (r < 0 && adopted)
		user_give_back(client->reporter.user, LIMIT_CLIENTS, 1);
	if (r < 0)
		return r;
	if (known)
		client_free(known);
	return 0;
}

int client_new(struct clients *clients, const struct peer *peer, int pidfd, int table,
	       struct client_holder *holder, int link, struct client **ret)
{
	static uint64_t last_link;
	struct client *client = calloc(1, sizeof(*client));
	int r;

	if (!client)
		return -ENOMEM;
	*client = (struct client){
		.clients = clients,
		.holder = holder,
		.link = link,
		.link_name = ++last_link,
	};
	r = reporter_init(&client->reporter, &client_ops, clients->reporters, peer);
	if (r >= 0)
		r = client_table_open(&client->table, table);
	if (r >= 0 && !client_table_is_of(&client->table, peer))
		r = -EPROTO;
	if (r >= 0)
		r = client_start(client, pidfd, client_of_table(clients, &client->table));
	if (r < 0) {
		client_table_close(&client->table);
		reporter_done(&client->reporter);
		free(client);
		return r;
	}
	if (holder)
		holder->client = client;
	*ret = client;
	return 0;
}

struct observed_link *clients_links(struct clients *clients, size_t *ret_count)
{
	struct observed_link *links = NULL;
	size_t count = 0, adopted = 0;

	for (LIST_EACH(at, &clients->reporters->list)) {
		const struct client *client = client_of(reporter_of(at));

		adopted += client && !client->holder;
	}
	if (adopted)
		links = calloc(adopted, sizeof(*links));
	for (LIST_EACH(at, &clients->reporters->list)) {
		const struct client *client = client_of(reporter_of(at));

		if (!client || client->holder || !links)
			continue;
		links[count++] = (struct observed_link){
			.name = client->link_name,
			.pid = client->reporter.peer.pid,
			.number = client->link,
			.dev = client->table.dev,
			.ino = client->table.ino,
		};
	}
	*ret_count = count;
	return links;
}

void clients_lost_link(struct clients *clients, uint64_t name)
{
	for (LIST_EACH(at, &clients->reporters->list)) {
		struct client *client = client_of(reporter_of(at));

		if (client && !client->holder && client->link_name == name) {
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

void client_account_ended(struct clients *clients, const struct peer *peer, int table)
{
	struct client client = { .clients = clients };

	if (reporter_init(&client.reporter, &client_ops, clients->reporters, peer) >= 0 &&
	    client_table_open(&client.table, table) >= 0) {
		reporter_account(&client.reporter);
		client_table_close(&client.table);
	}
	reporter_done(&client.reporter);
}

/* ---- as a reporter ---- */

static void client_describe(const struct reporter *reporter, struct image_process *record)
{
	client_table_describe(&container_of(reporter, struct client, reporter)->table, record);
}

static uint32_t client_usages(struct reporter *reporter, struct image_usage *ret, uint32_t *flags)
{
	return client_table_usages(&client_of(reporter)->table, ret, flags);
}

static uint32_t client_count_usages(struct reporter *reporter)
{
	return client_table_count_usages(&client_of(reporter)->table);
}

static uint32_t slots_most(const struct reporter *reporter)
{
	return reporter->all->users->limits->value[LIMIT_SLOTS];
}

static uint32_t client_count_allocations(struct reporter *reporter)
{
	return client_table_count_allocations(&client_of(reporter)->table, slots_most(reporter));
}

static void client_list(struct reporter *reporter, struct image_writer *writer, uint32_t *flags)
{
	client_table_list(&client_of(reporter)->table, slots_most(reporter), writer, flags);
}

static void client_ended(struct reporter *reporter)
{
	struct client *client = client_of(reporter);
	struct client_holder *holder = client->holder;

	client_end(client);
	if (holder)
		holder->ended(holder);
}

static void client_drop(struct reporter *reporter)
{
	client_free(client_of(reporter));
}

const struct reporter_ops client_ops = {
	.kind = "table",
	.origin = IMAGE_TABLE,
	.describe = client_describe,
	.usages = client_usages,
	.count_usages = client_count_usages,
	.count_allocations = client_count_allocations,
	.list = client_list,
	.ended = client_ended,
	.free = client_drop,
};
