#include "daemon/packet.h"

#include "proto/wire_socket.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

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

ssize_t packet_read(int sock, void *data, size_t size, int *ret_flags, struct message_fds *ret)
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
	ssize_t n;

	ret->count = 0;
	do
		n = recvmsg(sock, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? -EAGAIN : -ECONNRESET;
	fds_collect(&message, ret);
	/* Nothing at all is the end; an empty packet looks the same, and is no message. */
	if (n == 0 && ret->count == 0)
		return -ECONNRESET;
	*ret_flags = message.msg_flags;
	return n;
}

int packet_receive(int sock, struct wire_message *ret, struct message_fds *ret_fds)
{
	uint8_t data[WIRE_MAX + 1];
	int flags;
	ssize_t n = packet_read(sock, data, sizeof(data), &flags, ret_fds);

	if (n < 0)
		return (int)n;
	if (flags & (MSG_TRUNC | MSG_CTRUNC))
		return -EBADMSG;
	return wire_decode(data, (size_t)n, ret_fds->count, ret);
}

void packet_refuse(int sock, int error, uint32_t retry_ms, const char *why)
{
	struct wire_message message = {
		.type = WIRE_ERROR,
		.error = { .code = (uint32_t)error, .retry_ms = retry_ms },
	};

	snprintf(message.error.text, sizeof(message.error.text), "%s", why);
	wire_send(sock, &message, -1);
}
