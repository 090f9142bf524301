/* Each device: does it answer, does its firmware run, is it too hot, is its link degraded? */
#include "doctor/doctor.h"

#include "doctor/port.h"

#include <stdio.h>
#include <string.h>

#define DRIVER_FOLDER "/sys/bus/pci/drivers/tenstorrent/"

static const char *board_name(const struct device *dev)
{
	return device_knows(dev, DEV_BOARD) ? dev->board : "unknown board";
}

/* ---- a device without readings ---- */

/*
 * The driver looks for a Blackhole's telemetry once, while it binds: what firmware publishes
 * later stays unknown until the driver is bound again.
 */
static void advise_binding(const struct device *dev, struct report *report)
{
	const char *bdf = device_knows(dev, DEV_BDF) ? dev->bdf : "PCI-ADDRESS";

	if (dev->processes)
		report_fix(report,
			   "stop the processes that have device %s open: the next command "
			   "removes it from them",
			   dev->id);
	report_fix(report,
		   "echo %s | sudo tee " DRIVER_FOLDER "unbind && echo %s | sudo tee " DRIVER_FOLDER
		   "bind",
		   bdf, bdf);
	report_fix(report,
		   "if that does not help: reset the card (tt-smi -r %u), then the same "
		   "command again",
		   dev->index);
}

static void examine_telemetry(const struct device *dev, struct report *report)
{
	if (dev->why[DEV_AICLK] == DENIED || dev->why[DEV_TEMPERATURE] == DENIED) {
		report_add(report, LEVEL_WARN, "%s: %s: no permission to read its files", dev->id,
			   board_name(dev));
		report_fix(report, "sudo tt_smi doctor");
	} else if (dev->arch == ARCH_BLACKHOLE) {
		report_add(report, LEVEL_WARN,
			   "%s: %s: no readings: firmware had not published any when the driver "
			   "was bound to the card, and the driver looks only then",
			   dev->id, board_name(dev));
		advise_binding(dev, report);
	} else {
		report_add(report, LEVEL_WARN,
			   "%s: %s: no readings: firmware has not published any", dev->id,
			   board_name(dev));
		report_fix(report,
			   "wait: the driver looks for them every second, until two minutes "
			   "after it was loaded or the card was reset");
		report_fix(report, "if none appear, the firmware is too old: flash a newer one "
				   "(tt-flash), then reset the card");
	}
}

static void advise_reset(const struct device *dev, struct report *report)
{
	report_fix(report,
		   "reset the card (tt-smi -r %u); if that does not help, power the machine off "
		   "and on",
		   dev->index);
}

static void advise_driver(const struct device *dev, bool loaded, struct report *report)
{
	if (!loaded)
		return; /* examine_driver() reports it once for all cards */
	if (dev->arch == ARCH_GRAYSKULL)
		report_fix(report, "drivers since 2.2 do not serve Grayskull cards");
	else
		report_fix(report,
			   "echo %s | sudo tee " DRIVER_FOLDER "bind; sudo dmesg says why if "
			   "that fails",
			   dev->bdf);
}

static void examine_silent(const struct device *dev, bool loaded, struct report *report)
{
	switch (dev->state) {
	case DEVICE_UNREADABLE:
		report_add(report, LEVEL_NOTE,
			   "%s: %s: reached through another chip, without PCIe: no readings",
			   dev->id, board_name(dev));
		break;
	case DEVICE_NO_TELEMETRY: examine_telemetry(dev, report); break;
	case DEVICE_RESETTING:
		report_add(report, LEVEL_WARN, "%s: %s: resetting", dev->id, board_name(dev));
		report_fix(report, "wait; if it does not end, the reset was never completed: reset "
				   "the card again");
		break;
	case DEVICE_NO_DRIVER:
		report_add(report, LEVEL_FAIL, "%s: %s: on the bus, but no driver is bound to it",
			   dev->id, board_name(dev));
		advise_driver(dev, loaded, report);
		break;
	case DEVICE_OTHER_DRIVER:
		report_add(report, LEVEL_NOTE, "%s: %s: %s, so Tenstorrent's driver cannot use it",
			   dev->id, board_name(dev), dev->health);
		report_fix(report,
			   "unless a virtual machine uses it: echo %s | sudo tee "
			   "/sys/bus/pci/devices/%s/driver/unbind, then echo %s | sudo "
			   "tee " DRIVER_FOLDER "bind",
			   dev->bdf, dev->bdf, dev->bdf);
		break;
	case DEVICE_OK:
	case DEVICE_TIMED_OUT:
	case DEVICE_NOT_ANSWERING:
	case DEVICE_LOST:
		report_add(report, LEVEL_FAIL, "%s: %s: %s", dev->id, board_name(dev),
			   device_knows(dev, DEV_STATE) ? device_state_names[dev->state]
							: "not working");
		advise_reset(dev, report);
		break;
	}
}

/* ---- a device that answers ---- */

static void advise_cooling(struct report *report)
{
	report_fix(report, "check fans, air flow and dust; lower the load until it is cooler");
}

static void examine_readings(const struct device *dev, unsigned troubles, struct report *report)
{
	if (troubles & TROUBLE_STALLED) {
		report_add(report, LEVEL_FAIL,
			   "%s: %s: firmware hangs: its heartbeat has stopped, so all readings "
			   "are outdated",
			   dev->id, board_name(dev));
		advise_reset(dev, report);
	} else if (troubles & TROUBLE_HOT) {
		report_add(report, LEVEL_FAIL,
			   "%s: %s: too hot: %.1f C, with a limit of %.1f C; firmware slows the "
			   "chip down and may switch it off",
			   dev->id, board_name(dev), dev->temperature, dev->temperature_limit);
		advise_cooling(report);
	}
	if (troubles & TROUBLE_TRIPPED) {
		report_add(report, LEVEL_WARN,
			   "%s: %s: %u thermal shutdown%s since the card was powered on", dev->id,
			   board_name(dev), dev->thermal_trips, dev->thermal_trips == 1 ? "" : "s");
		advise_cooling(report);
		report_fix(report, "the count starts at 0 again after a power cycle");
	}
}

/* Monitors keep devices open all day and cause no traffic. */
static bool is_idle(const struct snapshot *snapshot, const struct device *dev)
{
	size_t at = (size_t)(dev - snapshot->devices);

	if (!device_knows(dev, DEV_PROCESSES) || dev->unseen_holders)
		return false;
	for (size_t i = 0; i < snapshot->n_processes; i++)
		if (snapshot->processes[i].role != ROLE_MONITOR &&
		    process_find_usage(&snapshot->processes[i], at))
			return false;
	return true;
}

/* "generation 4 x16", without what is not known. */
static void put_link(struct buf *out, const struct pcie_link *link)
{
	if (link->gen)
		buf_printf(out, " generation %u", link->gen);
	if (link->width)
		buf_printf(out, " x%u", link->width);
}

static void report_link(const struct device *dev, const struct pcie_link *trained,
			const struct pcie_link *expected, bool saving, struct report *report)
{
	CLEANUP_BUF struct buf text = { 0 };

	buf_puts(&text, "PCIe link at");
	put_link(&text, trained);
	buf_puts(&text, ", card and slot support");
	put_link(&text, expected);
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
	const struct pcie_link port = port_capability(context->root, dev);
	const struct pcie_link expected = pcie_link_expected(dev, &port);
	const struct pcie_link trained = pcie_link_trained(dev);
	bool slow = trained.gen && trained.gen < expected.gen;
	bool narrow = trained.width && trained.width < expected.width;
	/* Some Wormhole firmware slows the link of a card that no program uses. */
	bool saving = !narrow && dev->arch == ARCH_WORMHOLE && is_idle(context->snapshot, dev);

	if (slow || narrow)
		report_link(dev, &trained, &expected, saving, report);
}

static void examine_answering(const struct doctor_context *context, const struct device *dev,
			      struct report *report)
{
	unsigned troubles = device_troubles(dev);
	size_t before = report->count;

	examine_readings(dev, troubles, report);
	examine_link(context, dev, report);
	for (size_t i = before; i < report->count; i++)
		if (report->findings[i].level >= LEVEL_WARN)
			return;
	report_add(report, LEVEL_OK, "%s: %s, firmware %s%s", dev->id, board_name(dev),
		   device_knows(dev, DEV_FW_BUNDLE) ? dev->fw_bundle : "not known",
		   troubles & TROUBLE_POWER ? "; at its power limit, as under full load" : "");
}

/* ---- all devices ---- */

/* Devices whose heartbeat is unknown, grouped by reason. */
static void examine_heartbeats(const struct snapshot *snapshot, struct report *report)
{
	for (unsigned why = KNOWN + 1; why < REASON_N; why++) {
		CLEANUP_BUF struct buf ids = { 0 };

		for (size_t i = 0; i < snapshot->n_devices; i++) {
			const struct device *dev = &snapshot->devices[i];

			if (dev->state == DEVICE_OK && dev->why[DEV_ALIVE] == why)
				buf_printf(&ids, "%s%s", ids.length ? ", " : "", dev->id);
		}
		if (ids.length)
			report_add(report, LEVEL_NOTE,
				   "unknown whether firmware runs on %s (heartbeat: %s)",
				   buf_text(&ids),
				   snapshot->recorded
					   ? "it takes two samples, and a recording has one"
					   : reason_text(why));
	}
}

/* Cards of one board type that do not run the same firmware. */
static void compare_firmware(const struct snapshot *snapshot, struct report *report)
{
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		const struct device *dev = &snapshot->devices[i];
		bool earlier = false;

		for (size_t k = 0; k < i && !earlier; k++) {
			const struct device *other = &snapshot->devices[k];

			if (!device_knows(dev, DEV_FW_BUNDLE) ||
			    !device_knows(other, DEV_FW_BUNDLE) || dev->type != other->type ||
			    strcmp(dev->fw_bundle, other->fw_bundle) == 0)
				continue;
			earlier = true;
			report_add(
				report, LEVEL_WARN,
				"%s and %s are the same kind of board, but run firmware %s and %s",
				other->id, dev->id, other->fw_bundle, dev->fw_bundle);
			report_fix(report, "flash the same version on both (tt-flash)");
		}
	}
}

void examine_devices(const struct doctor_context *context, struct report *report)
{
	const struct snapshot *snapshot = context->snapshot;

	for (size_t i = 0; i < snapshot->n_devices; i++) {
		const struct device *dev = &snapshot->devices[i];

		if (dev->state == DEVICE_OK)
			examine_answering(context, dev, report);
		else
			examine_silent(dev, snapshot->driver_loaded, report);
	}
	examine_heartbeats(snapshot, report);
	compare_firmware(snapshot, report);
}
