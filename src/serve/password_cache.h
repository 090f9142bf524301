/*
 * Passwords that were verified, since bcrypt is expensive on purpose and a scraper sends its
 * password with every request. After ten minutes without use, or a reload of the users, they must
 * be verified again, without a rate limit: guesses are not among them. Only a keyed hash of them is
 * kept, with a random key of this process.
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
		bool reloaded;	 /* the users were, since it was verified */
		bool pending;	 /* password_cache_retry() */
	} list[CACHED_PASSWORDS];
};

/* An empty cache with a new key. -errno. */
MUST_CHECK int password_cache_init(struct password_cache *cache);

/* The keyed hash of a user and a password. False: it cannot be computed. */
MUST_CHECK bool password_cache_hash(const struct password_cache *cache, const char *name,
				    const char *password, struct credential *ret);

/* Was it added since the last reload, and used within the last ten minutes? Counts as a use. */
bool password_cache_has(struct password_cache *cache, const struct credential *credential,
			int64_t now_ns);

/*
 * Was it right earlier? The caller then verifies it, and calls one of the functions below. False
 * also while another caller verifies it: a password that is no longer right gets one attempt.
 */
bool password_cache_retry(struct password_cache *cache, const struct credential *credential);

/* It is right. Takes the place of the one that was not used for longest, if there is no other. */
void password_cache_add(struct password_cache *cache, const struct credential *credential,
			int64_t now_ns);

/* It is wrong. */
void password_cache_drop(struct password_cache *cache, const struct credential *credential);

/* It was not verified. */
void password_cache_release(struct password_cache *cache, const struct credential *credential);

/* The users were reloaded. */
void password_cache_reload(struct password_cache *cache);
