#include "daemon/packet.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/* Room for more than any message has, so that what is too much is seen and closed. */
enum { FDS_ROOM = 4 };

struct fds {
	int fd[FDS_ROOM];
	unsigned count;
};

static void fds_collect(struct msghdr *message, struct fds *ret)
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

static void fds_close(const struct fds *fds)
{
	for (unsigned i = 0; i < fds->count; i++)
		close(fds->fd[i]);
}

int packet_receive(int sock, struct wire_message *ret, int *ret_fd)
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
	struct fds fds = { .count = 0 };
	ssize_t n;
	int r;

	do
		n = recvmsg(sock, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? -EAGAIN : -ECONNRESET;
	fds_collect(&message, &fds);
	/* Nothing at all is the end; an empty packet cannot be told from it, and is no message. */
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

static int send_parts(int sock, struct iovec *parts, size_t count)
{
	struct msghdr packet = { .msg_iov = parts, .msg_iovlen = count };
	ssize_t n;

	do
		n = sendmsg(sock, &packet, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n >= 0)
		return 0;
	return errno == EPIPE ? -ECONNRESET : -errno;
}

int packet_send(int sock, const struct wire_message *message)
{
	uint8_t data[WIRE_MAX];
	struct iovec part = { .iov_base = data, .iov_len = wire_encode(message, data) };

	return send_parts(sock, &part, 1);
}

int packet_send_data(int sock, const char *data, size_t length)
{
	size_t size = MIN(length, WIRE_DATA_MAX);
	uint8_t header[WIRE_HEADER];
	struct iovec parts[] = {
		{ .iov_base = header, .iov_len = sizeof(header) },
		{ .iov_base = (void *)data, .iov_len = size },
	};
	int r;

	wire_data_header(size, header);
	r = send_parts(sock, parts, ARRAY_SIZE(parts));
	return r < 0 ? r : (int)size;
}

void packet_refuse(int sock, int error, uint32_t retry_ms, const char *why)
{
	struct wire_message message = {
		.type = WIRE_ERROR,
		.error = { .code = (uint32_t)error, .retry_ms = retry_ms },
	};

	snprintf(message.error.text, sizeof(message.error.text), "%s", why);
	packet_send(sock, &message);
}
