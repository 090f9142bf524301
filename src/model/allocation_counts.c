#include "model/allocation_counts.h"

#include <stdlib.h>

/* A process that is missing in some samples, as when the server is late, must not count again. */
enum { KEPT_SAMPLES = 600 };

struct counted_usage {
	uint64_t start_ticks; /* never 0 */
	uint64_t chip;
	int64_t pid;
	struct allocation_count last[POOL_SPLITS]; /* when they were last seen */
	uint64_t sample;
};

static uint64_t usage_hash(const void *entry)
{
	const struct counted_usage *usage = entry;

	return hash_u64(usage->start_ticks ^ hash_u64((uint64_t)usage->pid << 16 ^ usage->chip));
}

static bool usage_same(const void *a, const void *b)
{
	const struct counted_usage *one = a, *two = b;

	return one->start_ticks == two->start_ticks && one->pid == two->pid &&
	       one->chip == two->chip;
}

static const struct hash_kind usage_kind = {
	.entry_size = sizeof(struct counted_usage),
	.used_at = offsetof(struct counted_usage, start_ticks),
	.hash = usage_hash,
	.same_key = usage_same,
	.alloc = hash_heap_alloc,
	.release = hash_heap_release,
};

void allocation_counts_done(struct allocation_counts *counts)
{
	hash_table_done(&counts->usages, &usage_kind);
}

void allocation_counts_begin(struct allocation_counts *counts)
{
	counts->sample++;
	if (counts->sample % KEPT_SAMPLES)
		return;
	for (size_t i = 0; i < counts->usages.room;) {
		struct counted_usage *usage = hash_table_at(&counts->usages, &usage_kind, i);

		if (usage && usage->sample + KEPT_SAMPLES < counts->sample)
			hash_table_remove(&counts->usages, &usage_kind, usage);
		else
			i++;
	}
}

/* A count that is lower than before comes from another tracker; counting continues from it. */
static void follow(uint64_t *last, uint64_t now, uint64_t *sum)
{
	if (now > *last)
		*sum += now - *last;
	*last = now;
}

int allocation_counts_add(struct allocation_counts *counts, const struct process *process,
			  const struct usage *usage, uint64_t chip,
			  struct allocation_count sums[POOL_SPLITS])
{
	const struct counted_usage key = {
		.start_ticks = process->start_ticks,
		.chip = chip,
		.pid = process->pid,
	};
	struct counted_usage *counted;

	if (usage->why[USE_ALLOCS] != KNOWN || usage->stale || !process->start_ticks)
		return false;
	counted = hash_table_find(&counts->usages, &usage_kind, &key);
	if (!counted) {
		int r = hash_table_add(&counts->usages, &usage_kind, &key);

		if (r < 0)
			return r;
		counted = hash_table_find(&counts->usages, &usage_kind, &key);
	}
	counted->sample = counts->sample;
	for (size_t i = 0; i < POOL_SPLITS; i++) {
		follow(&counted->last[i].allocs, usage->counts[i].allocs, &sums[i].allocs);
		if (usage->why[USE_FAILURES] == KNOWN)
			follow(&counted->last[i].failures, usage->counts[i].failures,
			       &sums[i].failures);
	}
	return true;
}
