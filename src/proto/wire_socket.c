#include "proto/wire_socket.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

_Static_assert(WIRE_PATH_SIZE == sizeof(((struct sockaddr_un *)NULL)->sun_path),
	       "a path must fit into an address");

/* ---- where the server is ---- */

/* libttalloc may be part of a set-user-ID program, which must not heed its caller's variables. */
static const char *named_path(void)
{
	const char *path = secure_getenv("TT_ALLOCD_SOCKET");

	return path && path[0] ? path : NULL;
}

bool wire_path_is_named(void)
{
	return named_path() != NULL;
}

int wire_find_paths(struct wire_paths *ret)
{
	const char *named = named_path(), *runtime = secure_getenv("XDG_RUNTIME_DIR");

	ret->count = 1;
	if (named) {
		if (strlen(named) >= WIRE_PATH_SIZE)
			return -ENAMETOOLONG;
		strcpy(ret->path[0], named);
		return 0;
	}
	strcpy(ret->path[0], WIRE_SOCKET_SYSTEM);
	if (runtime && runtime[0] == '/' &&
	    strlen(runtime) + sizeof("/" WIRE_SOCKET_NAME) <= WIRE_PATH_SIZE)
		sprintf(ret->path[ret->count++], "%s/%s", runtime, WIRE_SOCKET_NAME);
	return 0;
}

int wire_connect(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	CLEANUP_CLOSE int fd = -1;

	strcpy(address.sun_path, path);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	return TAKE_FD(fd);
}

/* ---- receiving ---- */

/* Room for more than any message has, so that surplus ones are seen and closed. */
enum { FDS_ROOM = 4 };

struct wire_fds {
	int fd[FDS_ROOM];
	unsigned count;
};

static void fds_collect(struct msghdr *message, struct wire_fds *ret)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		size_t n;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		n = MIN(n, FDS_ROOM - ret->count);
		memcpy(&ret->fd[ret->count], CMSG_DATA(c), n * sizeof(int));
		ret->count += (unsigned)n;
	}
}

static void fds_close(const struct wire_fds *fds)
{
	for (unsigned i = 0; i < fds->count; i++)
		close(fds->fd[i]);
}

static ssize_t receive(int sock, struct msghdr *message)
{
	ssize_t n;

	do
		n = recvmsg(sock, message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? -EAGAIN : -ECONNRESET;
	return n;
}

int wire_receive(int sock, struct wire_message *ret, int *ret_fd)
{
	uint8_t data[WIRE_MAX + 1];
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(FDS_ROOM * sizeof(int))];
	} control;
	struct iovec part = { .iov_base = data, .iov_len = sizeof(data) };
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control.room),
	};
	struct wire_fds fds = { .count = 0 };
	ssize_t n = receive(sock, &message);
	int r;

	if (n < 0)
		return (int)n;
	fds_collect(&message, &fds);
	/* An empty packet cannot be told from the end of the connection, and is no message. */
	if (n == 0 && fds.count == 0)
		return -ECONNRESET;
	r = message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)
		    ? -EBADMSG
		    : wire_decode(data, (size_t)n, fds.count, ret);
	if (r < 0) {
		fds_close(&fds);
		return r;
	}
	*ret_fd = fds.count ? fds.fd[0] : -1;
	return 0;
}

int wire_receive_data(int sock, char *to, size_t room)
{
	uint8_t header[WIRE_HEADER] = { 0 };
	struct iovec parts[] = {
		{ .iov_base = header, .iov_len = sizeof(header) },
		{ .iov_base = to, .iov_len = room },
	};
	/* Without room for descriptors the kernel closes any that come along. */
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = ARRAY_SIZE(parts) };
	ssize_t n = receive(sock, &message);

	if (n < 0)
		return (int)n;
	if (n == 0)
		return -ECONNRESET;
	if (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC))
		return -EBADMSG;
	return wire_data_size(header, (size_t)n);
}

/* ---- sending ---- */

static int send_packet(int sock, const struct msghdr *packet)
{
	ssize_t n;

	do
		n = sendmsg(sock, packet, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n >= 0)
		return 0;
	return errno == EPIPE ? -ECONNRESET : -errno;
}

int wire_send(int sock, const struct wire_message *message, int fd)
{
	uint8_t data[WIRE_MAX];
	struct iovec part = { .iov_base = data, .iov_len = wire_encode(message, data) };
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .room = { 0 } };
	struct msghdr packet = { .msg_iov = &part, .msg_iovlen = 1 };

	if (fd >= 0) {
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(int));
		packet.msg_control = &control;
		packet.msg_controllen = sizeof(control.room);
	}
	return send_packet(sock, &packet);
}

int wire_send_data(int sock, const char *data, size_t length)
{
	size_t size = MIN(length, WIRE_DATA_MAX);
	uint8_t header[WIRE_HEADER];
	struct iovec parts[] = {
		{ .iov_base = header, .iov_len = sizeof(header) },
		{ .iov_base = (void *)data, .iov_len = size },
	};
	const struct msghdr packet = { .msg_iov = parts, .msg_iovlen = ARRAY_SIZE(parts) };
	int r;

	wire_data_header(size, header);
	r = send_packet(sock, &packet);
	return r < 0 ? r : (int)size;
}
