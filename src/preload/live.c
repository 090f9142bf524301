#include "preload/live.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

static uint64_t buffer_hash(const void *entry)
{
	return hash_u64(((const struct live_buffer *)entry)->buffer);
}

static bool is_same(const void *a, const void *b)
{
	return ((const struct live_buffer *)a)->buffer == ((const struct live_buffer *)b)->buffer;
}

/* Not from malloc(), which belongs to the program. Preserves errno. */
static void *table_alloc(size_t bytes)
{
	int saved = errno;
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p != MAP_FAILED)
		madvise(p, bytes, MADV_DONTFORK);
	errno = saved;
	return p == MAP_FAILED ? NULL : p;
}

static void table_release(void *p, size_t bytes)
{
	munmap(p, bytes);
}

static const struct hash_kind live_kind = {
	.entry_size = sizeof(struct live_buffer),
	.used_at = offsetof(struct live_buffer, buffer),
	.hash = buffer_hash,
	.same_key = is_same,
	.alloc = table_alloc,
	.release = table_release,
};

int live_add(struct hash_table *live, const struct live_buffer *buffer)
{
	return hash_table_add(live, &live_kind, buffer);
}

bool live_take(struct hash_table *live, uint64_t buffer, struct live_buffer *ret)
{
	const struct live_buffer wanted = { .buffer = buffer };
	struct live_buffer *found = hash_table_find(live, &live_kind, &wanted);

	if (!found)
		return false;
	*ret = *found;
	hash_table_remove(live, &live_kind, found);
	return true;
}

bool live_take_next(struct hash_table *live, uint64_t allocator, size_t *at,
		    struct live_buffer *ret)
{
	for (; *at < live->room; ++*at) {
		struct live_buffer *found = hash_table_at(live, &live_kind, *at);

		if (!found || found->allocator != allocator)
			continue;
		/* Another entry may have moved here, so the search continues at the same index. */
		*ret = *found;
		hash_table_remove(live, &live_kind, found);
		return true;
	}
	return false;
}

void live_done(struct hash_table *live)
{
	hash_table_done(live, &live_kind);
}
