/* Addresses to listen on, and the names by which clients may address the server. */
#pragma once

#include "basic/macros.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

/* The PCI vendor of these cards, 0x1E52, in decimal: docs/metrics.md. */
#define SERVE_PORT	7762
#define SERVE_PORT_TEXT STRINGIFY(SERVE_PORT)

struct listen_address {
	struct sockaddr_storage address;
	socklen_t length;
};

/* 127.0.0.1 and the default port. */
struct listen_address listen_address_default(void);

/* "ADDR:PORT", "[ADDR]:PORT" for IPv6; both numeric. -EINVAL. */
MUST_CHECK int listen_address_parse(const char *text, struct listen_address *ret);

/* A socket that listens there. -errno. */
MUST_CHECK int listen_address_open(const struct listen_address *address);

/* Prepares a socket that systemd opened. -EPROTOTYPE: it does not listen for TCP; -errno. */
MUST_CHECK int listen_address_adopt(int fd);

enum { LISTEN_ADDRESS_TEXT = 64 };

/* Writes "127.0.0.1:7762" or "[::1]:7762", of a socket too. */
void listen_address_text(const struct sockaddr *address, char *text, size_t size);

/* Does it belong to the machine itself? */
bool address_is_loopback(const struct sockaddr *address);

/*
 * Which client an address belongs to, for limits. An IPv6 address counts as its network of 64 bits,
 * since one machine can use all addresses of such a network.
 */
struct address_key {
	unsigned char bytes[16];
};

struct address_key address_key_of(const struct sockaddr *address);

enum { MAX_HOST_NAMES = 16 };

/* Names of the server beside "localhost" and addresses. */
struct host_names {
	const char *list[MAX_HOST_NAMES];
	unsigned count;
};

/*
 * Is a Host header one of ours: an address, "localhost" or one of the names, with or without a
 * port? That of another web page, whose name was made to resolve to this server, is not (DNS
 * rebinding). NULL: there is no header, which no browser sends.
 */
bool host_is_accepted(const char *header, const struct host_names *names);
