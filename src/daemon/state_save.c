#include "daemon/state.h"

#include "daemon/client.h"
#include "daemon/connection.h"
#include "daemon/legacy_process.h"
#include "daemon/manager.h"
#include "daemon/exit_watch.h"

#include <stdio.h>
#include <string.h>

/* Adds a record; the caller adds its arrays, which take more bytes. */
static void record_add(struct buf *out, enum state_record kind, const void *record, size_t size,
		       size_t more)
{
	const struct state_frame frame = { .kind = kind, .size = (uint32_t)(size + more) };

	buf_add(out, &frame, sizeof(frame));
	buf_add(out, record, size);
}

static uint32_t reporters_count(const struct manager *manager, const struct reporter_ops *ops)
{
	uint32_t count = 0;

	for (LIST_EACH(at, &manager->reporters.list))
		count += reporter_of(at)->ops == ops;
	return count;
}

static uint32_t list_count(const struct list *head)
{
	uint32_t count = 0;

	for (LIST_EACH(at, head))
		count++;
	return count;
}

static void listener_save(const struct listener *listener, struct state_listener *ret)
{
	*ret = (struct state_listener){
		.fd = listener->watch.fd,
		.given = listener->given,
		.dev = listener->dev,
		.ino = listener->ino,
	};
	snprintf(ret->path, sizeof(ret->path), "%s", listener->path ? listener->path : "");
}

static void connections_save(struct manager *manager, struct buf *out)
{
	int32_t place = 0;

	for (LIST_EACH(at, &manager->connections.list)) {
		struct connection *from = container_of(at, struct connection, member);
		const struct state_connection to = {
			.fd = from->watch.fd,
			.state = MIN(from->state, CONNECTION_MONITOR),
			.pid = from->pid,
			.uid = from->uid,
		};

		from->place = place++;
		record_add(out, STATE_CONNECTION, &to, sizeof(to), 0);
	}
}

static int32_t place_of(const struct client_holder *holder)
{
	return holder ? container_of(holder, struct connection, holder)->place : -1;
}

static void clients_save(struct manager *manager, struct buf *out)
{
	for (LIST_EACH(at, &manager->reporters.list)) {
		const struct client *from = client_of(reporter_of(at));
		struct state_client to;

		if (!from)
			continue;
		to = (struct state_client){
			.table = from->table.fd,
			.pidfd = from->reporter.pidfd_watch.fd,
			.connection = place_of(from->holder),
			.link = from->link,
			.peer = from->reporter.peer,
		};
		record_add(out, STATE_CLIENT, &to, sizeof(to), 0);
	}
}

static void ledger_save(const struct ledger *ledger, struct buf *out)
{
	for (size_t i = 0; i < TABLE_DEVICES; i++) {
		if (ledger->devices[i])
			buf_add(out, ledger->devices[i], sizeof(*ledger->devices[i]));
	}
	for (size_t i = 0; i < ledger->entries.room; i++) {
		const struct ledger_entry *entry = ledger_at(ledger, i);

		if (entry)
			buf_add(out, entry, sizeof(*entry));
	}
}

static void processes_save(struct manager *manager, struct buf *out)
{
	int32_t place = 0;

	for (LIST_EACH(at, &manager->reporters.list)) {
		struct legacy_process *from = legacy_process_of(reporter_of(at));
		struct state_process to;
		size_t more;

		if (!from)
			continue;
		to = (struct state_process){
			.pidfd = from->reporter.pidfd_watch.fd,
			.limit_said = from->limit_said,
			.entries = ledger_count(&from->ledger),
			.ignored = from->ledger.ignored,
			.peer = from->reporter.peer,
		};
		from->place = place++;
		memcpy(to.misuse, from->ledger.misuse, sizeof(to.misuse));
		for (size_t i = 0; i < TABLE_DEVICES; i++)
			to.devices |= (uint64_t)(from->ledger.devices[i] != NULL) << i;
		more = (size_t)__builtin_popcountll(to.devices) * sizeof(struct ledger_device) +
		       to.entries * sizeof(struct ledger_entry);
		record_add(out, STATE_PROCESS, &to, sizeof(to), more);
		ledger_save(&from->ledger, out);
	}
}

static void legacy_connections_save(struct manager *manager, struct buf *out)
{
	for (LIST_EACH(at, &manager->legacy_connections.list)) {
		const struct legacy_connection *from =
			container_of(at, struct legacy_connection, member);
		struct state_legacy_connection to = {
			.fd = from->watch.fd,
			.state = from->state,
			.number = from->link.number,
			.known = from->known,
			.uid = from->uid,
			.process = from->link.process ? from->link.process->place : -1,
			.peer = from->peer,
			.stream = from->stream,
			.due = from->due,
			.out_at = from->out_at,
			.out_length = from->out_length,
			.in_at = from->in_at,
			.in_length = from->in_length,
		};

		memcpy(to.out, from->out, sizeof(to.out));
		memcpy(to.in, from->in, sizeof(to.in));
		record_add(out, STATE_LEGACY, &to, sizeof(to), 0);
	}
}

static void accounts_save(struct manager *manager, struct buf *out)
{
	struct accounts *accounts = &manager->accounts;
	uint32_t place = 0;

	for (LIST_EACH(at, &accounts->list)) {
		struct accounts_entry *from = accounts_entry_of(at);
		const struct state_account to = {
			.process = from->process,
			.usages = from->n_usages,
		};

		const size_t more = from->n_usages * sizeof(*from->usages);

		from->place = place++;
		record_add(out, STATE_ACCOUNT, &to, sizeof(to), more);
		buf_add(out, from->usages, more);
	}
}

/* Watches whose account was dropped are not needed any more. */
static uint32_t exit_watches_save(struct manager *manager, struct buf *out)
{
	uint32_t count = 0;

	for (LIST_EACH(at, &manager->exit_watches.list)) {
		const struct exit_watch *from = container_of(at, struct exit_watch, member);
		const struct accounts_entry *account =
			accounts_find(&manager->accounts, from->account);
		struct state_exit_watch to = { .pidfd = from->watch.fd };

		if (!account)
			continue;
		to.account = account->place;
		record_add(out, STATE_EXIT_WATCH, &to, sizeof(to), 0);
		count++;
	}
	return count;
}

void state_save(struct manager *manager, struct buf *out)
{
	struct state_head head = {
		.magic = STATE_MAGIC,
		.version = STATE_VERSION,
		.size = sizeof(head),
		.start_ns = (uint64_t)manager->answers.server_start_ns,
		.finished_total = manager->accounts.total,
		.connections = list_count(&manager->connections.list),
		.clients = reporters_count(manager, &client_ops),
		.processes = reporters_count(manager, &legacy_process_ops),
		.legacy_connections = list_count(&manager->legacy_connections.list),
		.tracer = manager->tracer.pid,
		.accounts = manager->accounts.count,
	};

	listener_save(&manager->own, &head.own);
	listener_save(&manager->legacy, &head.legacy);
	buf_add(out, &head, sizeof(head));
	connections_save(manager, out);
	clients_save(manager, out);
	processes_save(manager, out);
	legacy_connections_save(manager, out);
	accounts_save(manager, out);
	head.exit_watches = exit_watches_save(manager, out);
	if (!out->failed)
		memcpy(out->data, &head, sizeof(head));
}

void state_descriptors(struct manager *manager, void (*each)(int fd, bool stays), bool stays)
{
	each(manager->own.watch.fd, stays);
	if (manager->legacy.watch.fd >= 0)
		each(manager->legacy.watch.fd, stays);
	for (LIST_EACH(at, &manager->connections.list))
		each(container_of(at, struct connection, member)->watch.fd, stays);
	for (LIST_EACH(at, &manager->reporters.list)) {
		struct reporter *reporter = reporter_of(at);

		if (client_of(reporter))
			each(client_of(reporter)->table.fd, stays);
		if (client_of(reporter) || legacy_process_of(reporter))
			each(reporter->pidfd_watch.fd, stays);
	}
	for (LIST_EACH(at, &manager->legacy_connections.list))
		each(container_of(at, struct legacy_connection, member)->watch.fd, stays);
	for (LIST_EACH(at, &manager->exit_watches.list))
		each(container_of(at, struct exit_watch, member)->watch.fd, stays);
}
