#include "basic/shared_text.h"

#include "basic/hash_table.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct shared_text {
	atomic_uint refs;
	bool joined; /* it is in the table below */
	char text[];
};

/* The texts of shared_text_join(), looked up by content. */
struct joined_text {
	uint64_t hash;
	struct shared_text *shared; /* NULL: an empty entry */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the table */
static struct hash_table joined;

static uint64_t hash_of(const void *entry)
{
	return ((const struct joined_text *)entry)->hash;
}

static bool is_same(const void *a, const void *b)
{
	const struct joined_text *left = a, *right = b;

	return left->hash == right->hash && strcmp(left->shared->text, right->shared->text) == 0;
}

static const struct hash_kind joined_kind = {
	.entry_size = sizeof(struct joined_text),
	.used_at = offsetof(struct joined_text, shared),
	.hash = hash_of,
	.same_key = is_same,
	.alloc = hash_heap_alloc,
	.release = hash_heap_release,
};

static struct shared_text *header_of(char *text)
{
	return (struct shared_text *)(void *)(text - offsetof(struct shared_text, text));
}

char *shared_text_new(size_t size)
{
	struct shared_text *shared = malloc(sizeof(*shared) + size);

	if (!shared)
		return NULL;
	atomic_init(&shared->refs, 1);
	shared->joined = false;
	return shared->text;
}

/* False: its last reference was just released, and it is about to be removed. */
static bool try_ref(struct shared_text *shared)
{
	unsigned refs = atomic_load_explicit(&shared->refs, memory_order_relaxed);

	while (refs &&
	       !atomic_compare_exchange_weak_explicit(&shared->refs, &refs, refs + 1,
						      memory_order_acquire, memory_order_relaxed))
		;
	return refs != 0;
}

/*
 * Returns the text to use: the given one, now in the table, or an equal one. Called with the lock.
 */
static struct shared_text *find_or_add(struct shared_text *shared)
{
	const struct joined_text entry = { hash_text(shared->text), shared };
	struct joined_text *found = hash_table_find(&joined, &joined_kind, &entry);

	if (found && try_ref(found->shared))
		return found->shared;
	if (found)
		hash_table_remove(&joined, &joined_kind, found);
	shared->joined = hash_table_add(&joined, &joined_kind, &entry) == 0;
	return shared;
}

char *shared_text_join(char *text)
{
	struct shared_text *shared;

	if (!text)
		return NULL;
	pthread_mutex_lock(&lock);
	shared = find_or_add(header_of(text));
	pthread_mutex_unlock(&lock);
	if (shared->text != text)
		shared_text_unref(text);
	return shared->text;
}

char *shared_text_ref(char *text)
{
	atomic_fetch_add_explicit(&header_of(text)->refs, 1, memory_order_relaxed);
	return text;
}

/* An equal text may have taken its place in the table. */
static void leave_table(struct shared_text *shared)
{
	const struct joined_text entry = { hash_text(shared->text), shared };
	struct joined_text *found;

	pthread_mutex_lock(&lock);
	found = hash_table_find(&joined, &joined_kind, &entry);
	if (found && found->shared == shared)
		hash_table_remove(&joined, &joined_kind, found);
	if (!joined.count)
		hash_table_done(&joined, &joined_kind);
	pthread_mutex_unlock(&lock);
}

/* Acquire and release: the thread that frees the text sees all accesses of the others. */
char *shared_text_unref(char *text)
{
	struct shared_text *shared = text ? header_of(text) : NULL;

	if (!shared || atomic_fetch_sub_explicit(&shared->refs, 1, memory_order_acq_rel) > 1)
		return NULL;
	if (shared->joined)
		leave_table(shared);
	free(shared);
	return NULL;
}
