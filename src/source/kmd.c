/*
 * Devices and their readings, from the driver's files in sysfs. The device
 * itself is never opened: reading sysfs changes neither power nor clocks.
 */
#include "source/attribute.h"

#include "basic/file.h"
#include "model/pcie_link.h"
#include "source/bus.h"
#include "source/card.h"
#include "source/card_serials.h"
#include "source/source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct kmd {
	struct card **cards; /* by index */
	size_t n_cards;
	size_t n_reserved; /* number of cards for which there is room for descriptors */
	bool keeps_all;	   /* the cards close no file */
	char version[32];
	struct bus *bus; /* cards that the driver does not serve */
};

static struct card *kmd_card(struct kmd *kmd, uint32_t index, const struct root *root)
{
	struct card **grown, *card;
	size_t at = kmd->n_cards;

	for (size_t i = 0; i < kmd->n_cards; i++)
		if (kmd->cards[i]->index == index)
			return kmd->cards[i];
	grown = reallocarray(kmd->cards, kmd->n_cards + 1, sizeof(*grown));
	if (!grown)
		return NULL;
	kmd->cards = grown;
	card = card_new(index, root);
	if (!card)
		return NULL;
	for (; at > 0 && grown[at - 1]->index > index; at--)
		grown[at] = grown[at - 1];
	grown[at] = card;
	kmd->n_cards++;
	return card;
}

struct class_scan {
	struct kmd *kmd;
	const struct root *root;
};

static int visit_class(const char *name, void *arg)
{
	struct class_scan *scan = arg;
	struct card *card;
	uint32_t index;

	if (!attribute_parse_class_name(name, &index))
		return 0;
	card = kmd_card(scan->kmd, index, scan->root);
	if (!card)
		return -ENOMEM;
	card->present = true;
	return 0;
}

/* *ret_changed: the set of served cards differs from that of the last sample. */
static int kmd_scan(struct kmd *kmd, const struct root *root, bool *ret_changed)
{
	struct class_scan scan = { kmd, root };
	int r;

	for (size_t i = 0; i < kmd->n_cards; i++) {
		kmd->cards[i]->was_present = kmd->cards[i]->present;
		kmd->cards[i]->present = false;
	}
	r = root_each(root, "sys/class/tenstorrent", visit_class, &scan);
	*ret_changed = false;
	for (size_t i = 0; i < kmd->n_cards; i++)
		*ret_changed |= kmd->cards[i]->present != kmd->cards[i]->was_present;
	return r;
}

/* A card that disappeared may return as another one, or with another driver. */
static void kmd_forget(struct kmd *kmd, struct worker_pool *workers, bool driver_too)
{
	for (size_t i = 0; i < kmd->n_cards; i++)
		if (!kmd->cards[i]->present && !job_is_busy(workers, &kmd->cards[i]->job))
			card_files_close(&kmd->cards[i]->files);
	if (driver_too)
		kmd->version[0] = '\0';
}

static void kmd_read_version(struct kmd *kmd, struct sample *sample)
{
	struct host *host = &sample->snapshot->host;
	ssize_t n = 0;

	if (!kmd->version[0]) {
		n = root_read(sample->root, "sys/module/tenstorrent/version", kmd->version,
			      sizeof(kmd->version));
		if (n < 0)
			kmd->version[0] = '\0';
		kmd->version[strcspn(kmd->version, "\n")] = '\0';
	}
	snprintf(host->driver, sizeof(host->driver), "%s", kmd->version);
	host->why[HOST_DRIVER] =
		(uint8_t)(kmd->version[0] ? KNOWN : reason_of_error(n < 0 ? (int)n : -ENOENT));
}

/*
 * Descriptors that the cards will keep open: two directories each, the readings, and the list of
 * holders. For people all files stay open, if there can be so many descriptors: closing those of
 * constants is a fifth of the system calls of one output, and of those before the first screen.
 */
static void kmd_reserve(struct kmd *kmd, const struct sample *sample)
{
	const struct fieldset *want = &sample->want->device;
	unsigned each = 3, others = 0;

	if (kmd->n_cards <= kmd->n_reserved)
		return;
	for (size_t i = 0; i < N_ATTRIBUTES; i++) {
		bool wanted = fieldset_has(want, attributes[i].field) ||
			      (attributes[i].field == DEV_SERIAL && sample->want->shm_ids);

		each += wanted && attribute_is_kept(&attributes[i]);
		others += wanted && !attribute_is_kept(&attributes[i]);
	}
	for (size_t i = 0; i < DEVICE_COUNTERS; i++)
		each += fieldset_has(want, counter_attributes[i].field);
	kmd->keeps_all = (sample->want->single || sample->want->low_rate) &&
			 file_quota(SIZE_MAX) >= kmd->n_cards * (each + others);
	if (kmd->keeps_all)
		each += others;
	file_reserve(sample->root->fd, (unsigned)kmd->n_cards * each + 32);
	kmd->n_reserved = kmd->n_cards;
}

/* Takes what the jobs have read. A card whose job hangs keeps its identity only. */
static void take_cards(struct kmd *kmd, const struct sample *sample)
{
	for (size_t i = 0; i < kmd->n_cards; i++) {
		struct card *card = kmd->cards[i];

		if (card->present && job_is_done(sample->workers, &card->job))
			card->last = card->device;
		else if (card->present)
			card_lose(&card->last, &sample->want->device, DEVICE_TIMED_OUT, TIMED_OUT);
	}
}

/*
 * One job per card that is present and not stuck in an earlier read, and one for the bus; then what
 * other sources are going to need.
 */
static int kmd_read_cards(struct kmd *kmd, struct sample *sample, bool changed)
{
	size_t count, n_served = 0, room = kmd->n_cards + sample->n_early + 2;
	const struct fieldset now =
		fieldset_difference(&sample->want->device, &sample->want->if_used);
	CLEANUP_FREE struct job **jobs = calloc(room, sizeof(struct job *));

	if (!jobs)
		return -ENOMEM;
	kmd_reserve(kmd, sample);
	for (size_t i = 0; i < kmd->n_cards; i++)
		n_served += kmd->cards[i]->present;
	jobs[0] = bus_look(kmd->bus, sample->workers, n_served, changed);
	count = jobs[0] != NULL;
	for (size_t i = 0; i < kmd->n_cards; i++) {
		struct card *card = kmd->cards[i];

		if (!card->present || job_is_busy(sample->workers, &card->job))
			continue;
		card_ask(card, &now, sample->want->low_rate);
		card->files.keeps_all = kmd->keeps_all;
		card->job = (struct job){ .run = card_sample, .arg = card };
		jobs[count++] = &card->job;
	}
	for (size_t i = 0; i < sample->n_early; i++)
		jobs[count++] = sample->early[i];
	worker_pool_run(sample->workers, jobs, count, sample->deadline_ns);
	take_cards(kmd, sample);
	return bus_take(kmd->bus, sample->workers);
}

/* Can these two be the chips of one board? Yes, unless something distinguishes them. */
static bool may_be_siblings(const struct device *a, const struct device *b)
{
	if (a->type && b->type && a->type != b->type)
		return false;
	return !device_knows(a, DEV_SERIAL) || !device_knows(b, DEV_SERIAL) ||
	       a->serial == b->serial;
}

/*
 * Does its board have a second chip without PCIe? That one is shown with its name only. An n300
 * always has one; a p300 if no other device can be that chip.
 */
static bool board_misses_chip(const struct kmd *kmd, const struct card *card)
{
	const struct device *dev = &card->last;

	if (!dev->type || dev->type->chips != 2)
		return false;
	if (dev->arch == ARCH_WORMHOLE)
		return true;
	for (size_t i = 0; i < kmd->n_cards; i++)
		if (kmd->cards[i] != card && may_be_siblings(dev, &kmd->cards[i]->last))
			return false;
	for (size_t i = 0; i < kmd->bus->n_cards; i++)
		if (may_be_siblings(dev, &kmd->bus->cards[i]))
			return false;
	return true;
}

static void derive(struct device *dev)
{
	device_derive(dev);
	pcie_link_derive(dev);
}

static int add_remote(struct sample *sample, const struct device *gateway)
{
	struct device dev;

	device_init(&dev, gateway->index);
	snprintf(dev.id, sizeof(dev.id), "%uR", gateway->index);
	dev.remote = true;
	dev.gateway = gateway->index;
	dev.why[DEV_GATEWAY] = KNOWN;
	dev.state = DEVICE_UNREADABLE;
	dev.type = gateway->type;
	dev.arch = gateway->arch;
	memcpy(dev.board, gateway->board, sizeof(dev.board));
	dev.why[DEV_BOARD] = gateway->why[DEV_BOARD];
	dev.serial = gateway->serial;
	dev.why[DEV_SERIAL] = gateway->why[DEV_SERIAL];
	device_mark(&dev, &sample->want->device, NO_PCIE);
	derive(&dev);
	return snapshot_add_device(sample->snapshot, &dev) ? 0 : -ENOMEM;
}

/* The card at this address, if the driver serves it; NULL: it does not. */
static const struct card *find_served(const struct kmd *kmd, const char *bdf)
{
	for (size_t i = 0; i < kmd->n_cards; i++)
		if (kmd->cards[i]->present && strcmp(kmd->cards[i]->last.bdf, bdf) == 0)
			return kmd->cards[i];
	return NULL;
}

/* A card that was served before keeps its number; the bus may show what happened to it. */
static void lose_card(const struct kmd *kmd, const struct sample *sample, struct card *card)
{
	const struct device *found = bus_find(kmd->bus, card->last.bdf);

	card_lose(&card->last, &sample->want->device, found ? found->state : DEVICE_LOST,
		  found ? device_absence(found) : GONE);
	if (found)
		memcpy(card->last.driver, found->driver, sizeof(found->driver));
}

static int add_card(struct kmd *kmd, struct sample *sample, struct card *card)
{
	struct device *dev;

	if (!card->present) {
		/* It has returned with another number. */
		if (card->last.bdf[0] && find_served(kmd, card->last.bdf))
			return 0;
		lose_card(kmd, sample, card);
	}
	dev = snapshot_add_device(sample->snapshot, &card->last);
	if (!dev)
		return -ENOMEM;
	derive(dev);
	return board_misses_chip(kmd, card) ? add_remote(sample, dev) : 0;
}

/* Does one of the numbered cards have this address? */
static bool is_numbered(const struct kmd *kmd, const char *bdf)
{
	for (size_t i = 0; i < kmd->n_cards; i++)
		if (strcmp(kmd->cards[i]->last.bdf, bdf) == 0)
			return true;
	return false;
}

/* Without the module no number is valid: all cards are unserved then. */
static int add_unserved(struct kmd *kmd, struct sample *sample, bool loaded)
{
	for (size_t i = 0; i < kmd->bus->n_cards; i++) {
		struct device dev = kmd->bus->cards[i];

		if (loaded && is_numbered(kmd, dev.bdf))
			continue;
		device_mark(&dev, &sample->want->device, device_absence(&dev));
		derive(&dev);
		if (!snapshot_add_device(sample->snapshot, &dev))
			return -ENOMEM;
	}
	return 0;
}

static int kmd_sample(void *state, struct sample *sample)
{
	struct kmd *kmd = state;
	bool loaded, changed;
	int r;

	kmd_read_version(kmd, sample);
	r = kmd_scan(kmd, sample->root, &changed);
	loaded = r != -ENOENT;
	sample->snapshot->driver_loaded = loaded;
	kmd_forget(kmd, sample->workers, !loaded);
	if (r < 0 && loaded)
		return r;
	sample->cards = kmd->cards;
	sample->n_cards = kmd->n_cards;
	r = kmd_read_cards(kmd, sample, changed);
	if (r >= 0 && !fieldset_has(&sample->want->if_used, DEV_ASIC_ID) &&
	    card_serials_are_needed(kmd->cards, kmd->n_cards, sample)) {
		r = card_serials_read(kmd->cards, kmd->n_cards, sample);
		take_cards(kmd, sample);
	}
	for (size_t i = 0; i < kmd->n_cards && r >= 0 && loaded; i++)
		r = add_card(kmd, sample, kmd->cards[i]);
	if (r >= 0)
		r = add_unserved(kmd, sample, loaded);
	if (r < 0 || loaded || sample->snapshot->n_devices || sample->want->deviceless)
		return r;
	return -ENOENT;
}

static int kmd_open(const struct root *root, void **ret_state)
{
	CLEANUP_FREE struct kmd *kmd = calloc(1, sizeof(*kmd));

	if (!kmd)
		return -ENOMEM;
	kmd->bus = bus_new(root);
	if (!kmd->bus)
		return -ENOMEM;
	*ret_state = TAKE_PTR(kmd);
	return 0;
}

/* A card whose job hangs is left to the job. */
static void kmd_close(void *state, struct worker_pool *workers)
{
	struct kmd *kmd = state;

	for (size_t i = 0; i < kmd->n_cards; i++) {
		if (job_is_busy(workers, &kmd->cards[i]->job))
			continue;
		card_free(kmd->cards[i]);
	}
	bus_free(kmd->bus, workers);
	free(kmd->cards);
	free(kmd);
}

const struct source source_kmd = {
	.name = "kmd",
	.open = kmd_open,
	.sample = kmd_sample,
	.close = kmd_close,
};
