#include "pci.h"

#include "basic/buf.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#define VENDOR	    0x1e52u
#define CONFIG_SIZE 64
#define UNSET	    0x20000000u /* IORESOURCE_UNSET: no address is assigned */

static const char *const correctable[] = {
	"RxErr",   "BadTLP",	  "BadDLLP",	"Rollover",
	"Timeout", "NonFatalErr", "CorrIntErr", "HeaderOF",
};

static const char *const uncorrectable[] = {
	"Undefined",
	"DLP",
	"SDES",
	"TLP",
	"FCP",
	"CmpltTO",
	"CmpltAbrt",
	"UnxCmplt",
	"RxOF",
	"MalfTLP",
	"ECRC",
	"UnsupReq",
	"ACSViol",
	"UncorrIntErr",
	"BlockedTLP",
	"AtomicOpBlocked",
	"TLPBlockedErr",
	"PoisonTLPBlocked",
	"DMWrReqBlocked",
	"IDECheck",
	"MisIDETLP",
	"PCRC_CHECK",
	"TLPXlatBlocked",
};

static const unsigned device_ids[] = { [WORMHOLE] = 0x401e, [BLACKHOLE] = 0xb140 };

/* Start, end and flags of the BARs, as `resource` prints them. */
static const uint64_t bars[2][3][3] = {
	[WORMHOLE] = { { 0x100000000, 0x11fffffff, 0x14220c },
		       { 0x80000000, 0x800fffff, 0x140204 },
		       { 0x120000000, 0x121ffffff, 0x14220c } },
	[BLACKHOLE] = { { 0x400000000, 0x41fffffff, 0x14220c },
			{ 0x420000000, 0x4200fffff, 0x14220c },
			{ 0x800000000, 0xfffffffff, 0x14220c } },
};

#define PORT "upstream." /* before the names of the port's files in faults */

typedef void (*file_adder)(const struct machine *m, struct tree *sys, const struct sim_device *d,
			   mode_t mode, const char *name, const char *text);

/* Its text, as the faults for this name require. NULL: it is missing. */
static const char *apply_faults(const struct machine *m, const struct sim_device *d,
				const char *name, const char *text, char line[static 80])
{
	const struct fault *set = machine_fault(m, d, FAULT_SET, name);

	if (machine_fault(m, d, FAULT_MISSING, name))
		return NULL;
	if (!set)
		return text;
	snprintf(line, 80, "%s\n", set->text);
	return line;
}

static void add(const struct machine *m, struct tree *sys, const struct sim_device *d, mode_t mode,
		const char *name, const char *text)
{
	char line[80];

	text = apply_faults(m, d, name, text, line);
	if (text)
		tree_text(sys, mode, text, "%s/%s", d->directory, name);
}

static void add_to_port(const struct machine *m, struct tree *sys, const struct sim_device *d,
			mode_t mode, const char *name, const char *text)
{
	int length = (int)(strrchr(d->directory, '/') - d->directory);
	char line[80], fault_name[64];

	snprintf(fault_name, sizeof(fault_name), PORT "%s", name);
	text = apply_faults(m, d, fault_name, text, line);
	if (text)
		tree_text(sys, mode, text, "%.*s/%s", length, d->directory, name);
}

static void add_hex(const struct machine *m, struct tree *sys, const struct sim_device *d,
		    const char *name, int digits, unsigned value)
{
	char text[16];

	snprintf(text, sizeof(text), "0x%0*x\n", digits, value);
	add(m, sys, d, 0444, name, text);
}

/* All errors are of the first kind. */
static void put_errors(struct buf *out, const char *const *errors, size_t count, const char *total,
		       uint32_t amount)
{
	for (size_t i = 0; i < count; i++)
		buf_printf(out, "%s %u\n", errors[i], i == 0 ? amount : 0);
	buf_printf(out, "%s %u\n", total, amount);
}

/* The counters of the device, or of the port above it: then the names in faults have a prefix. */
static void add_errors(const struct machine *m, struct tree *sys, const struct sim_device *d,
		       const char *prefix, file_adder add_file)
{
	static const struct {
		const char *name;
		const char *const *errors;
		size_t count;
		const char *total;
	} files[] = {
		{ "aer_dev_correctable", correctable, ARRAY_SIZE(correctable), "TOTAL_ERR_COR" },
		{ "aer_dev_fatal", uncorrectable, ARRAY_SIZE(uncorrectable), "TOTAL_ERR_FATAL" },
		{ "aer_dev_nonfatal", uncorrectable, ARRAY_SIZE(uncorrectable),
		  "TOTAL_ERR_NONFATAL" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		CLEANUP_BUF struct buf text = { 0 };
		const struct fault *fault;
		char name[64];

		snprintf(name, sizeof(name), "%s%s", prefix, files[i].name);
		fault = machine_fault(m, d, FAULT_ERRORS, name);
		put_errors(&text, files[i].errors, files[i].count, files[i].total,
			   fault ? fault->amount : 0);
		add_file(m, sys, d, 0444, files[i].name, buf_text(&text));
	}
}

static void add_resource(const struct machine *m, struct tree *sys, const struct sim_device *d)
{
	CLEANUP_BUF struct buf text = { 0 };
	bool unassigned = machine_fault(m, d, FAULT_BARS, NULL);
	uint64_t where = (uint64_t)d->slot.bus << 40; /* unique addresses for each device */

	for (unsigned i = 0; i < 13; i++) {
		const uint64_t *bar = bars[d->slot.board->arch][i / 2 % 3];
		uint64_t start = bar[0] | where, end = bar[1] | where, flags = bar[2];

		if (i >= 6 || i % 2) {
			start = end = flags = 0;
		} else if (unassigned) {
			start = 0;
			end = bar[1] - bar[0];
			flags |= UNSET;
		}
		buf_printf(&text, "0x%016llx 0x%016llx 0x%016llx\n", (unsigned long long)start,
			   (unsigned long long)end, (unsigned long long)flags);
	}
	add(m, sys, d, 0444, "resource", buf_text(&text));
}

/* The first 64 bytes of configuration space, which all users may read. */
static void fill_config(const struct sim_device *d, unsigned char c[static CONFIG_SIZE])
{
	const struct sim_board *b = d->slot.board;
	unsigned id = device_ids[b->arch];
	const unsigned char healthy[CONFIG_SIZE] = {
		0x52,
		0x1e,
		id & 0xff,
		id >> 8,
		0x46,
		0x05,
		0x10,
		0x00,
		b->arch == WORMHOLE,
		0,
		0,
		0x12,
		[0x2c] = 0x52,
		0x1e,
		b->code & 0xff,
		b->code >> 8,
		[0x34] = 0x40,
		[0x3d] = 1,
	};

	memcpy(c, healthy, CONFIG_SIZE);
	if (d->off_bus || d->in_reset)
		memset(c, 0xff, CONFIG_SIZE);
}

static void add_config(const struct machine *m, struct tree *sys, const struct sim_device *d)
{
	unsigned char c[CONFIG_SIZE];
	char path[128];
	int fd;

	if (machine_fault(m, d, FAULT_MISSING, "config"))
		return;
	fill_config(d, c);
	snprintf(path, sizeof(path), "%s/config", d->directory);
	fd = tree_file(sys, 0644, c, sizeof(c), path);
	if (fd >= 0)
		close(fd);
}

void pci_update_config(struct tree *sys, const struct sim_device *d)
{
	CLEANUP_CLOSE int fd = -1;
	unsigned char c[CONFIG_SIZE];
	char path[128];

	fill_config(d, c);
	snprintf(path, sizeof(path), "%s/config", d->directory);
	fd = openat(sys->fd, path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd >= 0)
		(void)!pwrite(fd, c, sizeof(c), 0);
}

static void make_alias(const struct sim_device *d, char *text, size_t size)
{
	snprintf(text, size, "pci:v%08Xd%08Xsv%08Xsd%08Xbc12sc00i00\n", VENDOR,
		 device_ids[d->slot.board->arch], VENDOR, d->slot.board->code);
}

void pci_update_driver(const struct machine *m, struct tree *sys, const struct sim_device *d)
{
	const struct sim_board *b = d->slot.board;
	char alias[80], event[256], target[64];

	make_alias(d, alias, sizeof(alias));
	snprintf(event, sizeof(event),
		 "%s%s%sPCI_CLASS=120000\nPCI_ID=%04X:%04X\nPCI_SUBSYS_ID=%04X:%04X\n"
		 "PCI_SLOT_NAME=%s\nMODALIAS=%s",
		 d->driver ? "DRIVER=" : "", d->driver ? d->driver : "", d->driver ? "\n" : "",
		 VENDOR, device_ids[b->arch], VENDOR, b->code, d->bdf, alias);
	tree_removef(sys, "%s/uevent", d->directory);
	tree_removef(sys, "%s/driver", d->directory);
	add(m, sys, d, 0644, "uevent", event);
	if (!d->driver)
		return;
	snprintf(target, sizeof(target), "../../../../bus/pci/drivers/%s", d->driver);
	tree_link(sys, target, "%s/driver", d->directory);
}

static void add_names(const struct machine *m, struct tree *sys, const struct sim_device *d)
{
	const struct sim_board *b = d->slot.board;
	unsigned id = device_ids[b->arch];
	char alias[80];

	make_alias(d, alias, sizeof(alias));
	add(m, sys, d, 0444, "modalias", alias);
	add_hex(m, sys, d, "vendor", 4, VENDOR);
	add_hex(m, sys, d, "device", 4, id);
	add_hex(m, sys, d, "subsystem_vendor", 4, VENDOR);
	add_hex(m, sys, d, "subsystem_device", 4, b->code);
	add_hex(m, sys, d, "class", 6, 0x120000);
	add_hex(m, sys, d, "revision", 2, b->arch == WORMHOLE ? 1 : 0);
}

void pci_add_device(const struct machine *m, struct tree *sys, const struct sim_device *d)
{
	static const struct {
		const char *name, *text;
		mode_t mode;
	} plain[] = {
		{ "ari_enabled", "0\n", 0444 },	   { "broken_parity_status", "0\n", 0644 },
		{ "dma_mask_bits", "58\n", 0444 }, { "driver_override", "(null)\n", 0644 },
		{ "enable", "1\n", 0644 },	   { "local_cpulist", "0-1\n", 0444 },
		{ "local_cpus", "3\n", 0444 },	   { "msi_bus", "1\n", 0644 },
		{ "numa_node", "-1\n", 0644 },	   { "power_state", "D0\n", 0444 },
		{ "reset_method", "bus\n", 0644 },
	};
	char irq[16];

	for (size_t i = 0; i < ARRAY_SIZE(plain); i++)
		add(m, sys, d, plain[i].mode, plain[i].name, plain[i].text);
	snprintf(irq, sizeof(irq), "%u\n", 53 + d->slot.logical);
	add(m, sys, d, 0444, "irq", irq);
	add(m, sys, d, 0444, "consistent_dma_mask_bits",
	    d->slot.board->arch == WORMHOLE ? "32\n" : "58\n");
	add_names(m, sys, d);
	add_errors(m, sys, d, "", add);
	add_resource(m, sys, d);
	add_config(m, sys, d);
	tree_link(sys, "../../../../bus/pci", "%s/subsystem", d->directory);
	pci_update_driver(m, sys, d);
}

/* One line: bus, device and function; ids; interrupt; seven addresses and sizes; the driver. */
static void put_list_line(struct buf *out, unsigned bus, unsigned function, unsigned vendor,
			  unsigned id, const char *driver)
{
	buf_printf(out, "%02x%02x\t%04x%04x\t0", bus, function, vendor, id);
	for (unsigned i = 0; i < 14; i++)
		buf_puts(out, "\t               0");
	buf_printf(out, "\t%s\n", driver ? driver : "");
}

void pci_write_list(const struct machine *m, struct tree *root)
{
	CLEANUP_BUF struct buf text = { 0 };

	for (size_t i = 0; i < m->device_count; i++) {
		const struct sim_device *d = &m->devices[i];

		put_list_line(&text, d->slot.root_bus, d->slot.port, 0x1b36, 0x000c, "pcieport");
		if (d->on_bus)
			put_list_line(&text, d->slot.bus, 0, VENDOR,
				      device_ids[d->slot.board->arch], d->driver);
	}
	tree_removef(root, "proc/bus/pci/devices");
	tree_text(root, 0444, buf_text(&text), "proc/bus/pci/devices");
}

void pci_add_port(const struct machine *m, struct tree *sys, const struct sim_device *d)
{
	static const char *const files[][2] = {
		{ "class", "0x060400\n" },
		{ "vendor", "0x1b36\n" },
		{ "device", "0x000c\n" },
		{ "current_link_width", "16\n" },
		{ "current_link_speed", "32.0 GT/s PCIe\n" },
		{ "max_link_width", "16\n" },
		{ "max_link_speed", "32.0 GT/s PCIe\n" },
	};
	char event[256];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		add_to_port(m, sys, d, 0444, files[i][0], files[i][1]);
	add_errors(m, sys, d, PORT, add_to_port);
	snprintf(event, sizeof(event),
		 "DRIVER=pcieport\nPCI_CLASS=60400\nPCI_ID=1B36:000C\nPCI_SUBSYS_ID=0000:0000\n"
		 "PCI_SLOT_NAME=0000:%02x:%02x.%x\n"
		 "MODALIAS=pci:v00001B36d0000000Csv00000000sd00000000bc06sc04i00\n",
		 d->slot.root_bus, d->slot.port >> 3, d->slot.port & 7);
	add_to_port(m, sys, d, 0644, "uevent", event);
}

void pci_add_power(const struct machine *m, struct tree *sys, const struct sim_device *d,
		   const char *path)
{
	static const struct {
		const char *name, *text;
		mode_t mode;
	} files[] = {
		{ "async", "disabled\n", 0644 },
		{ "control", "auto\n", 0644 },
		{ "runtime_active_kids", "0\n", 0444 },
		{ "runtime_active_time", "0\n", 0444 },
		{ "runtime_enabled", "disabled\n", 0444 },
		{ "runtime_status", "unsupported\n", 0444 },
		{ "runtime_suspended_time", "0\n", 0444 },
		{ "runtime_usage", "0\n", 0444 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (!machine_fault(m, d, FAULT_MISSING, files[i].name))
			tree_text(sys, files[i].mode, files[i].text, "%s/power/%s", path,
				  files[i].name);
	/* Reading it fails even on a healthy device, which needs FUSE. */
	if (m->has_fuse)
		tree_text(sys, 0644, "", "%s/power/autosuspend_delay_ms", path);
}
