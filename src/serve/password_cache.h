/*
 * Passwords that were verified not long ago, since bcrypt is expensive on purpose and a scraper
 * sends its password with every request. Only a keyed hash of them is kept, with a random key of
 * this process.
 */
#pragma once

#include "basic/macros.h"

#include <stdbool.h>
#include <stdint.h>

enum { CREDENTIAL_BYTES = 32, CACHED_PASSWORDS = 64 };

struct credential {
	unsigned char digest[CREDENTIAL_BYTES];
};

struct password_cache {
	unsigned char key[CREDENTIAL_BYTES];
	struct {
		struct credential credential;
		int64_t used_ns; /* 0: empty */
	} list[CACHED_PASSWORDS];
};

/* An empty cache with a new key. -errno. */
MUST_CHECK int password_cache_init(struct password_cache *cache);

/* The keyed hash of a user and a password. False: it cannot be computed. */
MUST_CHECK bool password_cache_hash(const struct password_cache *cache, const char *name,
				    const char *password, struct credential *ret);

/* Was it added, and used within the last ten minutes? Counts as a use. */
bool password_cache_has(struct password_cache *cache, const struct credential *credential,
			int64_t now_ns);

/* Adds one that is right, in place of the one that was not used for longest. */
void password_cache_add(struct password_cache *cache, const struct credential *credential,
			int64_t now_ns);
