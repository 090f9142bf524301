/*
 * Devices and their readings, from the driver's files in sysfs. The device
 * itself is never opened: reading sysfs changes neither power nor clocks.
 *
 * A card keeps the descriptors of what changes, since a pread() costs a sixth of
 * open, read and close, and what does not change is read once. All of a card's
 * reads are one job: they can wait for a reset, and only that card's row waits.
 *
 * Nothing here lasts: a card can vanish between two reads and return with another
 * hwmon number, another card behind its index, or new firmware. ENODEV on a kept
 * descriptor means: forget everything, look again.
 */
#include "source/attribute.h"
#include "source/source.h"

#include "basic/clock.h"
#include "basic/parse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

enum { N_KEPT = N_ATTRIBUTES + DEVICE_COUNTERS };
#define ABSENT (-2) /* in kept[]: the driver does not offer it */
#define CLOSED (-1)

/* How the reads of one sample went. */
struct tally {
	unsigned known, dead, resetting, gone, absent;
};

struct card {
	uint32_t index;
	struct job job;
	bool present; /* found by the last scan */
	struct fieldset want;
	const struct root *root;
	struct tally tally;

	int class_fd, hwmon_fd; /* O_PATH directories */
	int kept[N_KEPT];	/* by attribute, the counters last */
	struct device device;	/* what is known of it; the job's alone while it runs */
	struct device last;	/* as the last finished job left it; never the job's */
};

struct kmd {
	struct card **cards; /* by index */
	size_t n_cards;
	char version[32];
};

/* Position of an attribute in kept[]. */
static size_t kept_at(const struct attribute *attribute)
{
	if (attribute >= counter_attributes && attribute < counter_attributes + DEVICE_COUNTERS)
		return N_ATTRIBUTES + (size_t)(attribute - counter_attributes);
	return (size_t)(attribute - attributes);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = CLOSED;
}

static void card_close(struct card *card)
{
	close_fd(&card->class_fd);
	close_fd(&card->hwmon_fd);
	for (size_t i = 0; i < N_KEPT; i++)
		close_fd(&card->kept[i]);
}

static struct card *card_new(uint32_t index, const struct root *root)
{
	struct card *card = calloc(1, sizeof(*card));

	if (!card)
		return NULL;
	card->index = index;
	card->root = root;
	card->class_fd = card->hwmon_fd = CLOSED;
	memset(card->kept, 0xFF, sizeof(card->kept)); /* CLOSED */
	device_init(&card->device, index);
	card->last = card->device;
	return card;
}

struct hwmon_search {
	int class_fd;
	int found; /* descriptor of the directory */
};

/*
 * Normally there is one. A driver of 2024 could leave a second one behind after
 * resets: the one that still has a name is taken.
 */
static int visit_hwmon(const char *entry, void *arg)
{
	struct hwmon_search *search = arg;
	char path[64], name[32];

	if (strncmp(entry, "hwmon", 5) != 0 ||
	    snprintf(path, sizeof(path), "device/hwmon/%s", entry) >= (int)sizeof(path))
		return 0;
	if (search->found >= 0 && file_read(search->found, "name", name, sizeof(name)) > 0)
		return 1;
	close_fd(&search->found);
	search->found = openat(search->class_fd, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return 0;
}

static void card_find_hwmon(struct card *card)
{
	struct hwmon_search search = { .class_fd = card->class_fd, .found = -1 };

	if (directory_each(card->class_fd, "device/hwmon", visit_hwmon, &search) >= 0)
		card->hwmon_fd = search.found;
}

/* Nothing of what was read through another descriptor is believed any more. */
static int card_open(struct card *card)
{
	char path[64], link[256];

	if (card->class_fd >= 0)
		return 0;
	snprintf(path, sizeof(path), "sys/class/tenstorrent/tenstorrent!%u", card->index);
	card->class_fd = openat(card->root->fd, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (card->class_fd < 0)
		return -errno;
	device_init(&card->device, card->index);
	card->device.why[DEV_BDF] = MALFORMED;
	if (file_readlink(card->class_fd, "device", link, sizeof(link)) > 0 &&
	    attribute_parse_bdf(link, card->device.bdf, sizeof(card->device.bdf)))
		card->device.why[DEV_BDF] = KNOWN;
	return 0;
}

/* Opens where the attribute lies; -ENOENT if its directory is not there. */
static int attribute_open(struct card *card, const struct attribute *attribute)
{
	char path[64];
	int dir = card->class_fd, fd;

	if (attribute->place == IN_HWMON) {
		if (card->hwmon_fd < 0)
			card_find_hwmon(card);
		if (card->hwmon_fd < 0)
			return -ENOENT;
		dir = card->hwmon_fd;
	}
	snprintf(path, sizeof(path), "%s%s", attribute->place == IN_PCI ? "device/" : "",
		 attribute->file);
	fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

/*
 * Reads and parses, keeping the descriptor of what changes. A line without its
 * end is read again: a simulated machine rewrites its files under our eyes.
 */
static enum reason attribute_read(struct card *card, const struct attribute *attribute)
{
	int *kept = &card->kept[kept_at(attribute)];
	enum reason why = MALFORMED;
	char text[64];
	ssize_t n;

	if (*kept == ABSENT)
		return NOT_OFFERED;
	if (*kept == CLOSED) {
		*kept = attribute_open(card, attribute);
		if (*kept < 0) {
			int error = *kept;

			*kept = error == -ENOENT ? ABSENT : CLOSED;
			return reason_of_error(error);
		}
	}
	for (int tries = 0; tries < 3 && why == MALFORMED; tries++) {
		n = file_pread(*kept, text, sizeof(text));
		if (n < 0)
			why = reason_of_error((int)n);
		else
			why = attribute_parse(attribute, text, &card->device);
		if (n == -EFBIG)
			break;
	}
	if (!attribute->changes || why == GONE)
		close_fd(kept);
	return why;
}

static void tally_add(struct tally *tally, enum reason why)
{
	tally->known += why == KNOWN;
	tally->dead += why == NOT_ANSWERING;
	tally->resetting += why == RESETTING;
	tally->gone += why == GONE;
	tally->absent += why == NOT_OFFERED;
}

/* What was read once and well is not read again. */
static void card_read(struct card *card, const struct attribute *attribute)
{
	enum device_field field = attribute->field;
	enum reason why;

	if (!fieldset_has(&card->want, field))
		return;
	if (!attribute->changes && card->device.why[field] == KNOWN)
		return;
	why = attribute_read(card, attribute);
	card->device.why[field] = (uint8_t)why;
	if (attribute_is_telemetry(attribute) && field != DEV_BOARD && field != DEV_FAN_RPM)
		tally_add(&card->tally, why);
	else
		card->tally.gone += why == GONE;
}

/* One counter may well be all ones; twelve are a chip off the bus. */
static void card_check_counters(struct card *card)
{
	struct device *dev = &card->device;

	for (unsigned i = 0; i < DEVICE_COUNTERS; i++)
		if (dev->why[DEV_COUNTER + i] != KNOWN || dev->counters[i] != UINT32_MAX)
			return;
	memset(dev->why + DEV_COUNTER, NOT_ANSWERING, DEVICE_COUNTERS);
}

static void card_read_one(struct card *card, enum device_field field)
{
	for (size_t i = 0; i < N_ATTRIBUTES; i++)
		if (attributes[i].field == field) {
			fieldset_add(&card->want, field);
			card_read(card, &attributes[i]);
		}
}

/* A chip off the bus has "64.0 GT/s" for its maximum: its width gives it away. */
static void card_check_link(struct card *card)
{
	struct device *dev = &card->device;

	if (!device_knows(dev, DEV_LINK_GEN_MAX) || dev->link_gen_max < 6)
		return;
	card_read_one(card, DEV_LINK_WIDTH_MAX);
	if (!device_knows(dev, DEV_LINK_WIDTH_MAX))
		dev->why[DEV_LINK_GEN_MAX] = dev->why[DEV_LINK_WIDTH_MAX];
}

/*
 * The board's name: by the driver, else by the code in the serial number, else by
 * the PCI subsystem, which answers even when the chip does not.
 */
static void card_identify(struct card *card)
{
	struct device *dev = &card->device;

	if (dev->type)
		return;
	if (device_knows(dev, DEV_BOARD))
		dev->type = board_by_name(dev->board);
	if (!dev->type) {
		card_read_one(card, DEV_SERIAL);
		if (device_knows(dev, DEV_SERIAL))
			dev->type = board_by_code(dev->serial >> 36);
	}
	if (!dev->type) {
		card_read_one(card, DEV_PCI_SUBDEVICE);
		if (device_knows(dev, DEV_PCI_SUBDEVICE))
			dev->type = board_by_code(dev->pci_subdevice);
	}
	if (dev->type) {
		snprintf(dev->board, sizeof(dev->board), "%s", dev->type->name);
		dev->why[DEV_BOARD] = KNOWN;
		dev->arch = dev->type->arch;
		return;
	}
	card_read_one(card, DEV_PCI_DEVICE);
	if (device_knows(dev, DEV_PCI_DEVICE))
		dev->arch = arch_of_pci(dev->pci_device);
}

static enum device_state tally_judge(const struct tally *tally)
{
	if (tally->gone)
		return DEVICE_LOST;
	if (tally->known)
		return DEVICE_OK;
	if (tally->dead)
		return DEVICE_NOT_ANSWERING;
	if (tally->resetting)
		return DEVICE_RESETTING;
	return tally->absent ? DEVICE_NO_TELEMETRY : DEVICE_OK;
}

/* Files can appear late: on a card without telemetry, absence is not for ever. */
static void card_retry_absent(struct card *card)
{
	if (card->device.condition == DEVICE_OK)
		return;
	for (size_t i = 0; i < N_KEPT; i++)
		if (card->kept[i] == ABSENT)
			card->kept[i] = CLOSED;
}

static void card_read_all(struct card *card)
{
	struct device *dev = &card->device;
	uint32_t heartbeat = device_knows(dev, DEV_HEARTBEAT) ? dev->heartbeat : 0;

	card->tally = (struct tally){ 0 };
	card_retry_absent(card);
	for (size_t i = 0; i < N_ATTRIBUTES; i++)
		card_read(card, &attributes[i]);
	for (size_t i = 0; i < DEVICE_COUNTERS; i++)
		card_read(card, &counter_attributes[i]);
	dev->sampled_ns = clock_now(CLOCK_MONOTONIC);
	card_check_counters(card);
	card_check_link(card);
	card_identify(card);
	dev->condition = tally_judge(&card->tally);

	/* A reset may have brought other firmware and limits: read them anew next time. */
	if (device_knows(dev, DEV_HEARTBEAT) && dev->heartbeat < heartbeat)
		for (size_t i = 0; i < N_ATTRIBUTES; i++)
			if (!attributes[i].changes)
				dev->why[attributes[i].field] = NOT_ASKED;
}

/* No answer: what the chip is stays known, what it does is not. */
static void device_lose(struct device *dev, const struct fieldset *want,
			enum device_state condition, enum reason why)
{
	dev->condition = condition;
	for (size_t i = 0; i < N_ATTRIBUTES; i++)
		if (attributes[i].changes)
			dev->why[attributes[i].field] = (uint8_t)why;
	memset(dev->why + DEV_COUNTER, why, DEVICE_COUNTERS);
	device_mark(dev, want, why);
}

/* The job. A card that went away in the middle is looked for once more. */
static void card_sample(void *arg)
{
	struct card *card = arg;

	for (int tries = 0; tries < 2; tries++) {
		int r = card_open(card);

		if (r < 0) {
			bool denied = r == -EACCES;

			device_lose(&card->device, &card->want,
				    denied ? DEVICE_NO_TELEMETRY : DEVICE_LOST,
				    denied ? DENIED : GONE);
			return;
		}
		card_read_all(card);
		if (card->device.condition != DEVICE_LOST)
			return;
		card_close(card);
		device_lose(&card->device, &card->want, DEVICE_LOST, GONE);
	}
}

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

struct scan {
	struct kmd *kmd;
	const struct root *root;
};

static int visit_class(const char *name, void *arg)
{
	struct scan *scan = arg;
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

static int kmd_scan(struct kmd *kmd, const struct root *root)
{
	struct scan scan = { kmd, root };

	for (size_t i = 0; i < kmd->n_cards; i++)
		kmd->cards[i]->present = false;
	return directory_each(root->fd, "sys/class/tenstorrent", visit_class, &scan);
}

static void kmd_read_version(struct kmd *kmd, struct sample *sample)
{
	struct host *host = &sample->snapshot->host;
	ssize_t n = 0;

	if (!kmd->version[0]) {
		n = file_read(sample->root->fd, "sys/module/tenstorrent/version", kmd->version,
			      sizeof(kmd->version));
		if (n < 0)
			kmd->version[0] = '\0';
		kmd->version[strcspn(kmd->version, "\n")] = '\0';
	}
	snprintf(host->driver, sizeof(host->driver), "%s", kmd->version);
	host->why[HOST_DRIVER] =
		(uint8_t)(kmd->version[0] ? KNOWN : reason_of_error(n < 0 ? (int)n : -ENOENT));
}

/* One job per card that is there and not stuck in an earlier read. */
static int kmd_read_cards(struct kmd *kmd, struct sample *sample)
{
	CLEANUP_FREE struct job **jobs = calloc(kmd->n_cards + 1, sizeof(struct job *));
	size_t count = 0;

	if (!jobs)
		return -ENOMEM;
	for (size_t i = 0; i < kmd->n_cards; i++) {
		struct card *card = kmd->cards[i];

		if (!card->present || crew_job_is_busy(sample->crew, &card->job))
			continue;
		card->want = sample->want->device;
		card->job = (struct job){ .run = card_sample, .arg = card };
		jobs[count++] = &card->job;
	}
	crew_run(sample->crew, jobs, count, sample->deadline_ns);
	for (size_t i = 0; i < kmd->n_cards; i++) {
		struct card *card = kmd->cards[i];

		if (card->present && crew_job_is_done(sample->crew, &card->job))
			card->last = card->device;
		else if (card->present)
			device_lose(&card->last, &card->want, DEVICE_TIMED_OUT, TIMED_OUT);
	}
	return 0;
}

/*
 * A board with two chips of which one has no PCIe: the other one is shown, with
 * nothing but its name. An n300 always; a p300 if its second chip is missing.
 */
static bool board_misses_chip(const struct kmd *kmd, const struct card *card)
{
	const struct device *dev = &card->last;

	if (!dev->type || dev->type->chips != 2)
		return false;
	if (dev->arch == ARCH_WORMHOLE)
		return true;
	if (!device_knows(dev, DEV_SERIAL))
		return false;
	for (size_t i = 0; i < kmd->n_cards; i++) {
		const struct device *other = &kmd->cards[i]->last;

		if (other != dev &&
		    (!device_knows(other, DEV_SERIAL) || other->serial == dev->serial))
			return false; /* there it is, or it may be */
	}
	return true;
}

static int add_remote(struct sample *sample, const struct device *gateway)
{
	struct device dev;

	device_init(&dev, gateway->index);
	snprintf(dev.id, sizeof(dev.id), "%uR", gateway->index);
	dev.remote = true;
	dev.gateway = gateway->index;
	dev.why[DEV_GATEWAY] = KNOWN;
	dev.condition = DEVICE_UNREADABLE;
	dev.type = gateway->type;
	dev.arch = gateway->arch;
	memcpy(dev.board, gateway->board, sizeof(dev.board));
	dev.why[DEV_BOARD] = gateway->why[DEV_BOARD];
	dev.serial = gateway->serial;
	dev.why[DEV_SERIAL] = gateway->why[DEV_SERIAL];
	memcpy(dev.fw_bundle, gateway->fw_bundle, sizeof(dev.fw_bundle));
	dev.why[DEV_FW_BUNDLE] = gateway->why[DEV_FW_BUNDLE];
	device_mark(&dev, &sample->want->device, NO_PCIE);
	device_derive(&dev);
	return snapshot_add_device(sample->snapshot, &dev) ? 0 : -ENOMEM;
}

static int add_card(struct kmd *kmd, struct sample *sample, struct card *card)
{
	struct device dev;

	if (!card->present)
		device_lose(&card->last, &sample->want->device, DEVICE_LOST, GONE);
	dev = card->last;
	device_derive(&dev);
	if (!snapshot_add_device(sample->snapshot, &dev))
		return -ENOMEM;
	return board_misses_chip(kmd, card) ? add_remote(sample, &dev) : 0;
}

static int kmd_sample(void *state, struct sample *sample)
{
	struct kmd *kmd = state;
	int r;

	kmd_read_version(kmd, sample);
	r = kmd_scan(kmd, sample->root);
	sample->snapshot->driver_loaded = r != -ENOENT || kmd->version[0];
	if (r < 0)
		return r;
	r = kmd_read_cards(kmd, sample);
	for (size_t i = 0; i < kmd->n_cards && r >= 0; i++)
		r = add_card(kmd, sample, kmd->cards[i]);
	return r;
}

static int kmd_open(const struct root *root, void **ret_state)
{
	struct kmd *kmd = calloc(1, sizeof(*kmd));

	(void)root;
	if (!kmd)
		return -ENOMEM;
	*ret_state = kmd;
	return 0;
}

/* A card whose job still hangs is left to it. */
static void kmd_close(void *state, struct crew *crew)
{
	struct kmd *kmd = state;

	for (size_t i = 0; i < kmd->n_cards; i++) {
		if (crew_job_is_busy(crew, &kmd->cards[i]->job))
			continue;
		card_close(kmd->cards[i]);
		free(kmd->cards[i]);
	}
	free(kmd->cards);
	free(kmd);
}

const struct source source_kmd = {
	.name = "kmd",
	.help = "devices and readings, from the driver's files in sysfs",
	.open = kmd_open,
	.sample = kmd_sample,
	.close = kmd_close,
};
