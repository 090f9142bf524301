#include "daemon/looker.h"

#include "basic/clock.h"
#include "source/shm.h"
#include "source/source.h"

#include <errno.h>
#include <fcntl.h>

/* For one read. Clients wait as long, so it is short; what is late is known the next time. */
static const int64_t patience_ns = 50 * NS_PER_MS;

/* In the order they are asked, as in sources[]. */
static const struct source *const asked[] = {
	&source_kmd,	 &source_holders, &source_proc,
	&source_visible, &source_traced,  &source_metal_shm,
};

struct looker {
	const struct root *root;
	struct crew *crew;
	struct shm_folder shm;
	void *states[ARRAY_SIZE(asked)];
	size_t n_open;
};

int looker_new(const struct root *root, struct looker **ret)
{
	struct looker *looker = calloc(1, sizeof(*looker));
	int r;

	if (!looker)
		return -ENOMEM;
	looker->root = root;
	shm_folder_init(&looker->shm, root);
	r = crew_new(&looker->crew);
	for (size_t i = 0; i < ARRAY_SIZE(asked) && r >= 0; i++) {
		if (asked[i]->open)
			r = asked[i]->open(root, &looker->states[i]);
		if (r >= 0)
			looker->n_open++;
	}
	if (r < 0) {
		looker_free(looker);
		return r;
	}
	*ret = looker;
	return 0;
}

struct looker *looker_free(struct looker *looker)
{
	if (!looker)
		return NULL;
	for (size_t i = 0; i < looker->n_open; i++) {
		if (asked[i]->close)
			asked[i]->close(looker->states[i], looker->crew);
	}
	if (looker->crew)
		crew_free(looker->crew);
	shm_folder_done(&looker->shm);
	free(looker);
	return NULL;
}

/* The first so many sources, one after the other. */
static int looker_ask(struct looker *looker, size_t count, const struct want *want,
		      struct snapshot **ret_snapshot, struct claim **ret_claims, size_t *ret_count)
{
	struct sample sample = {
		.root = looker->root,
		.shm = &looker->shm,
		.want = want,
		.crew = looker->crew,
		.deadline_ns = patience_ns,
	};
	int r;

	r = snapshot_new(&sample.snapshot);
	if (r < 0)
		return r;
	if (want->processes)
		(void)!shm_folder_refresh(&looker->shm); /* no directory, no files */
	for (size_t i = 0; i < count && r >= 0; i++)
		r = asked[i]->sample(looker->states[i], &sample);
	if (r < 0) {
		snapshot_free(sample.snapshot);
		free(sample.claims);
		return r;
	}
	*ret_snapshot = sample.snapshot;
	*ret_claims = sample.claims;
	*ret_count = sample.n_claims;
	return 0;
}

/* What the server tells its clients of a device, and finds it by. */
static const struct field_ref *const identity = FIELDS(
	DEVICE_FIELD(NAME), DEVICE_FIELD(ARCHITECTURE), DEVICE_FIELD(BOARD), DEVICE_FIELD(SERIAL),
	DEVICE_FIELD(ASIC_ID), DEVICE_FIELD(BDF), DEVICE_FIELD(TRAY), DEVICE_FIELD(CHIP),
	DEVICE_FIELD(PCI_DEVICE), DEVICE_FIELD(DRAM_TOTAL), DEVICE_FIELD(L1_TOTAL));

int looker_devices(struct looker *looker, struct snapshot **ret)
{
	struct claim *claims;
	struct want want = { 0 };
	size_t count;
	int r;

	want_add_list(&want, identity);
	r = looker_ask(looker, 1, &want, ret, &claims, &count);
	if (r >= 0)
		free(claims);
	return r;
}

int looker_counts(struct looker *looker, struct snapshot **ret_snapshot, struct claim **ret_claims,
		  size_t *ret_count)
{
	struct want want = { 0 };

	want_add_list(&want, identity);
	want_add_list(&want,
		      FIELDS(PROCESS_FIELD(NAME), PROCESS_FIELD(UID), PROCESS_FIELD(START_TIME)));
	return looker_ask(looker, ARRAY_SIZE(asked), &want, ret_snapshot, ret_claims, ret_count);
}
