#include "daemon/activity.h"

#include "basic/clock.h"
#include "daemon/card_identity.h"
#include "source/sampler.h"

#include <errno.h>
#include <stdlib.h>

#define PERIOD	 (2 * NS_PER_S)
#define DEADLINE (50 * NS_PER_MS)

struct activity {
	struct sampler *sampler;
	struct snapshot *latest; /* NULL: none */
	int64_t next_ns;	 /* CLOCK_MONOTONIC; 0: nothing to read */
};

static const struct source *const used[] = { &source_kmd, NULL };

static const struct field_ref *const fields =
	FIELDS(DEVICE_FIELD(QUIET), DEVICE_FIELD(BDF), DEVICE_FIELD(ASIC_ID));

int activity_new(const struct root *root, struct activity **ret)
{
	struct activity *activity = calloc(1, sizeof(*activity));
	struct want want = { 0 };
	int r;

	if (!activity)
		return -ENOMEM;
	want_add_list(&want, fields);
	r = sampler_new(root, &want, used, &activity->sampler);
	if (r < 0) {
		free(activity);
		return r;
	}
	sampler_set_deadline(activity->sampler, DEADLINE);
	activity_restart(activity);
	*ret = activity;
	return 0;
}

/* A blocked read may still use the sampler, which is freed by process exit. */
struct activity *activity_free(struct activity *activity)
{
	if (!activity)
		return NULL;
	snapshot_free(activity->latest);
	if (!sampler_is_blocked(activity->sampler))
		sampler_free(activity->sampler);
	free(activity);
	return NULL;
}

void activity_restart(struct activity *activity)
{
	if (!activity->next_ns)
		activity->next_ns = clock_now(CLOCK_MONOTONIC);
}

int activity_timeout(const struct activity *activity)
{
	int64_t left = activity->next_ns - clock_now(CLOCK_MONOTONIC);

	return activity->next_ns ? (int)(MAX(left, 0) / NS_PER_MS) + 1 : -1;
}

/* A card that does not answer now may do so later. */
static bool has_counters(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->n_devices; i++)
		if (device_is_served(&snapshot->devices[i]) && !snapshot->devices[i].remote &&
		    snapshot->devices[i].why[DEV_COUNTER] != NOT_OFFERED)
			return true;
	return false;
}

bool activity_run(struct activity *activity)
{
	int64_t now = clock_now(CLOCK_MONOTONIC);
	struct snapshot *snapshot;

	if (!activity->next_ns || now < activity->next_ns)
		return false;
	activity->next_ns = 0;
	if (sampler_take(activity->sampler, activity->latest, &snapshot) < 0)
		snapshot = NULL; /* no driver */
	snapshot_free(activity->latest);
	activity->latest = snapshot;
	if (snapshot && has_counters(snapshot))
		activity->next_ns = now + PERIOD;
	return true;
}

size_t activity_list(const struct activity *activity, struct image_device ret[TABLE_DEVICES])
{
	const struct snapshot *snapshot = activity->latest;
	size_t count = 0;

	for (size_t i = 0; snapshot && i < snapshot->n_devices && count < TABLE_DEVICES; i++) {
		struct table_device card;

		if (!snapshot->devices[i].worked_ns)
			continue;
		card_identify(&snapshot->devices[i], &card);
		ret[count++] = (struct image_device){
			.known = card.known,
			.node = card.node,
			.bdf = card.bdf,
			.asic = card.asic,
			.worked_ns = (uint64_t)snapshot->devices[i].worked_ns,
		};
	}
	return count;
}
