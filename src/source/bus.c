#include "source/bus.h"

#include "basic/clock.h"
#include "basic/parse.h"
#include "basic/text.h"
#include "source/attribute.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES "sys/bus/pci/devices/"

/*
 * The interval at which the link of a served card is read. A card that leaves the driver is noticed
 * at once.
 */
static const int64_t period_ns = 4900 * NS_PER_MS;

struct bus_scan {
	const struct root *root;
	size_t n_served;      /* cards with a class device */
	struct buf functions; /* cards of the vendor in /proc/bus/pci/devices, unsigned */
	size_t n_bound;	      /* of them, bound to the driver */
	bool listed;	      /* the file exists */
	struct device *found;
	size_t n_found;
	int error;
};

/* ---- the kernel's list of all functions ---- */

/*
 * "0100\t1e52401e\t…\tdriver": one file instead of one per function of the machine, of which there
 * are hundreds. It has no domain, so the functions that it lists are looked up in sysfs.
 */
static void scan_line(struct bus_scan *scan, const char *line)
{
	enum { ID_AT = 5, ID_END = 13 };
	static const char vendor[] = "1e52"; /* DEVICE_VENDOR; most lines have others */
	const char *driver;
	unsigned function;
	char *end;

	if (strnlen(line, ID_AT) < ID_AT || strncmp(line + ID_AT, vendor, strlen(vendor)) != 0)
		return;
	function = (unsigned)strtoul(line, &end, 16);
	if (end != line + ID_AT - 1 || *end != '\t' ||
	    strtoul(line + ID_AT, &end, 16) >> 16 != DEVICE_VENDOR || end != line + ID_END)
		return;
	driver = strrchr(line, '\t');
	buf_add(&scan->functions, &function, sizeof(function));
	scan->n_bound += driver && strcmp(driver + 1, "tenstorrent") == 0;
}

/* The usual case: every listed card is bound to the driver, which serves as many. */
static bool all_are_served(const struct bus_scan *scan)
{
	size_t listed = scan->functions.length / sizeof(unsigned);

	return scan->listed && scan->n_bound == listed && scan->n_served == listed;
}

static void scan_list(struct bus_scan *scan)
{
	CLEANUP_BUF struct buf text = { 0 };
	char *line, *next;

	if (root_read_all(scan->root, "proc/bus/pci/devices", 4 << 20, &text) < 0)
		return;
	scan->listed = true;
	for (line = text.data; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		scan_line(scan, line);
	}
}

static bool is_listed(const struct bus_scan *scan, const char *bdf)
{
	const unsigned *functions = (const unsigned *)(const void *)scan->functions.data;
	unsigned domain, bus, slot, function;

	if (sscanf(bdf, "%8x:%2x:%2x.%1x", &domain, &bus, &slot, &function) != 4)
		return false;
	for (size_t i = 0; i < scan->functions.length / sizeof(*functions); i++)
		if (functions[i] == (bus << 8 | slot << 3 | function))
			return true;
	return false;
}

/* ---- one function ---- */

static bool read_hex(const struct root *root, const char *bdf, const char *file, uint64_t *ret)
{
	char path[96], text[32];

	snprintf(path, sizeof(path), DEVICES "%s/%s", bdf, file);
	if (root_read(root, path, text, sizeof(text)) < 0)
		return false;
	text[strcspn(text, "\n")] = '\0';
	return parse_hex_prefixed(text, ret) == 0;
}

/* Is it an accelerator? Boards without firmware have class 0, which only the driver corrects. */
static bool is_card(const struct root *root, const char *bdf)
{
	uint64_t vendor, class;

	return read_hex(root, bdf, "vendor", &vendor) && vendor == DEVICE_VENDOR &&
	       read_hex(root, bdf, "class", &class) && (class == 0 || class >> 16 == 0x12);
}

/* The driver that is bound to it. False: it is the Tenstorrent driver. */
static bool read_driver(const struct root *root, struct device *dev)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
	char path[96], link[256];
	const char *name;

	snprintf(path, sizeof(path), DEVICES "%s/driver", dev->bdf);
	if (root_readlink(root, path, link, sizeof(link)) <= 0) {
		dev->state = DEVICE_NO_DRIVER;
		return true;
	}
	name = strrchr(link, '/') ? strrchr(link, '/') + 1 : link;
	if (strlen(name) >= sizeof(dev->driver) || name[strspn(name, letters)])
		name = "another driver";
	text_copy(dev->driver, sizeof(dev->driver), name);
	dev->state = DEVICE_OTHER_DRIVER;
	return strcmp(name, "tenstorrent") != 0;
}

static void read_upstream(const struct root *root, struct device *dev)
{
	char path[96], link[256];

	snprintf(path, sizeof(path), DEVICES "%s", dev->bdf);
	if (root_readlink(root, path, link, sizeof(link)) > 0)
		dev->why[DEV_UPSTREAM] = (uint8_t)attribute_parse_upstream(
			link, dev->bdf, dev->upstream.bdf, sizeof(dev->upstream.bdf));
}

/* What the kernel keeps in memory. */
static void read_attributes(const struct root *root, struct device *dev)
{
	static const enum device_field fields[] = {
		DEV_PCI_VENDOR,		  DEV_PCI_DEVICE,	 DEV_PCI_SUBVENDOR,
		DEV_PCI_SUBDEVICE,	  DEV_PCI_REVISION,	 DEV_NUMA_NODE,
		DEV_ERRORS_CORRECTABLE,	  DEV_ERRORS_NONFATAL,	 DEV_ERRORS_FATAL,
		DEV_UPSTREAM_CORRECTABLE, DEV_UPSTREAM_NONFATAL, DEV_UPSTREAM_FATAL,
	};

	read_upstream(root, dev);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		const struct attribute *attribute = attribute_of(fields[i]);
		char path[96], text[ATTRIBUTE_TEXT_MAX];

		snprintf(path, sizeof(path), DEVICES "%s/%s%s", dev->bdf,
			 attribute_is_upstream(attribute) ? "../" : "", attribute->file);
		if (root_read(root, path, text, sizeof(text)) >= 0)
			attribute_parse(attribute, text, dev);
	}
	if (device_knows(dev, DEV_PCI_SUBDEVICE))
		dev->type = board_by_code(dev->pci_subdevice);
	device_name_board(dev);
}

static int visit_function(const char *name, void *arg)
{
	struct bus_scan *scan = arg;
	struct device dev, *grown;

	device_init(&dev, DEVICE_FIRST_UNSERVED);
	if (!attribute_parse_bdf(name, dev.bdf, sizeof(dev.bdf)) ||
	    (scan->listed && !is_listed(scan, dev.bdf)) || !read_driver(scan->root, &dev) ||
	    !is_card(scan->root, dev.bdf))
		return 0;
	dev.why[DEV_BDF] = KNOWN;
	snprintf(dev.id, sizeof(dev.id), "%s", dev.bdf);
	read_attributes(scan->root, &dev);
	grown = reallocarray(scan->found, scan->n_found + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	scan->found = grown;
	grown[scan->n_found++] = dev;
	return 0;
}

static int by_address(const void *a, const void *b)
{
	const struct device *x = a, *y = b;

	return strcmp(x->bdf, y->bdf);
}

/* The job. */
static void scan_run(void *arg)
{
	struct bus_scan *scan = arg;

	scan_list(scan);
	if (all_are_served(scan))
		return;
	scan->error = root_each(scan->root, DEVICES, visit_function, scan);
	if (scan->n_found)
		qsort(scan->found, scan->n_found, sizeof(*scan->found), by_address);
}

static struct bus_scan *scan_free(struct bus_scan *scan)
{
	if (!scan)
		return NULL;
	buf_done(&scan->functions);
	free(scan->found);
	free(scan);
	return NULL;
}

/* ---- */

struct bus *bus_new(const struct root *root)
{
	struct bus *bus = calloc(1, sizeof(*bus));

	if (bus)
		bus->root = root;
	return bus;
}

/* The memory used by a hanging job is not freed. */
struct bus *bus_free(struct bus *bus, struct worker_pool *workers)
{
	if (job_is_busy(workers, &bus->job))
		return NULL;
	scan_free(bus->scan);
	free(bus->cards);
	free(bus->seen);
	free(bus);
	return NULL;
}

struct job *bus_look(struct bus *bus, struct worker_pool *workers, size_t n_served, bool changed)
{
	int64_t now_ns = clock_now(CLOCK_MONOTONIC);

	if (job_is_busy(workers, &bus->job))
		return NULL;
	if (bus->looked_ns && !changed && now_ns - bus->looked_ns < period_ns)
		return NULL;
	scan_free(bus->scan);
	bus->scan = calloc(1, sizeof(*bus->scan));
	if (!bus->scan)
		return NULL;
	bus->scan->root = bus->root;
	bus->scan->n_served = n_served;
	bus->looked_ns = now_ns;
	bus->job = (struct job){ .run = scan_run, .arg = bus->scan };
	return &bus->job;
}

/* An address keeps its index in all samples. */
static int number(struct bus *bus, struct device *dev)
{
	char(*grown)[24];
	size_t at = 0;

	while (at < bus->n_seen && strcmp(bus->seen[at], dev->bdf) != 0)
		at++;
	if (at == bus->n_seen) {
		grown = reallocarray(bus->seen, bus->n_seen + 1, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		bus->seen = grown;
		memcpy(bus->seen[bus->n_seen++], dev->bdf, sizeof(dev->bdf));
	}
	dev->index = DEVICE_FIRST_UNSERVED + (uint32_t)at;
	return 0;
}

int bus_take(struct bus *bus, struct worker_pool *workers)
{
	struct bus_scan *scan = bus->scan;
	int r = 0;

	if (!scan || !job_is_done(workers, &bus->job))
		return 0;
	for (size_t i = 0; i < scan->n_found && r >= 0; i++)
		r = number(bus, &scan->found[i]);
	if (r < 0 || scan->error == -ENOMEM)
		return -ENOMEM;
	free(bus->cards);
	bus->cards = TAKE_PTR(scan->found);
	bus->n_cards = scan->n_found;
	bus->scan = scan_free(scan);
	return 0;
}

const struct device *bus_find(const struct bus *bus, const char *bdf)
{
	for (size_t i = 0; i < bus->n_cards; i++)
		if (strcmp(bus->cards[i].bdf, bdf) == 0)
			return &bus->cards[i];
	return NULL;
}
