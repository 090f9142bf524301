#include "source/card_serials.h"

#include <errno.h>
#include <stdlib.h>

static bool is_asic_id(struct card *const *cards, size_t count, uint64_t id)
{
	for (size_t i = 0; i < count; i++)
		if (device_knows(&cards[i]->last, DEV_ASIC_ID) && cards[i]->last.asic_id == id)
			return true;
	return false;
}

bool card_serials_are_needed(struct card *const *cards, size_t count, const struct sample *sample)
{
	if (!sample->want->shm_ids || fieldset_has(&sample->want->device, DEV_SERIAL))
		return false;
	for (size_t i = 0; i < sample->shm->count; i++)
		if (!is_asic_id(cards, count, sample->shm->files[i].id))
			return true;
	return false;
}

int card_serials_read(struct card *const *cards, size_t count, struct sample *sample)
{
	CLEANUP_FREE struct job **jobs = calloc(count + 1, sizeof(*jobs));
	size_t n_jobs = 0;

	if (!jobs)
		return -ENOMEM;
	want_add(sample->want, OF_DEVICE, DEV_SERIAL);
	for (size_t i = 0; i < count; i++) {
		struct card *card = cards[i];

		if (!card->present || !job_is_done(sample->workers, &card->job))
			continue;
		card->constant = DEV_SERIAL;
		card->job = (struct job){ .run = card_read_constant, .arg = card };
		jobs[n_jobs++] = &card->job;
	}
	worker_pool_run(sample->workers, jobs, n_jobs, sample->deadline_ns);
	return 0;
}
