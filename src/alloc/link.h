/*
 * The connection to the server: one packet with the table, then silence.
 *
 * It is looked after at most once a second, by whichever report comes along, in
 * calls that cannot wait: a socket of this kind either connects at once or not at all.
 * No server is the ordinary case and costs two failed connects a second.
 */
#pragma once

#include "alloc/lock.h"
#include "basic/macros.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/*
 * A descriptor in a process that may close any descriptor at any time, or give its
 * number to something else: what we opened is recognised by its inode.
 */
struct descriptor {
	dev_t dev;
	ino_t ino;
	int fd; /* -1 if none; set last */
};

/*
 * Moves a descriptor to a number that no program counts on. At the limit of
 * descriptors it may stay, but never as standard input, output or error.
 */
MUST_CHECK int descriptor_settle(int fd);

void descriptor_set(struct descriptor *descriptor, int fd);
void descriptor_close(struct descriptor *descriptor); /* if it is still ours */

struct link {
	struct lock lock;  /* only ever tried: one thread looks after it, the others go on */
	int64_t next_look; /* CLOCK_MONOTONIC ns */
	bool connected;
};

/* Is it time for link_look()? */
static inline bool link_is_due(const struct link *link, int64_t now)
{
	return now >= __atomic_load_n(&link->next_look, __ATOMIC_RELAXED);
}

/* Notices a server that has gone and finds one that has come. */
void link_look(struct link *link, struct descriptor *sock, const struct descriptor *table,
	       int64_t now);

static inline bool link_is_connected(const struct link *link)
{
	return __atomic_load_n(&link->connected, __ATOMIC_RELAXED);
}
