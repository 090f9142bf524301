#include "serve/address.h"

#include "basic/parse.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { BACKLOG = 128 };

static struct listen_address address_v4(struct in_addr host, uint16_t port)
{
	struct listen_address result = { .length = sizeof(struct sockaddr_in) };
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr = host,
	};

	memcpy(&result.address, &address, sizeof(address));
	return result;
}

static struct listen_address address_v6(struct in6_addr host, uint16_t port)
{
	struct listen_address result = { .length = sizeof(struct sockaddr_in6) };
	struct sockaddr_in6 address = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(port),
		.sin6_addr = host,
	};

	memcpy(&result.address, &address, sizeof(address));
	return result;
}

struct listen_address listen_address_default(void)
{
	return address_v4((struct in_addr){ htonl(INADDR_LOOPBACK) }, SERVE_PORT);
}

/* The host of "HOST", "HOST:PORT", "[HOST]" or "[HOST]:PORT". False: malformed, or too long. */
static bool split_host(const char *text, char *host, size_t size, const char **ret_rest)
{
	bool brackets = *text == '[';
	size_t length = strcspn(text + brackets, brackets ? "]" : ":");
	const char *rest = text + brackets + length;

	if (length >= size || (brackets && *rest != ']'))
		return false;
	memcpy(host, text + brackets, length);
	host[length] = '\0';
	*ret_rest = rest + brackets;
	return true;
}

int listen_address_parse(const char *text, struct listen_address *ret)
{
	char host[INET6_ADDRSTRLEN];
	const char *rest;
	struct in_addr v4;
	struct in6_addr v6;
	uint32_t port;

	if (!split_host(text, host, sizeof(host), &rest) || *rest != ':' ||
	    parse_u32(rest + 1, &port) < 0 || port > UINT16_MAX)
		return -EINVAL;
	if (*text == '[' ? inet_pton(AF_INET6, host, &v6) != 1 : inet_pton(AF_INET, host, &v4) != 1)
		return -EINVAL;
	*ret = *text == '[' ? address_v6(v6, (uint16_t)port) : address_v4(v4, (uint16_t)port);
	return 0;
}

int listen_address_open(const struct listen_address *address)
{
	static const int yes = 1;
	const struct sockaddr *name = (const struct sockaddr *)&address->address;
	CLEANUP_CLOSE int fd =
		socket(name->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) < 0 ||
	    bind(fd, name, address->length) < 0 || listen(fd, BACKLOG) < 0)
		return -errno;
	return TAKE_FD(fd);
}

int listen_address_adopt(int fd)
{
	struct listen_address bound = { .length = sizeof(bound.address) };
	socklen_t length = sizeof(int);
	int listens = 0;

	if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) < 0 ||
	    getsockname(fd, (struct sockaddr *)&bound.address, &bound.length) < 0)
		return -errno;
	if (!listens || (bound.address.ss_family != AF_INET && bound.address.ss_family != AF_INET6))
		return -EPROTOTYPE;
	if (fcntl(fd, F_SETFL, O_NONBLOCK) < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
		return -errno;
	return 0;
}

void listen_address_text(const struct sockaddr *address, char *text, size_t size)
{
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)(const void *)address;
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)(const void *)address;
	char host[INET6_ADDRSTRLEN] = "?";

	if (address->sa_family == AF_INET6) {
		inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof(host));
		snprintf(text, size, "[%s]:%u", host, ntohs(v6->sin6_port));
	} else {
		inet_ntop(AF_INET, &v4->sin_addr, host, sizeof(host));
		snprintf(text, size, "%s:%u", host, ntohs(v4->sin_port));
	}
}

bool address_is_loopback(const struct sockaddr *address)
{
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)(const void *)address;
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)(const void *)address;

	if (address->sa_family == AF_INET)
		return ntohl(v4->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	if (address->sa_family != AF_INET6)
		return false;
	/* An IPv4 address, if the socket serves both. */
	if (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr))
		return v6->sin6_addr.s6_addr[12] == IN_LOOPBACKNET;
	return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
}

struct address_key address_key_of(const struct sockaddr *address)
{
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)(const void *)address;
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)(const void *)address;
	struct address_key key = { { [10] = 0xFF, [11] = 0xFF } };

	if (address->sa_family == AF_INET)
		memcpy(key.bytes + 12, &v4->sin_addr, 4);
	else if (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr))
		memcpy(key.bytes + 12, v6->sin6_addr.s6_addr + 12, 4);
	else
		key = (struct address_key){ { 0 } };
	if (address->sa_family == AF_INET6 && !IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr))
		memcpy(key.bytes, &v6->sin6_addr, 8);
	return key;
}

static bool is_port(const char *text)
{
	return !*text || (*text == ':' && strspn(text + 1, "0123456789") == strlen(text + 1));
}

bool host_is_accepted(const char *header, const struct host_names *names)
{
	unsigned char address[sizeof(struct in6_addr)];
	char host[256];
	const char *rest;

	if (!header)
		return true;
	if (!split_host(header, host, sizeof(host), &rest) || !is_port(rest))
		return false;
	if (inet_pton(*header == '[' ? AF_INET6 : AF_INET, host, address) == 1)
		return true;
	if (strcasecmp(host, "localhost") == 0)
		return true;
	for (unsigned i = 0; i < names->count; i++)
		if (strcasecmp(host, names->list[i]) == 0)
			return true;
	return false;
}
