#include "kmsg.h"

#include "basic/buf.h"

#include <string.h>

enum { LEVEL_ERR = 3, LEVEL_WARNING, LEVEL_INFO = 6, FACILITY_USER = 1 << 3 };

/*
 * The records of each name. In a text, @ is the address of the device, ~ the same without its
 * domain and ^ the address of the port above it.
 */
static const struct {
	const char *name;
	unsigned priority;
	const char *text;
} records[] = {
	{ "aer", LEVEL_ERR, "pcieport ^: AER: Uncorrected (Fatal) error received: @" },
	{ "aer", LEVEL_ERR,
	  "tenstorrent @: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer, "
	  "(Receiver ID)" },
	{ "aer-corrected", LEVEL_WARNING, "pcieport ^: AER: Corrected error received: @" },
	{ "driver", LEVEL_ERR, "tenstorrent @: chip does not answer, reset required" },
	{ "iommu", LEVEL_ERR,
	  "DMAR: [DMA Write NO_PASID] Request device [~] fault addr 0x3f000 [fault reason 0x05] "
	  "PTE Write access is not set" },
	{ "iommu-amd", LEVEL_ERR,
	  "tenstorrent @: AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x000f address=0x3f000 "
	  "flags=0x0020]" },
	{ "mce", LEVEL_WARNING, "mce: [Hardware Error]: Machine check events logged" },
	/* what a process wrote into the log: no fault of the machine */
	{ "forged", FACILITY_USER | LEVEL_ERR, "tenstorrent @: chip does not answer" },
};

bool kmsg_has(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(records); i++)
		if (strcmp(records[i].name, name) == 0)
			return true;
	return false;
}

struct kernel_log {
	struct buf text;
	unsigned sequence;
};

static void begin_record(struct kernel_log *log, unsigned priority)
{
	buf_printf(&log->text, "%u,%u,%llu,-;", priority, log->sequence,
		   1000000ull + 125000ull * log->sequence);
	log->sequence++;
}

static void put_text(struct buf *out, const struct sim_device *d, const char *text)
{
	for (; *text; text++) {
		if (*text == '@')
			buf_puts(out, d->bdf);
		else if (*text == '~')
			buf_puts(out, strchr(d->bdf, ':') + 1);
		else if (*text == '^')
			buf_printf(out, "0000:%02x:%02x.%x", d->slot.root_bus, d->slot.port >> 3,
				   d->slot.port & 7);
		else
			buf_putc(out, *text);
	}
	buf_putc(out, '\n');
}

static void add_fault(struct kernel_log *log, const struct sim_device *d, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(records); i++) {
		if (strcmp(records[i].name, name) != 0)
			continue;
		begin_record(log, records[i].priority);
		put_text(&log->text, d, records[i].text);
		buf_printf(&log->text, " SUBSYSTEM=pci\n DEVICE=+pci:%s\n", d->bdf);
	}
}

void kmsg_write(struct machine *m)
{
	struct kernel_log log = { 0 };

	begin_record(&log, LEVEL_INFO);
	buf_puts(&log.text, "Linux version 6.1.0\n");
	for (size_t i = 0; i < m->device_count; i++) {
		const struct sim_device *d = &m->devices[i];

		begin_record(&log, LEVEL_INFO);
		buf_printf(&log.text, "pci %s: [1e52:%s] type 00 class 0x120000\n", d->bdf,
			   d->slot.board->arch == WORMHOLE ? "401e" : "b140");
	}
	for (size_t i = 0; i < m->opt.fault_count; i++) {
		const struct fault *f = &m->opt.faults[i];

		if (f->kind == FAULT_LOG)
			add_fault(&log, machine_device(m, f->number), f->text);
	}
	tree_text(&m->root, 0644, buf_text(&log.text), "dev/kmsg");
	buf_done(&log.text);
}
