#include "serve/password_cache.h"

#include "basic/clock.h"

#include <errno.h>
#include <gnutls/crypto.h>
#include <string.h>
#include <sys/random.h>

/* Unused for this long, a password is verified again. */
static const int64_t lifetime_ns = 600 * NS_PER_S;

int password_cache_init(struct password_cache *cache)
{
	explicit_bzero(cache, sizeof(*cache));
	if (getrandom(cache->key, sizeof(cache->key), 0) != (ssize_t)sizeof(cache->key))
		return -EIO;
	return 0;
}

bool password_cache_hash(const struct password_cache *cache, const char *name, const char *password,
			 struct credential *ret)
{
	gnutls_hmac_hd_t hmac;

	if (gnutls_hmac_init(&hmac, GNUTLS_MAC_SHA256, cache->key, sizeof(cache->key)) < 0)
		return false;
	/* The NUL separates them, so that no other pair has the same text. */
	if (gnutls_hmac(hmac, name, strlen(name) + 1) < 0 ||
	    gnutls_hmac(hmac, password, strlen(password)) < 0) {
		gnutls_hmac_deinit(hmac, NULL);
		return false;
	}
	gnutls_hmac_deinit(hmac, ret->digest);
	return true;
}

/* CACHED_PASSWORDS: it is not there. Compares all entries completely, so that the time does not
 * reveal the content. */
static size_t find(const struct password_cache *cache, const struct credential *credential)
{
	size_t found = CACHED_PASSWORDS;

	for (size_t i = 0; i < CACHED_PASSWORDS; i++)
		if (gnutls_memcmp(cache->list[i].credential.digest, credential->digest,
				  CREDENTIAL_BYTES) == 0 &&
		    cache->list[i].used_ns)
			found = i;
	return found;
}

bool password_cache_has(struct password_cache *cache, const struct credential *credential,
			int64_t now_ns)
{
	size_t i = find(cache, credential);

	if (i == CACHED_PASSWORDS || cache->list[i].reloaded ||
	    now_ns - cache->list[i].used_ns >= lifetime_ns)
		return false;
	cache->list[i].used_ns = now_ns;
	return true;
}

bool password_cache_retry(struct password_cache *cache, const struct credential *credential)
{
	size_t i = find(cache, credential);

	if (i == CACHED_PASSWORDS || cache->list[i].pending)
		return false;
	cache->list[i].pending = true;
	return true;
}

static size_t find_oldest(const struct password_cache *cache)
{
	size_t oldest = 0;

	for (size_t i = 1; i < CACHED_PASSWORDS; i++)
		if (cache->list[i].used_ns < cache->list[oldest].used_ns)
			oldest = i;
	return oldest;
}

void password_cache_add(struct password_cache *cache, const struct credential *credential,
			int64_t now_ns)
{
	size_t i = find(cache, credential);

	if (i == CACHED_PASSWORDS)
		i = find_oldest(cache);
	cache->list[i].credential = *credential;
	cache->list[i].used_ns = now_ns;
	cache->list[i].reloaded = cache->list[i].pending = false;
}

void password_cache_drop(struct password_cache *cache, const struct credential *credential)
{
	size_t i = find(cache, credential);

	if (i < CACHED_PASSWORDS)
		explicit_bzero(&cache->list[i], sizeof(cache->list[i]));
}

void password_cache_release(struct password_cache *cache, const struct credential *credential)
{
	size_t i = find(cache, credential);

	if (i < CACHED_PASSWORDS)
		cache->list[i].pending = false;
}

void password_cache_reload(struct password_cache *cache)
{
	for (size_t i = 0; i < CACHED_PASSWORDS; i++)
		cache->list[i].reloaded = true;
}
