#include "daemon/observed_usage.h"

#include "basic/clock.h"
#include "basic/macros.h"
#include "daemon/reporter.h"

#include <stdlib.h>
#include <string.h>

/* Finds or creates the entry of this pool. NULL: out of memory, or too many. */
static struct observed_usage *usage_get(struct observed_usages *usages,
					const struct image_usage *like)
{
	struct observed_usage *grown;
	uint32_t at = 0;

	for (; at < usages->count; at++) {
		const struct image_usage *usage = &usages->list[at].usage;

		if (usage->device == like->device && usage->pool == like->pool)
			return &usages->list[at];
		if (usage->device > like->device ||
		    (usage->device == like->device && usage->pool > like->pool))
			break;
	}
	if (usages->count >= USAGES_MAX)
		return NULL;
	grown = reallocarray(usages->list, usages->count + (size_t)1, sizeof(*grown));
	if (!grown)
		return NULL;
	usages->list = grown;
	memmove(&grown[at + 1], &grown[at], (usages->count - at) * sizeof(*grown));
	usages->count++;
	grown[at] = (struct observed_usage){ 0 };
	return &grown[at];
}

void observed_usages_update(struct observed_usages *usages, const struct image_usage *now)
{
	struct observed_usage *usage = usage_get(usages, now);
	struct image_usage before;

	if (!usage)
		return;
	before = usage->usage;
	usage->usage = *now;
	usage->usage.peak_bytes = MAX(before.peak_bytes, now->now_bytes);
	usage->usage.changed_ns = before.changed_ns;
	if (!before.changed_ns || usage->last_bytes != now->now_bytes ||
	    usage->last_allocs != now->allocs)
		usage->usage.changed_ns = (uint64_t)clock_now(CLOCK_MONOTONIC);
	usage->last_bytes = now->now_bytes;
	usage->last_allocs = now->allocs;
	usage->current = true;
}

void observed_usages_forget(struct observed_usages *usages)
{
	for (uint32_t i = 0; i < usages->count; i++) {
		struct observed_usage *usage = &usages->list[i];

		usage->current = false;
		usage->usage.now_bytes = usage->usage.allocs = 0;
	}
}
