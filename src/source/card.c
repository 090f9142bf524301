#include "source/card.h"

#include "basic/clock.h"
#include "basic/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* In kept[]: what is no descriptor. */
#define CLOSED (-1)
#define ABSENT (-2) /* the driver does not offer it */

/* A sample that comes a little early counts: the next one would come a whole period late. */
static const int64_t pace_ns[PACE_N] = {
	[SLOWLY] = 4900 * NS_PER_MS, [STEADILY] = 1900 * NS_PER_MS
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

void card_close(struct card *card)
{
	close_fd(&card->class_fd);
	close_fd(&card->hwmon_fd);
	for (size_t i = 0; i < CARD_KEPT; i++)
		close_fd(&card->kept[i]);
}

struct card *card_new(uint32_t index, const struct root *root)
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

struct card *card_free(struct card *card)
{
	card_close(card);
	free(card);
	return NULL;
}

struct hwmon_search {
	const struct card *card;
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
	search->found = root_open_at(search->card->root, search->card->class_fd, path,
				     O_PATH | O_DIRECTORY | O_CLOEXEC);
	return 0;
}

static void card_find_hwmon(struct card *card)
{
	struct hwmon_search search = { .card = card, .found = -1 };
	CLEANUP_CLOSE int fd = root_open_at(card->root, card->class_fd, "device/hwmon",
					    O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0 && directory_read(fd, visit_hwmon, &search) >= 0)
		card->hwmon_fd = search.found;
}

static void class_path(const struct card *card, char *path, size_t size)
{
	snprintf(path, size, "sys/class/tenstorrent/tenstorrent!%u", card->index);
}

/* Whoever reads nothing learns nothing: is the directory still the one that was opened? */
static bool card_is_replaced(const struct card *card)
{
	struct stat held, there;
	char path[64];

	class_path(card, path, sizeof(path));
	if (fstat(card->class_fd, &held) < 0 || root_stat(card->root, path, &there) < 0)
		return true;
	return held.st_ino != there.st_ino || held.st_dev != there.st_dev;
}

/* Nothing of what was read through another descriptor is believed any more. */
static int card_open(struct card *card)
{
	char path[64], link[256];

	if (card->class_fd >= 0)
		return 0;
	class_path(card, path, sizeof(path));
	card->class_fd = root_open(card->root, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (card->class_fd < 0)
		return card->class_fd;
	device_init(&card->device, card->index);
	memset(card->read_ns, 0, sizeof(card->read_ns));
	card->heartbeat = 0;
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
	int dir = card->class_fd;

	if (attribute->place == IN_HWMON) {
		if (card->hwmon_fd < 0)
			card_find_hwmon(card);
		if (card->hwmon_fd < 0)
			return -ENOENT;
		dir = card->hwmon_fd;
	}
	snprintf(path, sizeof(path), "%s%s", attribute->place == IN_PCI ? "device/" : "",
		 attribute->file);
	return root_open_at(card->root, dir, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
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
	card->touched = true;
	for (int tries = 0; tries < 3 && why == MALFORMED; tries++) {
		n = file_pread(*kept, text, sizeof(text));
		if (n < 0)
			why = reason_of_error((int)n);
		else
			why = attribute_parse(attribute, text, &card->device);
		if (n == -EFBIG)
			break;
	}
	if (attribute->pace == ONCE || why == GONE)
		close_fd(kept);
	return why;
}

static void tally_add(struct card_tally *tally, enum reason why)
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
	if (attribute->pace == ONCE && card->device.why[field] == KNOWN)
		return;
	why = attribute_read(card, attribute);
	card->device.why[field] = (uint8_t)why;
	if (attribute_is_telemetry(attribute) && field != DEV_BOARD && field != DEV_FAN_RPM)
		tally_add(&card->tally, why);
	else
		card->tally.gone += why == GONE;
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
			dev->type = board_by_code(dev->serial >> 36 & 0xFFFFF);
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

static enum device_state tally_judge(const struct card_tally *tally)
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
	for (size_t i = 0; i < CARD_KEPT; i++)
		if (card->kept[i] == ABSENT)
			card->kept[i] = CLOSED;
}

/*
 * A reset may have brought other firmware and limits. The heartbeat that fell
 * tells of it, whatever could not be read in between.
 */
static void card_check_reset(struct card *card)
{
	struct device *dev = &card->device;
	bool fell = device_knows(dev, DEV_HEARTBEAT) && dev->heartbeat < card->heartbeat;

	if (device_knows(dev, DEV_HEARTBEAT))
		card->heartbeat = dev->heartbeat;
	if (!fell)
		return;
	card_retry_absent(card);
	dev->type = NULL;
	for (size_t i = 0; i < N_ATTRIBUTES; i++)
		if (attributes[i].pace == ONCE) {
			dev->why[attributes[i].field] = NOT_ASKED;
			card_read(card, &attributes[i]);
		}
}

static void card_read_pace(struct card *card, enum pace pace, int64_t now_ns)
{
	for (size_t i = 0; i < N_ATTRIBUTES; i++)
		if (attributes[i].pace == pace)
			card_read(card, &attributes[i]);
	for (size_t i = 0; i < DEVICE_COUNTERS; i++)
		if (counter_attributes[i].pace == pace)
			card_read(card, &counter_attributes[i]);
	card->read_ns[pace] = now_ns;
}

/*
 * All that is due. With a chip in trouble that is everything: what it said before
 * must not stand beside what it does not say any more.
 */
static void card_read_due(struct card *card, int64_t now_ns)
{
	bool all = !card->paced || card->device.condition != DEVICE_OK;

	for (enum pace pace = PACE_N; pace-- > 0;) {
		all = all || tally_judge(&card->tally) != DEVICE_OK;
		if (all || !card->read_ns[pace] || now_ns - card->read_ns[pace] >= pace_ns[pace])
			card_read_pace(card, pace, now_ns);
	}
}

static void card_read_all(struct card *card)
{
	struct device *dev = &card->device;
	int64_t now_ns = clock_now(CLOCK_MONOTONIC);

	card->tally = (struct card_tally){ 0 };
	card->touched = false;
	if (dev->condition != DEVICE_OK)
		card_retry_absent(card);
	card_read_due(card, now_ns);
	/* The time of what rates are made of: it stands still if that was not read. */
	if (card->read_ns[STEADILY] == now_ns &&
	    (fieldset_has(&card->want, DEV_COUNTER) || fieldset_has(&card->want, DEV_HEARTBEAT)))
		dev->sampled_ns = clock_now(CLOCK_MONOTONIC);
	card_check_reset(card);
	card_check_link(card);
	card_identify(card);
	dev->condition = tally_judge(&card->tally);
	if (!card->touched && card_is_replaced(card))
		dev->condition = DEVICE_LOST;
}

void card_lose(struct device *dev, const struct fieldset *want, enum device_state condition,
	       enum reason why)
{
	dev->condition = condition;
	for (size_t i = 0; i < N_ATTRIBUTES; i++)
		if (attributes[i].pace != ONCE)
			dev->why[attributes[i].field] = (uint8_t)why;
	memset(dev->why + DEV_COUNTER, why, DEVICE_COUNTERS);
	device_mark(dev, want, why);
}

void card_ask(struct card *card, const struct fieldset *want, bool paced)
{
	/* What was not asked for of late is of long ago. */
	if (memcmp(&card->asked, want, sizeof(*want)) != 0)
		memset(card->read_ns, 0, sizeof(card->read_ns));
	card->want = card->asked = *want;
	card->paced = paced;
}

/* A card that went away in the middle is looked for once more. */
void card_sample(void *arg)
{
	struct card *card = arg;

	for (int tries = 0; tries < 2; tries++) {
		int r = card_open(card);

		if (r < 0) {
			bool denied = r == -EACCES;

			card_lose(&card->device, &card->want,
				  denied ? DEVICE_NO_TELEMETRY : DEVICE_LOST,
				  denied ? DENIED : GONE);
			return;
		}
		card_read_all(card);
		if (card->device.condition != DEVICE_LOST)
			return;
		card_close(card);
		card_lose(&card->device, &card->want, DEVICE_LOST, GONE);
	}
}
