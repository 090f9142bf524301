/*
 * A rate limit for password checks of each address: a burst of ten, then one every five seconds, at
 * most four pending. Checks that succeed are not counted.
 */
#pragma once

#include "basic/hash_table.h"
#include "serve/address.h"

#include <stdbool.h>
#include <stdint.h>

enum { ATTEMPTS_AT_ONCE = 10, ATTEMPTS_PENDING = 4, ATTEMPT_SECONDS = 5, ATTEMPT_ADDRESSES = 1024 };

/* All zero: no attempts yet. */
struct attempt_table {
	struct hash_table addresses;
};

void attempts_done(struct attempt_table *table);

enum attempt_answer {
	ATTEMPT_ALLOWED,
	ATTEMPT_TOO_MANY,
	ATTEMPT_FIRST_REFUSED, /* too many, for the first time since one was allowed */
};

/* Begins a check. */
enum attempt_answer attempts_begin(struct attempt_table *table, const struct address_key *source,
				   int64_t now_ns);

/* Ends one that was allowed. */
void attempts_end(struct attempt_table *table, const struct address_key *source, bool succeeded);
