/*
 * Examines the PCIe link of a device, the errors that both ends of it have counted, and the
 * addresses of its memory. The kernel keeps all of this, so that no chip is accessed.
 */
#include "doctor/doctor.h"

#include "model/pcie_link.h"

#include <stdio.h>
#include <string.h>

/* " generation 4 x16"; unknown parts are omitted. */
static void put_link(struct buf *out, const struct device *dev, enum device_field gen_field,
		     uint32_t gen, enum device_field width_field, uint32_t width)
{
	if (device_knows(dev, gen_field))
		buf_printf(out, " generation %u", gen);
	if (device_knows(dev, width_field))
		buf_printf(out, " x%u", width);
}

static void report_link(const struct device *dev, bool saving, struct report *report)
{
	CLEANUP_BUF struct buf text = { 0 };

	buf_puts(&text, "PCIe link at");
	put_link(&text, dev, DEV_LINK_GEN, dev->link_gen, DEV_LINK_WIDTH, dev->link_width);
	buf_puts(&text, ", card and slot support");
	put_link(&text, dev, DEV_LINK_GEN_EXPECTED, dev->link_gen_expected, DEV_LINK_WIDTH_EXPECTED,
		 dev->link_width_expected);
	if (saving) {
		report_add(report, LEVEL_NOTE,
			   "%s: %s: %s; some Wormhole firmware slows the link of an idle card",
			   dev->id, board_name(dev), buf_text(&text));
		report_fix(report, "run tt_smi doctor again while a program uses the card");
	} else {
		report_add(report, LEVEL_WARN, "%s: %s: %s", dev->id, board_name(dev),
			   buf_text(&text));
		report_fix(report,
			   "reset the card (tt-smi -r %u); if that does not help, power the "
			   "machine off, reseat the card, check slot and riser",
			   dev->index);
	}
	report->failed |= text.failed;
}

static void examine_link(const struct doctor_context *context, const struct device *dev,
			 struct report *report)
{
	bool slow = pcie_link_is_slow(dev), narrow = pcie_link_is_narrow(dev);
	/* Some Wormhole firmware slows the link of a card that no program uses. */
	bool saving =
		!narrow && dev->arch == ARCH_WORMHOLE && device_is_idle(context->snapshot, dev);

	if (slow || narrow)
		report_link(dev, saving, report);
}

/* ---- errors ---- */

static const struct {
	enum device_field field;
	enum alarm alarm;
	bool upstream;
	const char *kind;
	const char *name; /* of the measured value */
} counters[] = {
	{ DEV_ERRORS_FATAL, ALARM_FATAL, false, "fatal", "fatal errors" },
	{ DEV_ERRORS_NONFATAL, ALARM_NONFATAL, false, "nonfatal", "nonfatal errors" },
	{ DEV_ERRORS_CORRECTABLE, ALARM_CORRECTABLE, false, "correctable", "correctable errors" },
	{ DEV_UPSTREAM_FATAL, ALARM_FATAL, true, "fatal", "upstream fatal errors" },
	{ DEV_UPSTREAM_NONFATAL, ALARM_NONFATAL, true, "nonfatal", "upstream nonfatal errors" },
	{ DEV_UPSTREAM_CORRECTABLE, ALARM_CORRECTABLE, true, "correctable",
	  "upstream correctable errors" },
};

static void report_errors(const struct device *dev, size_t counter, double count, enum level level,
			  struct report *report)
{
	if (counters[counter].upstream)
		report_add(report, level,
			   "%s: %s: %.0f %s PCIe error%s since boot at the port above it (%s)",
			   dev->id, board_name(dev), count, counters[counter].kind,
			   count == 1 ? "" : "s",
			   device_knows(dev, DEV_UPSTREAM) ? dev->upstream.bdf : "address unknown");
	else
		report_add(report, level, "%s: %s: %.0f %s PCIe error%s since boot", dev->id,
			   board_name(dev), count, counters[counter].kind, count == 1 ? "" : "s");
	report_fix(report, "if the number grows: power the machine off, reseat the card, check "
			   "slot, riser and cables; it starts at 0 again at boot");
}

static void examine_errors(const struct alarms *alarms, const struct device *dev,
			   struct report *report)
{
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++) {
		struct value value;
		enum level level;

		field_get(&device_fields, counters[i].field, dev, &value);
		if (value.why != KNOWN)
			continue;
		level = report_measure(report,
				       &(struct measure){
					       .name = counters[i].name,
					       .unit = "c",
					       .value = value.number,
					       .warning = alarms->warning[counters[i].alarm],
					       .critical = alarms->critical[counters[i].alarm],
				       });
		if (level >= LEVEL_WARN)
			report_errors(dev, i, value.number, level, report);
	}
}

/* ---- BARs ---- */

/* From linux/ioport.h. */
enum { IORESOURCE_MEM = 0x200, IORESOURCE_UNSET = 0x20000000 };

/* The driver maps the BARs 0, 2 and 4 of every chip. */
static void examine_bars(const struct root *root, const struct device *dev, struct report *report)
{
	char path[96], text[2048], *rest = text, *line;

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/resource", dev->bdf);
	if (!device_knows(dev, DEV_BDF) || root_read(root, path, text, sizeof(text)) <= 0)
		return;
	for (unsigned bar = 0; bar <= 4 && (line = strsep(&rest, "\n")); bar++) {
		unsigned long long start, end, flags;

		if (bar % 2 || sscanf(line, "%llx %llx %llx", &start, &end, &flags) != 3)
			continue;
		if (start && flags & IORESOURCE_MEM && !(flags & IORESOURCE_UNSET))
			continue;
		report_add(report, LEVEL_FAIL, "%s: %s: no address is assigned to its BAR %u",
			   dev->id, board_name(dev), bar);
		report_fix(report, "enable \"Above 4G Decoding\" and resizable BARs in the "
				   "firmware setup, or boot with pci=realloc");
		return; /* the others have the same cause */
	}
}

void examine_pcie(const struct doctor_context *context, const struct device *dev,
		  struct report *report)
{
	if (dev->remote)
		return;
	if (dev->state == DEVICE_OK)
		examine_link(context, dev, report);
	examine_errors(&context->alarms, dev, report);
	if (context->root && report_covers(report, AREA_PCIE))
		examine_bars(context->root, dev, report);
}
