#include "daemon/state.h"

#include "daemon/client.h"
#include "daemon/connection.h"
#include "daemon/connection_accept.h"
#include "daemon/fd_closer.h"
#include "daemon/legacy_accept.h"
#include "daemon/legacy_process.h"
#include "daemon/log.h"
#include "daemon/manager.h"
#include "daemon/exit_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

/* Reads the state sequentially. After reading beyond its end, all reads return NULL. */
struct cursor {
	const char *at;
	size_t left;
	bool failed;
};

static const void *take(struct cursor *cursor, size_t length)
{
	const void *at = cursor->at;

	if (cursor->failed || length > cursor->left) {
		cursor->failed = true;
		return NULL;
	}
	cursor->at += length;
	cursor->left -= length;
	return at;
}

/* Is there room for this many records of at least this size? */
static bool cursor_has(const struct cursor *cursor, uint32_t count, size_t size)
{
	return !cursor->failed && count <= cursor->left / (sizeof(struct state_frame) + size);
}

/*
 * Size of a record in this build, including its arrays. UINT64_MAX: too short, or of an unknown
 * kind.
 */
static uint64_t record_size(uint32_t kind, const void *record, size_t length)
{
	static const size_t fixed[STATE_RECORDS] = {
		[STATE_CONNECTION] = sizeof(struct state_connection),
		[STATE_CLIENT] = sizeof(struct state_client),
		[STATE_PROCESS] = sizeof(struct state_process),
		[STATE_LEGACY] = sizeof(struct state_legacy_connection),
		[STATE_ACCOUNT] = sizeof(struct state_account),
		[STATE_EXIT_WATCH] = sizeof(struct state_exit_watch),
	};
	const struct state_account *account = record;
	const struct state_process *process = record;

	if (kind >= STATE_RECORDS || length < fixed[kind])
		return UINT64_MAX;
	if (kind == STATE_ACCOUNT)
		return sizeof(*account) + (uint64_t)account->usages * sizeof(struct image_usage);
	if (kind == STATE_PROCESS)
		return sizeof(*process) +
		       (uint64_t)__builtin_popcountll(process->devices) *
			       sizeof(struct ledger_device) +
		       (uint64_t)process->entries * sizeof(struct ledger_entry);
	return fixed[kind];
}

/* The next record. If it is truncated, of another kind or size, NULL now and from then on. */
static const void *take_record(struct cursor *cursor, enum state_record kind)
{
	const struct state_frame *frame = take(cursor, sizeof(*frame));

	if (!frame || frame->kind != kind || frame->size > cursor->left ||
	    record_size(kind, cursor->at, frame->size) != frame->size) {
		cursor->failed = true;
		return NULL;
	}
	return take(cursor, frame->size);
}

/* Do all records match this build? The last one may be truncated. */
static bool records_fit(struct cursor cursor)
{
	const struct state_frame *frame;

	while ((frame = take(&cursor, sizeof(*frame))) && frame->size <= cursor.left) {
		if (record_size(frame->kind, cursor.at, frame->size) != frame->size)
			return false;
		take(&cursor, frame->size);
	}
	return true;
}

int state_check(const void *data, size_t length)
{
	struct cursor cursor = { .at = data, .left = length };
	const struct state_head *head = take(&cursor, sizeof(*head));

	if (!head || head->magic != STATE_MAGIC)
		return -EBADMSG;
	if (head->version != STATE_VERSION || head->size != sizeof(*head) || !records_fit(cursor))
		return -EPROTONOSUPPORT;
	return 0;
}

static void set_cloexec(int fd)
{
	fcntl(fd, F_SETFD, FD_CLOEXEC);
}

static int listener_restore(const struct state_listener *from, struct listener *to)
{
	if (from->fd < 0)
		return 0;
	to->path = strndup(from->path, sizeof(from->path));
	if (!to->path)
		return -ENOMEM;
	to->dev = from->dev;
	to->ino = from->ino;
	to->given = from->given;
	to->watch.fd = from->fd;
	set_cloexec(from->fd);
	return 0;
}

static struct connection *connection_load(struct manager *manager,
					  const struct state_connection *from)
{
	struct connection *to = calloc(1, sizeof(*to));

	set_cloexec(from->fd);
	if (to) {
		to->all = &manager->connections;
		to->watch.fd = from->fd;
		/* Whether the last answer was read is determined again. */
		to->state = MIN((enum connection_state)from->state, CONNECTION_MONITOR);
		to->pid = from->pid;
		to->uid = from->uid;
		if (connection_restore(to) >= 0)
			return to;
	}
	fd_closer_close(manager->closer, from->fd);
	if (to)
		user_unref(to->user);
	free(to);
	return NULL;
}

static void client_load(struct manager *manager, const struct state_client *from,
			struct connection *connection)
{
	struct client *client = NULL;
	int r;

	set_cloexec(from->table);
	set_cloexec(from->pidfd);
	r = client_new(&manager->clients, &from->peer, from->pidfd, from->table,
		       connection ? &connection->holder : NULL, from->link, &client);
	if (r >= 0)
		return;
	log_line(LOG_FAULT, "table of pid %d is lost: %s", from->peer.pid, strerror(-r));
	fd_closer_close(manager->closer, from->table);
	close(from->pidfd);
}

/* connections: by index, to connect each client to its own. */
static int clients_restore(struct manager *manager, const struct state_head *head,
			   struct cursor *cursor)
{
	CLEANUP_FREE struct connection **connections = NULL;

	if (!cursor_has(cursor, head->connections, sizeof(struct state_connection)))
		return -EBADMSG;
	connections = calloc(head->connections + (size_t)1, sizeof(struct connection *));
	if (!connections)
		return -ENOMEM;
	for (uint32_t i = 0; i < head->connections; i++) {
		const struct state_connection *from = take_record(cursor, STATE_CONNECTION);

		if (!from)
			return -EBADMSG;
		connections[i] = connection_load(manager, from);
	}
	if (!cursor_has(cursor, head->clients, sizeof(struct state_client)))
		return -EBADMSG;
	for (uint32_t i = 0; i < head->clients; i++) {
		const struct state_client *from = take_record(cursor, STATE_CLIENT);
		bool adopted = from && from->connection < 0;

		if (!from || (!adopted && (uint32_t)from->connection >= head->connections))
			return -EBADMSG;
		client_load(manager, from, adopted ? NULL : connections[from->connection]);
	}
	/* Closes connections whose client could not be restored. */
	for (uint32_t i = 0; i < head->connections; i++) {
		struct connection *connection = connections[i];

		if (connection && connection->state == CONNECTION_CLIENT &&
		    !connection->holder.client)
			connection_close(connection);
	}
	return 0;
}

/* Its devices and entries follow it completely: see record_size(). */
static int ledger_restore(struct ledger *ledger, const struct state_process *from)
{
	const struct ledger_device *device = (const void *)(from + 1);
	const struct ledger_entry *entry;

	memcpy(ledger->misuse, from->misuse, sizeof(ledger->misuse));
	ledger->ignored = from->ignored;
	for (size_t i = 0; i < TABLE_DEVICES; i++) {
		if (!(from->devices >> i & 1))
			continue;
		ledger->devices[i] = malloc(sizeof(*device));
		if (!ledger->devices[i])
			return -ENOMEM;
		*ledger->devices[i] = *device++;
	}
	entry = (const void *)device;
	for (uint32_t i = 0; i < from->entries; i++) {
		if (ledger_restore_entry(ledger, &entry[i]) < 0)
			return -EBADMSG;
	}
	return 0;
}

static struct legacy_process *process_load(struct manager *manager, struct cursor *cursor)
{
	const struct state_process *from = take_record(cursor, STATE_PROCESS);
	struct legacy_process *process;
	bool taken;
	int r;

	if (!from)
		return NULL;
	set_cloexec(from->pidfd);
	r = legacy_process_get(&manager->legacy_processes, &from->peer, from->pidfd, &process,
			       &taken);
	if (r < 0) {
		cursor->failed = true; /* out of memory: skip the rest as well */
		return NULL;
	}
	process->limit_said = from->limit_said;
	if (ledger_restore(&process->ledger, from) < 0)
		cursor->failed = true;
	user_count(process->reporter.user, LIMIT_HELD, ledger_count(&process->ledger));
	return process;
}

static bool legacy_connection_is_valid(const struct state_legacy_connection *from,
				       uint32_t processes)
{
	return from->process >= -1 && (from->process < 0 || (uint32_t)from->process < processes) &&
	       from->state <= LEGACY_PROBING && from->in_at <= from->in_length &&
	       from->in_length <= sizeof(from->in) && from->out_at <= from->out_length &&
	       from->out_length <= sizeof(from->out) && legacy_stream_is_valid(&from->stream);
}

static void legacy_connection_load(struct manager *manager, struct cursor *cursor,
				   struct legacy_process **processes, uint32_t count)
{
	const struct state_legacy_connection *from = take_record(cursor, STATE_LEGACY);
	struct legacy_connection *to = calloc(1, sizeof(*to));
	struct legacy_process *process = NULL;

	if (!from || !to || !legacy_connection_is_valid(from, count)) {
		free(to);
		cursor->failed = true;
		return;
	}
	if (from->process >= 0)
		process = processes[from->process];
	set_cloexec(from->fd);
	*to = (struct legacy_connection){
		.all = &manager->legacy_connections,
		.watch.fd = from->fd,
		.state = (enum legacy_state)from->state,
		.link.number = from->number,
		.known = from->known,
		.peer = from->peer,
		.uid = from->uid,
		.stream = from->stream,
		.due = from->due,
		.out_at = from->out_at,
		.out_length = from->out_length,
		.in_at = from->in_at,
		.in_length = from->in_length,
	};
	memcpy(to->out, from->out, sizeof(to->out));
	memcpy(to->in, from->in, sizeof(to->in));
	if (process)
		legacy_process_join(process, &to->link);
	if (legacy_connection_restore(to) < 0) {
		fd_closer_close(manager->closer, from->fd);
		legacy_process_leave(&to->link);
		user_unref(to->user);
		free(to);
	}
}

static int legacy_restore(struct manager *manager, const struct state_head *head,
			  struct cursor *cursor)
{
	CLEANUP_FREE struct legacy_process **processes = NULL;

	if (!cursor_has(cursor, head->processes, sizeof(struct state_process)))
		return -EBADMSG;
	processes = calloc(head->processes + (size_t)1, sizeof(struct legacy_process *));
	if (!processes)
		return -ENOMEM;
	for (uint32_t i = 0; i < head->processes && !cursor->failed; i++)
		processes[i] = process_load(manager, cursor);
	if (!cursor_has(cursor, head->legacy_connections, sizeof(struct state_legacy_connection)))
		return -EBADMSG;
	for (uint32_t i = 0; i < head->legacy_connections && !cursor->failed; i++)
		legacy_connection_load(manager, cursor, processes, head->processes);
	return 0;
}

static int accounts_restore(struct manager *manager, const struct state_head *head,
			    struct cursor *cursor)
{
	CLEANUP_FREE uint64_t *serials = NULL;

	if (!cursor_has(cursor, head->accounts, sizeof(struct state_account)))
		return -EBADMSG;
	serials = calloc(head->accounts + (size_t)1, sizeof(uint64_t));
	if (!serials)
		return -ENOMEM;
	for (uint32_t i = 0; i < head->accounts && !cursor->failed; i++) {
		const struct state_account *from = take_record(cursor, STATE_ACCOUNT);

		if (from)
			serials[i] = accounts_add(&manager->accounts, &from->process,
						  (const void *)(from + 1), from->usages);
	}
	manager->accounts.total = head->finished_total;
	if (!cursor_has(cursor, head->exit_watches, sizeof(struct state_exit_watch)))
		return -EBADMSG;
	for (uint32_t i = 0; i < head->exit_watches; i++) {
		const struct state_exit_watch *from = take_record(cursor, STATE_EXIT_WATCH);

		if (!from || from->account >= head->accounts)
			return -EBADMSG;
		exit_watch_new(&manager->exit_watches, from->pidfd, serials[from->account]);
		close(from->pidfd);
	}
	return 0;
}

int state_restore(struct manager *manager, const void *data, size_t length)
{
	struct cursor cursor = { .at = data, .left = length };
	const struct state_head *head = take(&cursor, sizeof(*head));
	int r;

	if (!head)
		return -EBADMSG;
	manager->answers.server_start_ns = (int64_t)head->start_ns;
	manager->inherited_tracer = head->tracer;
	r = listener_restore(&head->own, &manager->own);
	if (r >= 0)
		r = listener_restore(&head->legacy, &manager->legacy);
	if (r >= 0)
		r = clients_restore(manager, head, &cursor);
	if (r >= 0)
		r = legacy_restore(manager, head, &cursor);
	if (r >= 0)
		r = accounts_restore(manager, head, &cursor);
	if (r >= 0 && cursor.failed)
		r = -EBADMSG;
	return r;
}
