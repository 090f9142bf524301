#include "model/claim.h"

#include "basic/array.h"

#include <errno.h>

#define US_PER_S INT64_C(1000000)

/* Ranges of two claims must not touch, or the kernel merges them. */
enum { BYTES_PER_US = CLAIM_STAGES + 1 };

int claims_add(struct claims *claims, const struct claim *claim)
{
	struct claim *list = array_grow(claims->list, claims->count, &claims->room, sizeof(*list));

	if (!list)
		return -ENOMEM;
	claims->list = list;
	list[claims->count++] = *claim;
	return 0;
}

void claims_done(struct claims *claims)
{
	free(claims->list);
	*claims = (struct claims){ 0 };
}

int64_t claim_start(int64_t time_us)
{
	return time_us * BYTES_PER_US;
}

bool claim_parse_range(int64_t start, int64_t last, struct claim *ret)
{
	if (start < 0 || start % BYTES_PER_US || last < start || last - start >= CLAIM_STAGES)
		return false;
	ret->time_us = start / BYTES_PER_US;
	ret->stage = (enum claim_stage)(last - start + 1);
	return true;
}

/* By the time in the claim, which may be ahead of our clock in another time namespace. */
static bool is_current(const struct claim *claim, int64_t now_us)
{
	return claim->stage != CLAIM_TAKEN || now_us - claim->time_us <= CLAIM_UNUSED_S * US_PER_S;
}

/* Two runs that cannot see each other's pid and arrive together may both take a device: then both
 * see the other's claim, and try again. */
static bool is_before(const struct claim *claim, const struct claim_asker *asker)
{
	if (claim->time_us != asker->time_us)
		return claim->time_us < asker->time_us;
	return claim->pid && claim->pid < asker->pid;
}

/* Does it keep the device from the asker, regardless of how long it has done so? */
static bool is_obstacle(const struct claim *claim, const struct claim_asker *asker, int64_t now_us)
{
	return claim->pid != asker->pid && is_current(claim, now_us) &&
	       (claim->stage == CLAIM_TAKEN || is_before(claim, asker));
}

/* Each run of the asker's own user has its own time limit; all runs of another user share one. */
static int32_t delay_pid(const struct claim *claim, const struct claim_asker *asker)
{
	return claim->uid == asker->uid ? claim->pid : 0;
}

static struct claim_delay *find_delay(const struct claim_watch *watch, const struct claim *claim,
				      const struct claim_asker *asker)
{
	for (size_t i = 0; i < watch->count; i++) {
		struct claim_delay *delay = &watch->list[i];

		if (delay->device == claim->device && delay->uid == claim->uid &&
		    delay->taken == (claim->stage == CLAIM_TAKEN) &&
		    delay->pid == delay_pid(claim, asker))
			return delay;
	}
	return NULL;
}

/* Has it kept the device unused for too long? Runs of one user wait for each other for ever. */
static bool is_overdue(const struct claim_watch *watch, const struct claim *claim,
		       const struct claim_asker *asker, int64_t now_us)
{
	const struct claim_delay *delay = find_delay(watch, claim, asker);

	if (!delay || (claim->stage == CLAIM_WAITING && claim->uid == asker->uid))
		return false;
	return now_us - delay->since_us > CLAIM_UNUSED_S * US_PER_S;
}

static struct claim_delay *add_delay(struct claim_watch *watch)
{
	struct claim_delay *list =
		array_grow(watch->list, watch->count, &watch->room, sizeof(*list));

	if (!list)
		return NULL;
	watch->list = list;
	return &list[watch->count++];
}

static int record(struct claim_watch *watch, const struct claim *claim,
		  const struct claim_asker *asker, int64_t now_us)
{
	struct claim_delay *delay = find_delay(watch, claim, asker);

	if (!delay) {
		delay = add_delay(watch);
		if (!delay)
			return -ENOMEM;
		*delay = (struct claim_delay){
			.device = claim->device,
			.taken = claim->stage == CLAIM_TAKEN,
			.uid = claim->uid,
			.pid = delay_pid(claim, asker),
			.since_us = now_us,
		};
	}
	delay->seen = true;
	return 0;
}

static void drop_ended(struct claim_watch *watch)
{
	size_t kept = 0;

	for (size_t i = 0; i < watch->count; i++)
		if (watch->list[i].seen)
			watch->list[kept++] = watch->list[i];
	watch->count = kept;
}

int claim_watch_update(struct claim_watch *watch, const struct claims *claims,
		       const struct claim_asker *asker, bool (*unused)(uint32_t device, void *arg),
		       void *arg, int64_t now_us)
{
	for (size_t i = 0; i < watch->count; i++)
		watch->list[i].seen = false;
	for (size_t i = 0; i < claims->count; i++) {
		const struct claim *claim = &claims->list[i];
		int r = 0;

		if (is_obstacle(claim, asker, now_us) && unused(claim->device, arg))
			r = record(watch, claim, asker, now_us);
		if (r < 0)
			return r;
	}
	drop_ended(watch);
	return 0;
}

void claim_watch_done(struct claim_watch *watch)
{
	free(watch->list);
	*watch = (struct claim_watch){ 0 };
}

const struct claim *claim_find_obstacle(const struct claims *claims,
					const struct claim_watch *watch,
					const struct claim_asker *asker, uint32_t device,
					int64_t now_us)
{
	const struct claim *found = NULL;

	for (size_t i = 0; i < claims->count; i++) {
		const struct claim *claim = &claims->list[i];

		if (claim->device != device || !is_obstacle(claim, asker, now_us) ||
		    is_overdue(watch, claim, asker, now_us))
			continue;
		if (!found || claim->stage > found->stage)
			found = claim;
	}
	return found;
}
