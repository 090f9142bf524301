#include "serve/attempts.h"

#include "basic/clock.h"

#include <stdlib.h>

static const int64_t interval_ns = ATTEMPT_SECONDS * NS_PER_S;

struct counted_address {
	struct address_key source;
	uint64_t used;	    /* 1 */
	int64_t counted_ns; /* when all its attempts will be forgotten */
	uint32_t pending;
	bool refused; /* since the last one that was allowed */
};

static uint64_t hash_address(const void *entry)
{
	const struct counted_address *address = entry;
	uint64_t half[2];

	memcpy(half, address->source.bytes, sizeof(half));
	return hash_u64(half[0] ^ hash_u64(half[1]));
}

static bool same_address(const void *a, const void *b)
{
	const struct counted_address *one = a, *other = b;

	return memcmp(&one->source, &other->source, sizeof(one->source)) == 0;
}

static const struct hash_kind kind = {
	.entry_size = sizeof(struct counted_address),
	.used_at = offsetof(struct counted_address, used),
	.hash = hash_address,
	.same_key = same_address,
	.alloc = hash_heap_alloc,
	.release = hash_heap_release,
};

void attempts_done(struct attempt_table *table)
{
	hash_table_done(&table->addresses, &kind);
}

static struct counted_address *find(struct attempt_table *table, const struct address_key *source)
{
	const struct counted_address key = { .source = *source };

	return hash_table_find(&table->addresses, &kind, &key);
}

/* Forgets addresses that may make the full number of attempts again. */
static void drop_forgotten(struct attempt_table *table, int64_t now_ns)
{
	for (size_t i = 0; i < table->addresses.room;) {
		struct counted_address *address = hash_table_at(&table->addresses, &kind, i);

		if (address && !address->pending && address->counted_ns <= now_ns)
			hash_table_remove(&table->addresses, &kind, address);
		else
			i++;
	}
}

/* NULL: there are too many, or no memory. */
static struct counted_address *add(struct attempt_table *table, const struct address_key *source,
				   int64_t now_ns)
{
	const struct counted_address address = { .source = *source, .used = 1 };

	if (table->addresses.count >= ATTEMPT_ADDRESSES)
		drop_forgotten(table, now_ns);
	if (table->addresses.count >= ATTEMPT_ADDRESSES ||
	    hash_table_add(&table->addresses, &kind, &address) < 0)
		return NULL;
	return find(table, source);
}

enum attempt_answer attempts_begin(struct attempt_table *table, const struct address_key *source,
				   int64_t now_ns)
{
	struct counted_address *address = find(table, source);
	int64_t counted;

	if (!address)
		address = add(table, source, now_ns);
	if (!address)
		return ATTEMPT_TOO_MANY;
	counted = MAX(address->counted_ns, now_ns) + interval_ns;
	if (address->pending >= ATTEMPTS_PENDING)
		return ATTEMPT_TOO_MANY;
	if (counted - now_ns > ATTEMPTS_AT_ONCE * interval_ns) {
		bool first = !address->refused;

		address->refused = true;
		return first ? ATTEMPT_FIRST_REFUSED : ATTEMPT_TOO_MANY;
	}
	address->counted_ns = counted;
	address->pending++;
	return ATTEMPT_ALLOWED;
}

void attempts_end(struct attempt_table *table, const struct address_key *source, bool succeeded)
{
	struct counted_address *address = find(table, source);

	if (!address)
		return; /* not reached: an address with pending attempts is kept */
	address->pending--;
	if (!succeeded)
		return;
	address->counted_ns -= interval_ns;
	address->refused = false;
}
