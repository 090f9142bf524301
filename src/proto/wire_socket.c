#include "proto/wire_socket.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

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

static void fds_collect(struct msghdr *message, struct message_fds *ret)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		size_t n;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		n = MIN(n, MESSAGE_FDS_MAX - ret->count);
		memcpy(&ret->fd[ret->count], CMSG_DATA(c), n * sizeof(int));
		ret->count += (unsigned)n;
	}
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

ssize_t wire_read(int sock, void *data, size_t size, int *ret_flags, struct message_fds *ret)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(MESSAGE_FDS_MAX * sizeof(int))];
	} control;
	struct iovec part = { .iov_base = data, .iov_len = size };
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control.room),
	};
	ssize_t n = receive(sock, &message);

	ret->count = 0;
	if (n < 0)
		return n;
	fds_collect(&message, ret);
	/*
	 * No data at all means the end of the stream. An empty packet looks the same, and is not a
	 * message.
	 */
	if (n == 0 && ret->count == 0)
		return -ECONNRESET;
	*ret_flags = message.msg_flags;
	return n;
}

int wire_receive_fds(int sock, struct wire_message *ret, struct message_fds *ret_fds)
{
	uint8_t data[WIRE_MAX + 1];
	int flags;
	ssize_t n = wire_read(sock, data, sizeof(data), &flags, ret_fds);

	if (n < 0)
		return (int)n;
	if (flags & (MSG_TRUNC | MSG_CTRUNC))
		return -EBADMSG;
	return wire_decode(data, (size_t)n, ret_fds->count, ret);
}

int wire_receive(int sock, struct wire_message *ret, int *ret_fd)
{
	struct message_fds fds;
	int r = wire_receive_fds(sock, ret, &fds);

	for (unsigned i = 0; r < 0 && i < fds.count; i++)
		close(fds.fd[i]);
	if (r == 0)
		*ret_fd = fds.count ? fds.fd[0] : -1;
	return r;
}

int wire_receive_data(int sock, char *to, size_t room)
{
	uint8_t header[WIRE_HEADER] = { 0 };
	struct iovec parts[] = {
		{ .iov_base = header, .iov_len = sizeof(header) },
		{ .iov_base = to, .iov_len = room },
	};
	/* Without a control buffer the kernel closes any descriptors of the message. */
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
