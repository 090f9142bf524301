/* Examines each device: can it be read, does its firmware run, is it too hot, is it dirty? */
#include "doctor/doctor.h"

#include "model/device_health.h"
#include "render/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DRIVER_FOLDER "/sys/bus/pci/drivers/tenstorrent/"

const char *board_name(const struct device *dev)
{
	return device_knows(dev, DEV_BOARD) ? dev->board : "unknown board";
}

/* ---- a device without readings ---- */

/*
 * The driver reads a Blackhole's telemetry table only once, while it binds: what the firmware
 * publishes later stays unknown until the driver is bound again.
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

static void examine_silent(const struct device *dev, struct report *report)
{
	switch (dev->state) {
	case DEVICE_UNREADABLE:
		report_add(report, LEVEL_NOTE,
			   "%s: %s: no PCIe interface, reached through another chip: no readings",
			   dev->id, board_name(dev));
		break;
	case DEVICE_NO_TELEMETRY: examine_telemetry(dev, report); break;
	case DEVICE_RESETTING:
		report_add(report, LEVEL_WARN, "%s: %s: resetting", dev->id, board_name(dev));
		report_fix(report, "wait; if it does not end, the reset was never completed: reset "
				   "the card again");
		break;
	case DEVICE_NO_DRIVER:
	case DEVICE_OTHER_DRIVER: break; /* examine_unserved() */
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

static void examine_heartbeat(const struct device *dev, struct report *report)
{
	report->area = AREA_FIRMWARE;
	if (!device_is_stalled(dev))
		return;
	report_add(
		report, LEVEL_FAIL,
		"%s: %s: firmware hangs: its heartbeat has stopped, so all readings are outdated",
		dev->id, board_name(dev));
	advise_reset(dev, report);
}

static void examine_temperature(const struct alarms *alarms, const struct device *dev,
				struct report *report)
{
	bool limited = device_knows(dev, DEV_TEMPERATURE_LIMIT);
	double limit = limited ? dev->temperature_limit : NAN;
	enum level level;

	report->area = AREA_TEMPERATURE;
	if (!device_knows(dev, DEV_TEMPERATURE))
		return;
	level = report_measure(report,
			       &(struct measure){
				       .name = "temperature",
				       .unit = "C",
				       .value = dev->temperature,
				       .warning = limit - alarms->warning[ALARM_TEMPERATURE],
				       .critical = limit - alarms->critical[ALARM_TEMPERATURE],
			       });
	if (level < LEVEL_WARN || device_is_stalled(dev))
		return;
	if (dev->temperature >= limit)
		report_add(report, level,
			   "%s: %s: too hot: %.1f C, with a limit of %.1f C; firmware slows the "
			   "chip down and may switch it off",
			   dev->id, board_name(dev), dev->temperature, limit);
	else
		report_add(report, level, "%s: %s: hot: %.1f C, close to its limit of %.1f C",
			   dev->id, board_name(dev), dev->temperature, limit);
	advise_cooling(report);
}

static void examine_trips(const struct alarms *alarms, const struct device *dev,
			  struct report *report)
{
	enum level level;

	report->area = AREA_TEMPERATURE;
	if (!device_knows(dev, DEV_THERMAL_TRIPS))
		return;
	level = report_measure(report, &(struct measure){
					       .name = "thermal trips",
					       .unit = "c",
					       .value = dev->thermal_trips,
					       .warning = alarms->warning[ALARM_TRIPS],
					       .critical = alarms->critical[ALARM_TRIPS],
				       });
	if (level < LEVEL_WARN)
		return;
	report_add(report, level, "%s: %s: %u thermal shutdown%s since the card was powered on",
		   dev->id, board_name(dev), dev->thermal_trips,
		   dev->thermal_trips == 1 ? "" : "s");
	advise_cooling(report);
	report_fix(report, "the count starts at 0 again after a power cycle");
}

/* At the limit firmware lowers the clock, as under full load; power well above it means that
 * firmware failed to. */
static void examine_power(const struct alarms *alarms, const struct device *dev,
			  struct report *report)
{
	double percent = device_knows(dev, DEV_POWER_LIMIT) ? dev->power_limit / 100 : NAN;
	enum level level;

	report->area = AREA_POWER;
	if (!device_knows(dev, DEV_POWER))
		return;
	level = report_measure(report, &(struct measure){
					       .name = "power",
					       .unit = "W",
					       .value = dev->power,
					       .warning = percent * alarms->warning[ALARM_POWER],
					       .critical = percent * alarms->critical[ALARM_POWER],
				       });
	if (level < LEVEL_WARN || device_is_stalled(dev))
		return;
	report_add(report, level, "%s: %s: draws %.0f W, with a limit of %.0f W", dev->id,
		   board_name(dev), dev->power, dev->power_limit);
	report_fix(report,
		   "lower the load; if it stays above the limit, reset the card (tt-smi -r %u)",
		   dev->index);
}

static void examine_answering(const struct doctor_context *context, const struct device *dev,
			      struct report *report)
{
	examine_heartbeat(dev, report);
	examine_temperature(&context->alarms, dev, report);
	examine_trips(&context->alarms, dev, report);
	examine_power(&context->alarms, dev, report);
}

/* ---- a device on which a job did not end by itself ---- */

static void examine_dirty(const struct device *dev, struct report *report)
{
	CLEANUP_BUF struct buf when = { 0 }, since = { 0 };

	report->area = AREA_DIRTY;
	if (!device_knows(dev, DEV_DIRTY_CAUSE))
		return;
	format_time(&when, dev->dirty_time);
	if (device_knows(dev, DEV_DIRTY))
		buf_puts(&since, "and it was not reset since");
	else
		buf_printf(&since, "and whether it was reset since is unknown (%s)",
			   reason_text(dev->why[DEV_DIRTY]));
	report_add(report, LEVEL_WARN,
		   "%s: %s: dirty: a job on it was killed or crashed at %s (%s), %s", dev->id,
		   board_name(dev), buf_text(&when), dev->dirty_cause, buf_text(&since));
	report_fix(report,
		   "reset the card (tt-smi -r %u) before the next job, which may be slow or hang",
		   dev->index);
}

/* ---- all devices ---- */

static bool is_answering(const struct device *dev)
{
	return dev->state == DEVICE_OK;
}

/* The ids of those devices of which this field is unknown for this reason. */
static void put_unknown(struct buf *ids, const struct snapshot *snapshot, enum device_field field,
			enum reason why, bool (*is_meant)(const struct device *dev))
{
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		const struct device *dev = &snapshot->devices[i];

		if (is_meant(dev) && dev->why[field] == why)
			buf_printf(ids, "%s%s", ids->length ? ", " : "", dev->id);
	}
}

/* Devices whose heartbeat is unknown, grouped by reason. */
static void examine_heartbeats(const struct snapshot *snapshot, struct report *report)
{
	report->area = AREA_FIRMWARE;
	for (unsigned why = KNOWN + 1; why < REASON_N; why++) {
		CLEANUP_BUF struct buf ids = { 0 };

		put_unknown(&ids, snapshot, DEV_ALIVE, why, is_answering);
		if (ids.length)
			report_add_unexamined(
				report, "unknown whether firmware runs on %s (heartbeat: %s)",
				buf_text(&ids),
				snapshot->recorded ? "it takes two samples, and a recording has one"
						   : reason_text(why));
	}
}

/*
 * Devices for which it is unknown how the jobs on them ended. Without a server that is normal, and
 * the area of the server reports it; it is reported here only if it was requested by name.
 */
static void examine_unknown_ends(const struct snapshot *snapshot, struct report *report)
{
	report->area = AREA_DIRTY;
	for (unsigned why = KNOWN + 1; why < REASON_N; why++) {
		CLEANUP_BUF struct buf ids = { 0 };

		/* Not applicable: no such job. */
		if (report->requested & AREA_BIT(AREA_DIRTY) && why != NOT_APPLICABLE)
			put_unknown(&ids, snapshot, DEV_DIRTY_CAUSE, why, device_has_node);
		if (!ids.length)
			continue;
		report_add_unexamined(report,
				      "unknown whether a job was killed or crashed on %s: %s",
				      buf_text(&ids), reason_text(why));
		if (why == NOT_OBSERVED)
			report_fix(report, "sudo tt_smi trace start, and reset the card: jobs are "
					   "observed from then on");
	}
}

/* Cards of one board type that do not run the same firmware. */
static void compare_firmware(const struct snapshot *snapshot, struct report *report)
{
	report->area = AREA_FIRMWARE;
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

/* A device without a warning has one line. */
static void report_fine(const struct device *dev, struct report *report)
{
	report->area = AREA_DEVICES;
	report_add(report, LEVEL_OK, "%s: %s, firmware %s%s", dev->id, board_name(dev),
		   device_knows(dev, DEV_FW_BUNDLE) ? dev->fw_bundle : "not known",
		   device_troubles(dev) & TROUBLE_POWER ? "; at its power limit, as under full load"
							: "");
}

static void examine_device(const struct doctor_context *context, const struct device *dev,
			   struct report *report)
{
	size_t before = report->count;
	enum level worst = LEVEL_OK;

	report->device = dev->id;
	report->area = AREA_DEVICES;
	if (dev->state == DEVICE_OK)
		examine_answering(context, dev, report);
	else
		examine_silent(dev, report);
	report->area = AREA_PCIE;
	examine_pcie(context, dev, report);
	examine_dirty(dev, report);
	for (size_t i = before; i < report->count; i++)
		worst = MAX(worst, report->findings[i].level);
	if (worst < LEVEL_WARN && dev->state == DEVICE_OK)
		report_fine(dev, report);
	report->device = NULL;
}

/* Chips without PCIe do not count: they have no device node. */
static void examine_number(const struct doctor_context *context, struct report *report)
{
	unsigned count = 0;

	report->area = AREA_DEVICES;
	for (size_t i = 0; i < context->snapshot->n_devices; i++)
		count += device_is_served(&context->snapshot->devices[i]);
	if (!context->expected || count == context->expected)
		return;
	report_add(report, count < context->expected ? LEVEL_FAIL : LEVEL_WARN,
		   "%u device%s, %u expected", count, count == 1 ? "" : "s", context->expected);
	report_fix(report, "lspci -d 1e52: lists the cards on the bus");
}

void examine_devices(const struct doctor_context *context, struct report *report)
{
	const struct snapshot *snapshot = context->snapshot;

	examine_number(context, report);
	for (size_t i = 0; i < snapshot->n_devices; i++)
		examine_device(context, &snapshot->devices[i], report);
	examine_heartbeats(snapshot, report);
	compare_firmware(snapshot, report);
	examine_unknown_ends(snapshot, report);
}
