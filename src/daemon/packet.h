/* Refuses messages of untrusted peers. */
#pragma once

#include <stdint.h>

/* Sends WIRE_ERROR if the socket buffer has room. */
void packet_refuse(int sock, int error, uint32_t retry_ms, const char *why);
