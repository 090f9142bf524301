#include "daemon/packet.h"

#include "proto/wire_socket.h"

#include <stdio.h>

void packet_refuse(int sock, int error, uint32_t retry_ms, const char *why)
{
	struct wire_message message = {
		.type = WIRE_ERROR,
		.error = { .code = (uint32_t)error, .retry_ms = retry_ms },
	};

	snprintf(message.error.text, sizeof(message.error.text), "%s", why);
	wire_send(sock, &message, -1);
}
