#include "alloc/link.h"

#include "basic/clock.h"
#include "proto/server_path.h"
#include "proto/table.h"
#include "proto/wire_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#define DESCRIPTOR_MIN 64 /* host programs expect to get the low numbers */
#define CHECK_PERIOD   NS_PER_S
#define REFUSED_PAUSE  (10 * NS_PER_S) /* minimum, after the server refused the table */

int descriptor_settle(int fd)
{
	int high = fcntl(fd, F_DUPFD_CLOEXEC, DESCRIPTOR_MIN);

	if (high < 0 && fd > STDERR_FILENO)
		return fd;
	if (high < 0)
		high = -errno;
	close(fd);
	return high;
}

void descriptor_set(struct descriptor *descriptor, int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return;
	descriptor->dev = st.st_dev;
	descriptor->ino = st.st_ino;
	/* Last: a child that is forked before sees no descriptor instead of a wrong one. */
	__atomic_store_n(&descriptor->fd, fd, __ATOMIC_RELEASE);
}

static bool descriptor_is_ours(const struct descriptor *descriptor)
{
	struct stat st;

	return descriptor->fd >= 0 && fstat(descriptor->fd, &st) == 0 &&
	       st.st_dev == descriptor->dev && st.st_ino == descriptor->ino;
}

void descriptor_close(struct descriptor *descriptor)
{
	bool ours = descriptor_is_ours(descriptor);
	int fd = descriptor->fd;

	__atomic_store_n(&descriptor->fd, -1, __ATOMIC_RELEASE);
	if (ours)
		close(fd);
}

/* Connects and sends the table. Returns the socket, or -errno at once. */
static int server_send_table(const char *path, int table)
{
	const struct wire_message hello = {
		.type = WIRE_HELLO,
		.hello = { .table_version = TABLE_VERSION },
	};
	CLEANUP_CLOSE int sock = wire_connect(path);
	int r;

	if (sock < 0)
		return sock; /* a server whose backlog is full counts as absent for now */
	sock = descriptor_settle(sock);
	if (sock < 0)
		return sock;
	r = wire_send(sock, &hello, table);
	return r < 0 ? r : TAKE_FD(sock);
}

static int server_find(int table)
{
	struct server_paths paths;
	int r = server_paths_find(&paths);

	if (r < 0)
		return r;
	r = -ENOENT;
	for (unsigned i = 0; i < paths.count && r < 0; i++)
		r = server_send_table(paths.path[i], table);
	return r;
}

static void link_connect(struct link *link, struct descriptor *sock, const struct descriptor *table)
{
	int fd;

	if (!descriptor_is_ours(table))
		return; /* the host program closed it: the table stays, but cannot be sent */
	fd = server_find(table->fd);
	if (fd < 0)
		return;
	descriptor_set(sock, fd);
	__atomic_store_n(&link->connected, true, __ATOMIC_RELAXED);
}

/*
 * A server that refuses without reading leaves a socket error, which is returned before its
 * message.
 */
static ssize_t packet_receive(int sock, uint8_t *data, size_t size)
{
	ssize_t length = recv(sock, data, size, MSG_DONTWAIT);

	if (length < 0 && errno == ECONNRESET)
		length = recv(sock, data, size, MSG_DONTWAIT);
	return length;
}

/*
 * Reads the answer of the server, if there is one. Returns the time until the next attempt: 0 if
 * the connection is open, CHECK_PERIOD or more if the server hung up or refused the table.
 */
static int64_t server_read_answer(const struct descriptor *sock)
{
	struct wire_message message;
	uint8_t data[WIRE_MAX + 1];
	ssize_t length;

	if (!descriptor_is_ours(sock))
		return CHECK_PERIOD;
	do {
		length = packet_receive(sock->fd, data, sizeof(data));
		if (length < 0 && errno == EAGAIN)
			return 0;
		if (length <= 0 || wire_decode(data, (size_t)length, 0, &message) < 0)
			return CHECK_PERIOD;
	} while (message.type == WIRE_WELCOME);
	if (message.type != WIRE_ERROR)
		return CHECK_PERIOD;
	return MAX(REFUSED_PAUSE, message.error.retry_ms * NS_PER_MS);
}

static void link_drop(struct link *link, struct descriptor *sock)
{
	__atomic_store_n(&link->connected, false, __ATOMIC_RELAXED);
	descriptor_close(sock);
}

void link_check(struct link *link, struct descriptor *sock, const struct descriptor *table,
		int64_t now)
{
	int64_t pause = CHECK_PERIOD;

	if (!lock_try(&link->lock))
		return;
	if (link->connected) {
		int64_t gone = server_read_answer(sock);

		if (gone)
			link_drop(link, sock);
		pause = MAX(pause, gone);
	}
	/* A restarted server may listen already; one that refused is not contacted again yet. */
	if (!link->connected && pause == CHECK_PERIOD)
		link_connect(link, sock, table);
	__atomic_store_n(&link->next_check, now + pause, __ATOMIC_RELAXED);
	lock_release(&link->lock);
}
