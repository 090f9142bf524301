/* Refusals: what the server sends instead of an answer. */
#pragma once

#include <stdint.h>

/* Sends WIRE_ERROR, if the socket takes it. */
void packet_refuse(int sock, int error, uint32_t retry_ms, const char *why);
