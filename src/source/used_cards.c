/*
 * Constants that an output does not show, and that only interpret what processes report
 * (want.if_used): ASIC ids, by which TT-Metal names its files, and firmware versions, from which
 * the capacity of L1 follows. They are read for the cards in use only.
 */
#include "source/card.h"
#include "source/card_serials.h"
#include "source/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The card of a device or, if that has no PCIe, of its gateway, which has the same index. */
static bool find_card(const struct sample *sample, const struct device *dev, size_t *ret)
{
	for (size_t i = 0; i < sample->n_cards; i++)
		if (sample->cards[i]->index == dev->index && sample->cards[i]->present) {
			*ret = i;
			return true;
		}
	return false;
}

/* Can processes report memory of devices that no process has open? */
static bool may_be_reported(const struct snapshot *snapshot)
{
	bool tables = false;

	for (size_t i = 0; i < snapshot->n_processes; i++)
		tables |= snapshot->processes[i].tables.count ||
			  snapshot->processes[i].program_tables.count;
	return tables || snapshot->server_pid;
}

static bool is_held(const struct snapshot *snapshot, size_t device)
{
	for (size_t i = 0; i < snapshot->n_processes; i++)
		if (process_find_usage(&snapshot->processes[i], device))
			return true;
	return false;
}

/* A file of TT-Metal can be of a process that has exited. */
static bool has_file(const struct sample *sample, const struct card *card)
{
	for (size_t i = 0; i < sample->shm->count; i++)
		if (device_knows(&card->last, DEV_ASIC_ID) &&
		    sample->shm->files[i].id == card->last.asic_id)
			return true;
	return false;
}

static void mark_used(const struct sample *sample, bool *used)
{
	const struct snapshot *snapshot = sample->snapshot;
	bool all = may_be_reported(snapshot);

	for (size_t i = 0; i < snapshot->n_devices; i++) {
		const struct device *dev = &snapshot->devices[i];
		bool held = dev->unseen_holders || is_held(snapshot, i) ||
			    (!dev->remote && !dev->holders_known);
		size_t at;

		if (find_card(sample, dev, &at))
			used[at] |= all || held || has_file(sample, sample->cards[at]);
	}
}

/* Copies what was read of these cards to the devices of the snapshot. */
static void take_constants(struct sample *sample, const bool *chosen)
{
	struct snapshot *snapshot = sample->snapshot;

	for (size_t i = 0; i < snapshot->n_devices; i++) {
		struct device *dev = &snapshot->devices[i];
		size_t at;

		if (!find_card(sample, dev, &at) || !chosen[at])
			continue;
		if (job_is_done(sample->workers, &sample->cards[at]->job))
			card_take_constants(sample->cards[at], dev);
		else if (!dev->remote)
			card_lose(dev, &sample->want->device, DEVICE_TIMED_OUT, TIMED_OUT);
		device_derive(dev);
	}
}

/* Reads a constant of these cards. */
static int read_constant(struct sample *sample, const bool *chosen, enum device_field field)
{
	CLEANUP_FREE struct job **jobs = calloc(sample->n_cards + 1, sizeof(*jobs));
	size_t count = 0;

	if (!jobs)
		return -ENOMEM;
	for (size_t i = 0; i < sample->n_cards; i++) {
		struct card *card = sample->cards[i];

		if (!chosen[i] || !card->present || !job_is_done(sample->workers, &card->job))
			continue;
		card->constant = field;
		card->job = (struct job){ .run = card_read_constant, .arg = card };
		jobs[count++] = &card->job;
	}
	worker_pool_run(sample->workers, jobs, count, sample->deadline_ns);
	take_constants(sample, chosen);
	return 0;
}

/*
 * Of the cards in use, of all if a file is none of theirs; then perhaps serial numbers, too. With
 * these, files can be of any card.
 */
static int read_ids(struct sample *sample, bool *used, bool *others)
{
	int r = read_constant(sample, used, DEV_ASIC_ID);

	if (r < 0 || !card_serials_are_needed(sample->cards, sample->n_cards, sample))
		return r;
	for (size_t i = 0; i < sample->n_cards; i++)
		others[i] = !used[i];
	r = read_constant(sample, others, DEV_ASIC_ID);
	if (r < 0 || !card_serials_are_needed(sample->cards, sample->n_cards, sample))
		return r;
	r = card_serials_read(sample->cards, sample->n_cards, sample);
	memset(used, true, sample->n_cards);
	take_constants(sample, used);
	return r;
}

static int used_sample(void *state, struct sample *sample)
{
	const struct fieldset *deferred = &sample->want->if_used;
	bool ids = fieldset_has(deferred, DEV_ASIC_ID);
	bool firmware = fieldset_has(deferred, DEV_FW_BUNDLE);
	CLEANUP_FREE bool *used = NULL;
	int r = 0;

	(void)state;
	sample->absent = true; /* its files are those of the first source */
	if (!ids && !firmware)
		return 0;
	used = calloc(2 * sample->n_cards + 1, sizeof(*used));
	if (!used)
		return -ENOMEM;
	mark_used(sample, used);
	if (ids)
		r = read_ids(sample, used, used + sample->n_cards);
	if (r < 0 || !firmware)
		return r;
	mark_used(sample, used); /* again, by the files */
	return read_constant(sample, used, DEV_FW_BUNDLE);
}

const struct source source_used_cards = {
	.name = "used_cards",
	.sample = used_sample,
};
