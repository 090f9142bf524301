/*
 * The connection to the server: one packet with the table, then nothing more.
 *
 * Reports check it, at most once a second, with calls that do not block: a Unix socket connects at
 * once or not at all. Having no server is the usual case, and costs two failed connects a second.
 */
#pragma once

#include "alloc/lock.h"
#include "basic/macros.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/*
 * A descriptor in a host program that may close any descriptor at any time, or reuse its number:
 * the inode shows whether it is still ours.
 */
struct descriptor {
	dev_t dev;
	ino_t ino;
	int fd; /* -1 if none; set last */
};

/*
 * Moves a descriptor to a high number, since programs expect to get the low ones. If the limit of
 * descriptors is reached it may stay, but never as standard input, output or error.
 */
MUST_CHECK int descriptor_settle(int fd);

void descriptor_set(struct descriptor *descriptor, int fd);
void descriptor_close(struct descriptor *descriptor); /* if it is still ours */

struct link {
	/* only tried: one thread checks the connection, the others continue */
	struct lock lock;
	int64_t next_check; /* CLOCK_MONOTONIC ns */
	bool connected;
};

/* Is it time for link_check()? */
static inline bool link_is_due(const struct link *link, int64_t now)
{
	return now >= __atomic_load_n(&link->next_check, __ATOMIC_RELAXED);
}

/* Detects that the server has closed the connection, or connects to one. */
void link_check(struct link *link, struct descriptor *sock, const struct descriptor *table,
		int64_t now);

static inline bool link_is_connected(const struct link *link)
{
	return __atomic_load_n(&link->connected, __ATOMIC_RELAXED);
}
