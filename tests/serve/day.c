/*
 * Simulates a day of tt_smi serve on a machine whose chips are reset, hang, and are moved between
 * slots, with the real code for totals and renderers, and simulated time. At some moments it prints
 * a line: {"truth": {series: number}, "metrics": text, "document": the JSON document}. truth is
 * what the counters must show, computed from the events of the chips and not from the driver's
 * counters. day.py compares.
 */
#include "basic/clock.h"
#include "model/totals.h"
#include "render/json_writer.h"
#include "render/metrics.h"
#include "render/render.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	SLOTS = 4,
	CHIPS = 3, /* so that one slot is always free */
	DAY = 86400,
	LONGEST_HANG = 120,
	/* After this many heartbeats a restart is detected even if the chip hangs after it. */
	SETTLED = 10 * (LONGEST_HANG + 180),
	FLIT = 32,
};

/* The real state of a chip. */
struct chip {
	unsigned slot;
	bool present;
	int64_t hung_until; /* reads fail until this second */
	/* Since the last reset, or since it was plugged in. */
	uint64_t beats, flits[DEVICE_COUNTERS];
	uint64_t errors;   /* since it was plugged in */
	unsigned restarts; /* resets and plugs so far */
	unsigned plugs;
	double power, temperature;
};

/* What the series of a chip in a slot must show. */
struct truth {
	bool seen;
	uint64_t resets, beats, rx, tx, errors;
	double energy;
	/* When it was last read there. */
	int64_t second;
	unsigned restarts, plugs;
	struct chip last;
};

static struct chip chips[CHIPS];
static struct truth truths[CHIPS][SLOTS];
static uint64_t seed = 7;

static uint64_t random_below(uint64_t limit)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (seed * UINT64_C(2685821657736338717) >> 33) % limit;
}

static bool answers(const struct chip *chip, int64_t second)
{
	return chip->present && second >= chip->hung_until;
}

static void restart(struct chip *chip)
{
	chip->beats = 0;
	memset(chip->flits, 0, sizeof(chip->flits));
	chip->restarts++;
}

static unsigned free_slot(void)
{
	bool taken[SLOTS] = { false };
	unsigned slot = (unsigned)random_below(SLOTS);

	for (size_t i = 0; i < CHIPS; i++)
		taken[chips[i].slot] |= chips[i].present;
	while (taken[slot])
		slot = (slot + 1) % SLOTS;
	return slot;
}

/* Lets random events happen to a chip in this second. Returns whether one did. */
static bool happen(struct chip *chip, int64_t second)
{
	uint64_t event = random_below(1500);

	if (!chip->present) {
		chip->present = event < 30;
		if (!chip->present)
			return false;
		chip->slot = free_slot();
		restart(chip);
		chip->errors = 0;
		chip->plugs++;
		return true;
	}
	if (event == 0 && chip->beats > SETTLED)
		restart(chip);
	else if (event == 1 && chip->beats > SETTLED && chip->errors > 10)
		chip->present = false;
	else if (event == 2)
		chip->hung_until = second + 1 + (int64_t)random_below(LONGEST_HANG);
	else
		return false;
	return true;
}

/* Lets a chip work for some seconds. A flit is 32 bytes, and counters wrap every two minutes. */
static void work(struct chip *chip, unsigned seconds)
{
	for (size_t i = 0; chip->present && i < DEVICE_COUNTERS; i++)
		chip->flits[i] += seconds * random_below(80000000);
	chip->beats += 10 * seconds;
	chip->errors += random_below(3);
	chip->power = 40 + (double)random_below(2000) / 10;
	chip->temperature = 30 + (double)random_below(400) / 10;
}

static uint64_t moved(const struct chip *now, const struct chip *before, unsigned from, unsigned to)
{
	uint64_t flits = 0;

	for (unsigned i = from; i < to; i++)
		flits += now->flits[i] - before->flits[i];
	return flits * FLIT;
}

/*
 * Adds what the series must gain in a sample. Intervals without a reading at both ends, and long
 * intervals, add no bytes.
 */
static void follow(struct truth *truth, const struct chip *chip, int64_t second, unsigned elapsed)
{
	bool continuous = truth->seen && truth->second == second - elapsed;
	bool restarted = truth->seen && truth->restarts != chip->restarts;
	bool plugged = truth->seen && truth->plugs != chip->plugs;

	truth->resets += restarted;
	truth->beats += chip->beats - (truth->seen && !restarted ? truth->last.beats : 0);
	truth->errors += chip->errors - (truth->seen && !plugged ? truth->last.errors : 0);
	if (continuous && !plugged)
		truth->energy += (chip->power + truth->last.power) / 2 * elapsed;
	if (continuous && !restarted && elapsed == 1) {
		truth->rx += moved(chip, &truth->last, 0, DEVICE_COUNTERS_RX);
		truth->tx += moved(chip, &truth->last, DEVICE_COUNTERS_RX, DEVICE_COUNTERS);
	}
	truth->seen = true;
	truth->second = second;
	truth->restarts = chip->restarts;
	truth->plugs = chip->plugs;
	truth->last = *chip;
}

static void add_device(struct snapshot *snapshot, const struct chip *chip, int64_t second)
{
	static const enum device_field fields[] = { DEV_TEMPERATURE, DEV_POWER, DEV_HEARTBEAT,
						    DEV_ERRORS_CORRECTABLE };
	uint8_t why = answers(chip, second) ? KNOWN : TIMED_OUT;
	struct device dev;

	device_init(&dev, chip->slot);
	dev.arch = ARCH_WORMHOLE;
	dev.state = why == KNOWN ? DEVICE_OK : DEVICE_TIMED_OUT;
	dev.sampled_ns = second * NS_PER_S;
	snprintf(dev.bdf, sizeof(dev.bdf), "0000:%02x:00.0", chip->slot + 1);
	snprintf(dev.uuid, sizeof(dev.uuid), "chip%zu", (size_t)(chip - chips));
	dev.why[DEV_BDF] = dev.why[DEV_UUID] = KNOWN;
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		dev.why[fields[i]] = why;
	memset(dev.why + DEV_COUNTER, why, DEVICE_COUNTERS);
	for (size_t i = 0; i < DEVICE_COUNTERS; i++)
		dev.counters[i] = (uint32_t)chip->flits[i];
	dev.heartbeat = (uint32_t)chip->beats;
	dev.errors.correctable = chip->errors;
	dev.power = chip->power;
	dev.temperature = chip->temperature;
	if (!snapshot_add_device(snapshot, &dev))
		abort();
}

static struct snapshot *sample(int64_t second)
{
	struct snapshot *snapshot;

	if (snapshot_new(&snapshot) < 0)
		abort();
	snapshot->taken_ns = snapshot->wall_ns = second * NS_PER_S;
	snapshot->driver_loaded = true;
	for (size_t i = 0; i < CHIPS; i++)
		if (chips[i].present)
			add_device(snapshot, &chips[i], second);
	return snapshot;
}

static void put_truth(struct json *json, size_t chip, const char *name, const char *labels,
		      double number)
{
	char series[128];

	snprintf(series, sizeof(series), "ttsmi_%s_total{device=\"%u\",uuid=\"chip%zu\"%s}", name,
		 chips[chip].slot, chip, labels);
	json_double(json, series, number);
}

static void print(const struct snapshot *snapshot, const struct device_counts *counts,
		  int64_t second)
{
	CLEANUP_BUF struct buf line = { 0 }, metrics = { 0 }, document = { 0 };
	const struct render_options look = { .version = "day", .utf8 = true };
	const struct metrics_view view = { .version = "day",
					   .snapshot = snapshot,
					   .totals = counts };
	struct json json = { .out = &line, .first = true };

	json_open(&json, NULL, '{');
	json_open(&json, "truth", '{');
	for (size_t i = 0; i < CHIPS; i++) {
		const struct truth *truth = &truths[i][chips[i].slot];

		if (!answers(&chips[i], second))
			continue;
		put_truth(&json, i, "resets", "", (double)truth->resets);
		put_truth(&json, i, "firmware_heartbeats", "", (double)truth->beats);
		put_truth(&json, i, "pcie_received_bytes", "", (double)truth->rx);
		put_truth(&json, i, "pcie_transmitted_bytes", "", (double)truth->tx);
		put_truth(&json, i, "energy_joules", ",domain=\"chip\"", truth->energy);
		put_truth(&json, i, "pcie_errors", ",port=\"device\",severity=\"correctable\"",
			  (double)truth->errors);
	}
	json_close(&json, '}');
	metrics_render(&metrics, &view, METRICS_TEXT);
	json_text(&json, "metrics", buf_text(&metrics));
	json_render(&document, &look, snapshot, false);
	printf("%s, \"document\": %s}\n", buf_text(&line), strtok(document.data, "\n"));
}

int main(void)
{
	struct totals totals = { 0 };
	struct device_counts counts[CHIPS];
	struct snapshot *before = NULL, *now;
	int64_t second = 1000;
	unsigned elapsed = 1, printed = 0;

	for (size_t i = 0; i < CHIPS; i++)
		chips[i] = (struct chip){
			.slot = (unsigned)i, .present = true, .beats = 100000, .errors = 1000
		};
	for (; second < 1000 + DAY; second += elapsed) {
		bool eventful = second % 300 == 0;

		elapsed = random_below(2000) == 0 ? 20 : 1; /* 20: a late sample */
		for (size_t i = 0; i < CHIPS; i++)
			eventful |= happen(&chips[i], second + elapsed);
		for (size_t i = 0; i < CHIPS; i++)
			work(&chips[i], elapsed);
		for (size_t i = 0; i < CHIPS; i++)
			if (answers(&chips[i], second + elapsed))
				follow(&truths[i][chips[i].slot], &chips[i], second + elapsed,
				       elapsed);
		now = sample(second + elapsed);
		if (totals_add(&totals, now, before, counts) < 0)
			abort();
		/* Print also some samples after the event. */
		printed = eventful ? 3 : printed;
		if (printed && printed--)
			print(now, counts, second + elapsed);
		snapshot_free(before);
		before = now;
	}
	snapshot_free(before);
	totals_done(&totals);
	return 0;
}
