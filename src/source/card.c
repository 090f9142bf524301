#include "source/card.h"

#include "basic/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A sample that comes slightly early counts, otherwise the value would be read a whole period late.
 */
static const int64_t interval_ns[READ_INTERVALS] = {
	[EVERY_10_S] = 9900 * NS_PER_MS,
	[EVERY_5_S] = 4900 * NS_PER_MS,
	[EVERY_2_S] = 1900 * NS_PER_MS,
};

struct card *card_new(uint32_t index, const struct root *root)
{
	struct card *card = calloc(1, sizeof(*card));

	if (!card)
		return NULL;
	card->index = index;
	card_files_init(&card->files, root, index);
	device_init(&card->device, index);
	card->last = card->device;
	return card;
}

struct card *card_free(struct card *card)
{
	card_files_close(&card->files);
	free(card);
	return NULL;
}

/* Discards everything that was read through another descriptor. */
static int card_open(struct card *card)
{
	struct device *dev = &card->device;
	int r = card_files_open(&card->files);

	if (r <= 0)
		return r;
	device_init(dev, card->index);
	memset(card->read_ns, 0, sizeof(card->read_ns));
	card->heartbeat = 0;
	dev->why[DEV_BDF] =
		card_files_address(&card->files, dev->bdf, sizeof(dev->bdf)) ? KNOWN : MALFORMED;
	return 0;
}

static void tally_add(struct card_tally *tally, enum reason why)
{
	tally->known += why == KNOWN;
	tally->dead += why == NOT_ANSWERING;
	tally->resetting += why == RESETTING;
	tally->gone += why == GONE;
	tally->absent += why == NOT_OFFERED;
}

/*
 * Does its value show whether the chip responds? Not if the driver has a default ("unknown") or if
 * firmware may report all ones, as for the fan speed.
 */
static bool shows_response(const struct attribute *attribute)
{
	return attribute_is_telemetry(attribute) && attribute->field != DEV_BOARD &&
	       attribute->field != DEV_FAN_RPM;
}

/* A constant that was read successfully is not read again. */
static void card_read(struct card *card, const struct attribute *attribute)
{
	enum device_field field = attribute->field;
	enum reason why;

	if (!fieldset_has(&card->want, field))
		return;
	if (attribute_is_upstream(attribute) && card->device.why[DEV_UPSTREAM] == NOT_APPLICABLE) {
		card->device.why[field] = NOT_APPLICABLE;
		return;
	}
	if (attribute->interval == READ_ONCE && card->device.why[field] == KNOWN)
		return;
	why = card_files_read(&card->files, attribute, &card->device);
	card->device.why[field] = (uint8_t)why;
	if (shows_response(attribute))
		tally_add(&card->tally, why);
	else
		card->tally.gone += why == GONE;
}

static void card_read_one(struct card *card, enum device_field field)
{
	fieldset_add(&card->want, field);
	card_read(card, attribute_of(field));
}

/*
 * For a chip off the bus the maximum speed reads as "64.0 GT/s"; its width shows that this is
 * wrong.
 */
static void card_check_link(struct card *card)
{
	struct device *dev = &card->device;

	if (!device_knows(dev, DEV_LINK_GEN_MAX) || dev->link_gen_max < 6)
		return;
	card_read_one(card, DEV_LINK_WIDTH_MAX);
	if (!device_knows(dev, DEV_LINK_WIDTH_MAX))
		dev->why[DEV_LINK_GEN_MAX] = dev->why[DEV_LINK_WIDTH_MAX];
}

/* The port never changes. A device that is attached to the root complex has none. */
static void card_find_upstream(struct card *card)
{
	struct device *dev = &card->device;

	if (!fieldset_has(&card->want, DEV_UPSTREAM) || dev->why[DEV_UPSTREAM] != NOT_ASKED)
		return;
	dev->why[DEV_UPSTREAM] = dev->why[DEV_BDF];
	if (device_knows(dev, DEV_BDF))
		dev->why[DEV_UPSTREAM] = (uint8_t)card_files_upstream(
			&card->files, dev->bdf, dev->upstream.bdf, sizeof(dev->upstream.bdf));
}

/*
 * The board's name: from the driver, else from the code in the serial number, else from the PCI
 * subsystem id, which is available even if the chip does not respond.
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
	if (!dev->type)
		card_read_one(card, DEV_PCI_DEVICE);
	device_name_board(dev);
}

/* Only the serial number distinguishes the chips of one p300 from those of another. */
static void card_read_sibling_key(struct card *card)
{
	const struct board *type = card->device.type;

	if (type && type->chips == 2 && type->arch == ARCH_BLACKHOLE)
		card_read_one(card, DEV_SERIAL);
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

/*
 * A reset may have changed firmware and limits. A heartbeat that decreased shows a reset, even if
 * other reads failed in between.
 */
static void card_check_reset(struct card *card)
{
	struct device *dev = &card->device;
	bool fell = device_knows(dev, DEV_HEARTBEAT) && dev->heartbeat < card->heartbeat;

	if (device_knows(dev, DEV_HEARTBEAT))
		card->heartbeat = dev->heartbeat;
	if (!fell)
		return;
	card_files_retry(&card->files);
	dev->type = NULL;
	for (size_t i = 0; i < N_ATTRIBUTES; i++)
		if (!attribute_is_kept(&attributes[i])) {
			dev->why[attributes[i].field] = NOT_ASKED;
			card_read(card, &attributes[i]);
		}
}

static void card_read_interval(struct card *card, enum read_interval interval, int64_t now_ns)
{
	for (uint64_t left = card->asked_files[interval]; left; left &= left - 1)
		card_read(card, attribute_at((size_t)__builtin_ctzll(left)));
	card->read_ns[interval] = now_ns;
}

static bool interval_is_due(const struct card *card, enum read_interval interval, int64_t now_ns)
{
	if (!card->low_rate && interval > EVERY_10_S)
		return true;
	return !card->read_ns[interval] ||
	       now_ns - card->read_ns[interval] >= interval_ns[interval];
}

/*
 * Reads everything that is due. If the chip has a problem, that is everything, so that old and new
 * values are not mixed.
 */
static void card_read_due(struct card *card, int64_t now_ns)
{
	bool all = card->device.state != DEVICE_OK;

	for (enum read_interval interval = READ_INTERVALS; interval-- > 0;) {
		all = all || tally_judge(&card->tally) != DEVICE_OK;
		if (all || interval_is_due(card, interval, now_ns))
			card_read_interval(card, interval, now_ns);
	}
}

/* Is the chip's state wanted, or needed to interpret a reading? */
static bool needs_state(const struct card *card)
{
	const struct card_tally *tally = &card->tally;
	enum reason fan = card->device.why[DEV_FAN_RPM];

	return tally->dead || tally->resetting || tally->absent || fan == NOT_ANSWERING ||
	       fan == RESETTING || fieldset_has(&card->want, DEV_STATE);
}

/*
 * The chip's state must not depend on which fields were wanted: while no reading is known, others
 * are tried. A single missing id proves nothing.
 */
static void card_find_responding(struct card *card)
{
	if (!needs_state(card))
		return;
	for (size_t i = 0; i < N_ATTRIBUTES && !card->tally.known; i++)
		if (shows_response(&attributes[i]) &&
		    !fieldset_has(&card->want, attributes[i].field))
			card_read_one(card, attributes[i].field);
}

/*
 * ENODATA or all ones in single files of a chip that responds: firmware has no such value, or
 * controls no fan.
 */
static void card_settle_reasons(struct card *card)
{
	uint8_t *why = card->device.why;

	if (card->device.state != DEVICE_OK)
		return;
	if (why[DEV_FAN_RPM] == RESETTING || why[DEV_FAN_RPM] == NOT_ANSWERING)
		why[DEV_FAN_RPM] = NOT_APPLICABLE;
	for (size_t i = 0; i < N_ATTRIBUTES; i++)
		if (why[attributes[i].field] == RESETTING)
			why[attributes[i].field] = NOT_OFFERED;
}

static void card_read_all(struct card *card)
{
	struct device *dev = &card->device;
	int64_t now_ns = clock_now(CLOCK_MONOTONIC);

	card->tally = (struct card_tally){ 0 };
	card->files.touched = false;
	/*
	 * A missing file may appear later: the driver registers one group of them after the other.
	 */
	if (dev->state != DEVICE_OK || interval_is_due(card, EVERY_10_S, now_ns))
		card_files_retry(&card->files);
	card_find_upstream(card);
	card_read_due(card, now_ns);
	/*
	 * The time of the counters that rates are computed from; it does not advance if they were
	 * not read.
	 */
	if (card->read_ns[EVERY_2_S] == now_ns &&
	    (fieldset_has(&card->want, DEV_COUNTER) || fieldset_has(&card->want, DEV_HEARTBEAT)))
		dev->sampled_ns = clock_now(CLOCK_MONOTONIC);
	card_check_reset(card);
	card_check_link(card);
	card_identify(card);
	card_read_sibling_key(card);
	card_find_responding(card);
	dev->state = tally_judge(&card->tally);
	card_settle_reasons(card);
	if (!card->files.touched && card_files_are_stale(&card->files))
		dev->state = DEVICE_LOST;
}

void card_lose(struct device *dev, const struct fieldset *want, enum device_state condition,
	       enum reason why)
{
	dev->state = condition;
	for (size_t i = 0; i < N_ATTRIBUTES; i++)
		if (attributes[i].interval != READ_ONCE)
			dev->why[attributes[i].field] = (uint8_t)why;
	memset(dev->why + DEV_COUNTER, why, DEVICE_COUNTERS);
	device_mark(dev, want, why);
}

_Static_assert(N_ATTRIBUTE_FILES <= 64, "a word has a bit for each file");

/*
 * Sets which files every sample asks for, so that the others cost no time in each. A field that was
 * not wanted in the last sample is stale, and read again with those of the same interval.
 */
static void ask_for(struct card *card, const struct fieldset *asked)
{
	const struct fieldset before = card->asked;

	card->asked = *asked;
	memset(card->asked_files, 0, sizeof(card->asked_files));
	for (size_t i = 0; i < N_ATTRIBUTE_FILES; i++) {
		const struct attribute *attribute = attribute_at(i);

		if (!fieldset_has(asked, attribute->field))
			continue;
		card->asked_files[attribute->interval] |= UINT64_C(1) << i;
		if (!fieldset_has(&before, attribute->field))
			card->read_ns[attribute->interval] = 0;
	}
}

void card_ask(struct card *card, const struct fieldset *want, bool low_rate)
{
	if (memcmp(&card->asked, want, sizeof(*want)) != 0)
		ask_for(card, want);
	card->want = card->asked;
	card->low_rate = low_rate;
}

/* A card that disappeared during the read is looked up once more. */
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
		if (card->device.state != DEVICE_LOST)
			return;
		card_files_close(&card->files);
		card_lose(&card->device, &card->want, DEVICE_LOST, GONE);
	}
}

void card_read_constant(void *arg)
{
	struct card *card = arg;
	struct fieldset asked = card->asked;

	fieldset_add(&asked, card->constant);
	ask_for(card, &asked);
	if (card->files.class_fd >= 0)
		card_read_one(card, card->constant);
}

static void copy_constants(const struct device *from, struct device *to)
{
	to->serial = from->serial;
	to->why[DEV_SERIAL] = from->why[DEV_SERIAL];
	if (to->remote)
		return;
	to->asic_id = from->asic_id;
	to->why[DEV_ASIC_ID] = from->why[DEV_ASIC_ID];
	memcpy(to->fw_bundle, from->fw_bundle, sizeof(to->fw_bundle));
	to->why[DEV_FW_BUNDLE] = from->why[DEV_FW_BUNDLE];
}

void card_take_constants(struct card *card, struct device *ret)
{
	copy_constants(&card->device, &card->last);
	copy_constants(&card->device, ret);
}
