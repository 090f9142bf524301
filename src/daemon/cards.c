#include "daemon/cards.h"

#include "basic/clock.h"
#include "basic/pci_address.h"
#include "daemon/log.h"
#include "daemon/looker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>

/* A node appears before the last of its files do, and cards come in groups. */
#define SETTLE (200 * NS_PER_MS)

/* One that does not answer, in the middle of a reset perhaps, is asked again so often. */
#define LOOK_LATER (2 * NS_PER_S)
enum { LOOKS_MAX = 30 };

/* Who reads these files walks over processes; so often is enough for any display. */
#define COUNTS_KEPT (100 * NS_PER_MS)

void card_identify(const struct device *device, struct table_device *ret)
{
	*ret = (struct table_device){ .known = TABLE_HAS_NODE, .node = device->index };
	if (device->remote) {
		ret->known = TABLE_BEHIND;
		return;
	}
	if (device_knows(device, DEV_BDF) && pci_address_parse(device->bdf, &ret->bdf) == 0)
		ret->known |= TABLE_HAS_BDF;
	if (device_knows(device, DEV_ASIC_ID)) {
		ret->asic = device->asic_id;
		ret->known |= TABLE_HAS_ASIC;
	}
}

static void card_of_device(const struct device *device, struct card *ret)
{
	*ret = (struct card){ .arch = device->arch };
	card_identify(device, &ret->identity);
	snprintf(ret->name, sizeof(ret->name), "%s",
		 device_knows(device, DEV_NAME) ? device->name : "card");
	if (device_knows(device, DEV_DRAM_TOTAL))
		ret->dram = device->dram_total;
	if (device_knows(device, DEV_L1_TOTAL))
		ret->l1 = device->l1_total;
	if (device->type)
		ret->channels = device->type->dram_banks;
}

static void cards_insert(struct cards *cards, const struct card *card)
{
	size_t at = cards->count++;

	for (; at > 0 && cards->list[at - 1].identity.bdf > card->identity.bdf; at--)
		cards->list[at] = cards->list[at - 1];
	cards->list[at] = *card;
}

static int cards_ask(const struct cards *cards, struct snapshot **ret)
{
	struct looker *looker;
	int r = looker_new(cards->root, &looker);

	if (r < 0)
		return r;
	r = looker_devices(looker, ret);
	looker_free(looker);
	return r;
}

static void cards_look(struct cards *cards)
{
	struct snapshot *snapshot;
	size_t before = cards->count;
	int r = cards_ask(cards, &snapshot);

	cards->count = 0;
	cards->complete = true;
	if (r == -ENOENT && before)
		log_line(LOG_NOTE, "all cards are gone");
	else if (r < 0 && r != -ENOENT)
		log_line(LOG_FAULT, "cannot look for cards: %s", strerror(-r));
	if (r < 0)
		return;
	for (size_t i = 0; i < snapshot->n_devices && cards->count < TABLE_DEVICES; i++) {
		struct card card;

		if (!device_is_served(&snapshot->devices[i]))
			continue;
		card_of_device(&snapshot->devices[i], &card);
		cards_insert(cards, &card);
		if (!(card.identity.known & TABLE_HAS_BDF) || !card.dram)
			cards->complete = false;
	}
	snapshot_free(snapshot);
	if (cards->count != before)
		log_line(LOG_NOTE, "%zu card%s", cards->count, cards->count == 1 ? "" : "s");
}

/* The directories in which device nodes come and go; /dev itself for the day the driver is loaded.
 */
static void cards_watch(const struct cards *cards)
{
	static const char *const directories[] = { "dev", "dev/tenstorrent",
						   "sys/class/tenstorrent" };
	const uint32_t events = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR;

	for (size_t i = 0; i < ARRAY_SIZE(directories); i++) {
		char path[64];
		CLEANUP_CLOSE int fd =
			root_open(cards->root, directories[i], O_PATH | O_DIRECTORY | O_CLOEXEC);

		if (fd < 0)
			continue;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		if (inotify_add_watch(cards->changes.fd, path, events) < 0)
			log_line(LOG_FAULT, "cannot watch /%s: %s", directories[i],
				 strerror(errno));
	}
}

static void cards_settled(struct timer *timer)
{
	struct cards *cards = container_of(timer, struct cards, settle);

	cards_watch(cards); /* the directory itself may be new */
	cards_look(cards);
	if (!cards->complete && cards->looks-- > 0)
		timer_set(cards->loop, &cards->settle, LOOK_LATER);
}

/* Is it about us? Other things come and go in /dev too. */
static bool change_matters(const struct inotify_event *event)
{
	return event->len == 0 || strcmp(event->name, "tenstorrent") == 0 ||
	       strspn(event->name, "0123456789") == strlen(event->name) ||
	       strncmp(event->name, "tenstorrent!", strlen("tenstorrent!")) == 0;
}

static void cards_changed(struct watch *watch, uint32_t events)
{
	struct cards *cards = container_of(watch, struct cards, changes);
	_Alignas(struct inotify_event) char data[4096];
	bool matters = false;
	ssize_t n;

	(void)events;
	while ((n = read(watch->fd, data, sizeof(data))) > 0) {
		for (char *at = data; at < data + n;) {
			const struct inotify_event *event = (const void *)at;

			matters = matters || change_matters(event);
			at += sizeof(*event) + event->len;
		}
	}
	if (!matters)
		return;
	cards->looks = LOOKS_MAX;
	timer_set(cards->loop, &cards->settle, SETTLE);
}

int cards_init(struct cards *cards, struct loop *loop, const struct root *root)
{
	int fd, r;

	*cards = (struct cards){
		.root = root,
		.loop = loop,
		.changes = { .fd = -1, .ready = cards_changed },
		.settle.expired = cards_settled,
	};
	fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (fd < 0)
		return -errno;
	r = watch_start(loop, &cards->changes, fd, EPOLLIN);
	if (r < 0) {
		close(fd);
		return r;
	}
	cards_watch(cards);
	cards_look(cards);
	cards->looks = LOOKS_MAX;
	if (!cards->complete)
		timer_set(loop, &cards->settle, LOOK_LATER);
	return 0;
}

void cards_done(struct cards *cards)
{
	int fd = cards->changes.fd;

	if (cards->loop) {
		timer_stop(cards->loop, &cards->settle);
		watch_stop(cards->loop, &cards->changes);
		if (fd >= 0)
			close(fd);
	}
	free(cards->claims);
	snapshot_free(cards->claimed);
	cards->looker = looker_free(cards->looker);
}

/* In the form that lists are resolved for. False: the order of the cards is not known. */
static bool cards_in_order(const struct cards *cards, struct visible_card ret[VISIBLE_CARDS])
{
	for (size_t i = 0; i < cards->count; i++) {
		const struct table_device *identity = &cards->list[i].identity;

		if (!(identity->known & TABLE_HAS_BDF))
			return false;
		ret[i] = (struct visible_card){ .bdf = identity->bdf, .node = identity->node };
	}
	return true;
}

const struct card *cards_logical(const struct cards *cards, const struct visible_devices *visible,
				 enum visible_meaning meaning, uint32_t id)
{
	struct visible_card ordered[VISIBLE_CARDS];
	int at;

	if (!cards_in_order(cards, ordered))
		return NULL;
	at = visible_find(visible, meaning, ordered, cards->count, id);
	return at < 0 ? NULL : &cards->list[at];
}

size_t cards_count_visible(const struct cards *cards, const struct visible_devices *visible,
			   enum visible_meaning meaning)
{
	struct visible_card ordered[VISIBLE_CARDS];
	uint64_t masks[2];
	unsigned answers;

	if (!cards_in_order(cards, ordered))
		return 0;
	answers = visible_resolve(visible, meaning, ordered, cards->count, masks);
	if (answers == 2 && __builtin_popcountll(masks[0]) != __builtin_popcountll(masks[1]))
		return 0;
	return (size_t)__builtin_popcountll(masks[0]);
}

/* The sources are kept between questions, since they remember what does not change. */
static int counts_ask(struct cards *cards, struct snapshot **ret_snapshot,
		      struct claim **ret_claims, size_t *ret_count)
{
	if (!cards->looker && looker_new(cards->root, &cards->looker) < 0)
		return -ENOMEM;
	return looker_counts(cards->looker, ret_snapshot, ret_claims, ret_count);
}

size_t cards_counts(struct cards *cards, const struct claim **ret_claims,
		    const struct snapshot **ret_snapshot)
{
	int64_t now = clock_now(CLOCK_MONOTONIC);

	if (!cards->claims_ns || now - cards->claims_ns > COUNTS_KEPT) {
		struct snapshot *snapshot = NULL;
		struct claim *claims = NULL;
		size_t count = 0;

		if (counts_ask(cards, &snapshot, &claims, &count) < 0)
			count = 0; /* what cannot be had now is not told of */
		snapshot_free(cards->claimed);
		free(cards->claims);
		cards->claimed = snapshot;
		cards->claims = claims;
		cards->n_claims = count;
		cards->claims_ns = now;
	}
	*ret_claims = cards->claims;
	*ret_snapshot = cards->claimed;
	return cards->n_claims;
}
