/*
 * A rate limit for password checks of each address: a burst of ten, then one every five seconds, at
 * most four pending. Checks that succeed are not counted. An IPv6 address counts as its network of
 * 64 bits, since one machine can use all addresses of such a network.
 */
#pragma once

#include "basic/hash_table.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

enum { ATTEMPTS_AT_ONCE = 10, ATTEMPTS_PENDING = 4, ATTEMPT_SECONDS = 5, ATTEMPT_ADDRESSES = 1024 };

struct attempt_source {
	unsigned char bytes[16];
};

/* All zero: no attempts yet. */
struct attempt_table {
	struct hash_table addresses;
};

void attempts_done(struct attempt_table *table);

struct attempt_source attempt_source_of(const struct sockaddr *address);

enum attempt_answer {
	ATTEMPT_ALLOWED,
	ATTEMPT_TOO_MANY,
	ATTEMPT_FIRST_REFUSED, /* too many, for the first time since one was allowed */
};

/* Begins a check. */
enum attempt_answer attempts_begin(struct attempt_table *table, const struct attempt_source *source,
				   int64_t now_ns);

/* Ends one that was allowed. */
void attempts_end(struct attempt_table *table, const struct attempt_source *source, bool succeeded);
