#include "model/totals.h"

#include "basic/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct device_counts, member)

/* Counters of the driver and of the kernel's PCI core, each with its total. */
static const struct counted {
	enum device_field field;
	enum total_field total;
} counted[] = {
	{ DEV_HEARTBEAT, TOTAL_HEARTBEATS },
	{ DEV_THERMAL_TRIPS, TOTAL_THERMAL_TRIPS },
	{ DEV_ERRORS_CORRECTABLE, TOTAL_CORRECTABLE },
	{ DEV_ERRORS_NONFATAL, TOTAL_NONFATAL },
	{ DEV_ERRORS_FATAL, TOTAL_FATAL },
	{ DEV_UPSTREAM_CORRECTABLE, TOTAL_UPSTREAM_CORRECTABLE },
	{ DEV_UPSTREAM_NONFATAL, TOTAL_UPSTREAM_NONFATAL },
	{ DEV_UPSTREAM_FATAL, TOTAL_UPSTREAM_FATAL },
};

#define NEEDS(name)    FIELDS(DEVICE_FIELD(UUID), DEVICE_FIELD(name))
#define SINCE(counter) counter "; continued over resets"

/* clang-format off */
static const struct field table[TOTAL_N_FIELDS] = {
	[TOTAL_RESETS] = { .key = "resets", .help = "resets seen; by a heartbeat that went backwards",
		.kind = K_U64, .offset = AT(resets), .needs = NEEDS(HEARTBEAT) },
	[TOTAL_HEARTBEATS] = { .key = "heartbeats", .help = SINCE("heartbeats of the firmware; about ten per second"),
		.kind = K_U64, .offset = AT(heartbeats), .needs = NEEDS(HEARTBEAT) },
	[TOTAL_THERMAL_TRIPS] = { .key = "thermal_trips", .help = SINCE("thermal shutdowns; since power-on"),
		.kind = K_U64, .offset = AT(thermal_trips), .needs = NEEDS(THERMAL_TRIPS) },
	[TOTAL_ENERGY] = { .key = "energy", .help = "energy of the chip, integrated from power; in whole joules, from a sample each second; times without a reading are not included",
		.kind = K_DOUBLE, .unit = U_JOULE, .offset = AT(energy), .needs = NEEDS(POWER) },
	[TOTAL_PCIE_RX] = { .key = "pcie.rx", .help = "payload received; by the device, in whole kilobytes of 1,000 bytes, from counters that wrap; intervals with a reset or more than one wrap are not included",
		.kind = K_U64, .unit = U_BYTE, .offset = AT(pcie.rx), .needs = NEEDS(PCIE_RX) },
	[TOTAL_PCIE_TX] = { .key = "pcie.tx", .help = "payload transmitted; by the device, in whole kilobytes of 1,000 bytes, from counters that wrap; intervals with a reset or more than one wrap are not included",
		.kind = K_U64, .unit = U_BYTE, .offset = AT(pcie.tx), .needs = NEEDS(PCIE_TX) },
	[TOTAL_CORRECTABLE] = { .key = "errors.correctable", .help = "PCIe errors since boot; as the kernel counts them (AER), of the device and of the port above it",
		.kind = K_U64, .offset = AT(errors.correctable), .needs = NEEDS(ERRORS_CORRECTABLE) },
	[TOTAL_NONFATAL] = { .key = "errors.nonfatal", .help = "PCIe errors since boot that lost a request (AER)",
		.kind = K_U64, .offset = AT(errors.nonfatal), .needs = NEEDS(ERRORS_NONFATAL) },
	[TOTAL_FATAL] = { .key = "errors.fatal", .help = "PCIe errors since boot that broke the link (AER)",
		.kind = K_U64, .offset = AT(errors.fatal), .needs = NEEDS(ERRORS_FATAL) },
	[TOTAL_UPSTREAM_CORRECTABLE] = { .key = "upstream.correctable", .help = "corrected PCIe errors of the port above since boot (AER)",
		.kind = K_U64, .offset = AT(upstream.correctable), .needs = NEEDS(UPSTREAM_CORRECTABLE) },
	[TOTAL_UPSTREAM_NONFATAL] = { .key = "upstream.nonfatal", .help = "PCIe errors of that port since boot that lost a request (AER)",
		.kind = K_U64, .offset = AT(upstream.nonfatal), .needs = NEEDS(UPSTREAM_NONFATAL) },
	[TOTAL_UPSTREAM_FATAL] = { .key = "upstream.fatal", .help = "PCIe errors of that port since boot that broke the link (AER)",
		.kind = K_U64, .offset = AT(upstream.fatal), .needs = NEEDS(UPSTREAM_FATAL) },
	[TOTAL_ALLOCATIONS_DRAM] = { .key = "allocations.dram", .help = "allocations of processes that report each one; from their start, up to their last sample; dram includes trace, l1 includes l1_small",
		.kind = K_U64, .offset = AT(allocations[0].allocs), .needs = FIELDS(PART(PROCESSES)) },
	[TOTAL_ALLOCATIONS_L1] = { .key = "allocations.l1", .help = "allocations in L1 of processes that report each one",
		.kind = K_U64, .offset = AT(allocations[1].allocs), .needs = FIELDS(PART(PROCESSES)) },
	[TOTAL_FAILURES_DRAM] = { .key = "allocation_failures.dram", .help = "allocations for which the device had no room, of processes that report each one",
		.kind = K_U64, .offset = AT(allocations[0].failures), .needs = FIELDS(PART(PROCESSES)) },
	[TOTAL_FAILURES_L1] = { .key = "allocation_failures.l1", .help = "allocations for which L1 had no room, of processes that report each one",
		.kind = K_U64, .offset = AT(allocations[1].failures), .needs = FIELDS(PART(PROCESSES)) },
	[TOTAL_PEAK_DRAM] = { .key = "peak.dram", .help = "most memory used; in any sample since tt_smi serve started; a lower bound",
		.kind = K_U64, .unit = U_BYTE, .offset = AT(peak[POOL_DRAM]), .needs = NEEDS(DRAM_USED) },
	[TOTAL_PEAK_L1] = { .key = "peak.l1", .help = "most L1 in use that a sample has seen since tt_smi serve started; a lower bound",
		.kind = K_U64, .unit = U_BYTE, .offset = AT(peak[POOL_L1]), .needs = NEEDS(L1_USED) },
};
/* clang-format on */

const struct field_table totals_fields = {
	.fields = table,
	.count = ARRAY_SIZE(table),
	.why_offset = offsetof(struct device_counts, why),
	.of = OF_TOTALS,
};

/* The chip at this index. If another chip has the index now, or the chip has another index,
 * counting starts again. */
struct counted_chip {
	char id[24], uuid[24];
	struct {
		bool seen;
		uint64_t value; /* when it was last known */
	} last[ARRAY_SIZE(counted)];
	struct device_counts sum;
};

void totals_done(struct totals *totals)
{
	free(totals->chips);
	allocation_counts_done(&totals->allocations);
	*totals = (struct totals){ 0 };
}

static const char *uuid_of(const struct device *dev)
{
	return device_knows(dev, DEV_UUID) ? dev->uuid : "";
}

static void set_allocations(struct counted_chip *chip, enum reason why)
{
	chip->sum.why[TOTAL_ALLOCATIONS_DRAM] = chip->sum.why[TOTAL_ALLOCATIONS_L1] = (uint8_t)why;
}

static void set_failures(struct counted_chip *chip, enum reason why)
{
	chip->sum.why[TOTAL_FAILURES_DRAM] = chip->sum.why[TOTAL_FAILURES_L1] = (uint8_t)why;
}

/* NULL: out of memory. */
static struct counted_chip *find_chip(struct totals *totals, const struct device *dev)
{
	struct counted_chip *chip;

	for (size_t i = 0; i < totals->count; i++) {
		chip = &totals->chips[i];
		if (strcmp(chip->id, dev->id) == 0 && strcmp(chip->uuid, uuid_of(dev)) == 0)
			return chip;
	}
	chip = reallocarray(totals->chips, totals->count + 1, sizeof(*chip));
	if (!chip)
		return NULL;
	totals->chips = chip;
	chip += totals->count++;
	*chip = (struct counted_chip){ 0 };
	set_allocations(chip, NO_TRACKER);
	set_failures(chip, NO_TRACKER);
	chip->sum.why[TOTAL_PEAK_DRAM] = chip->sum.why[TOTAL_PEAK_L1] = NO_TRACKER;
	memcpy(chip->id, dev->id, sizeof(chip->id));
	memcpy(chip->uuid, uuid_of(dev), strlen(uuid_of(dev)) + 1);
	return chip;
}

static uint64_t *sum_of(struct counted_chip *chip, enum total_field field)
{
	return (uint64_t *)(void *)((char *)&chip->sum + table[field].offset);
}

/* A counter that is lower than before has started again at 0. Returns whether it has. */
static bool follow(struct counted_chip *chip, size_t i, uint64_t value)
{
	bool restarted = chip->last[i].seen && value < chip->last[i].value;
	uint64_t from = chip->last[i].seen && !restarted ? chip->last[i].value : 0;

	*sum_of(chip, counted[i].total) += value - from;
	chip->last[i].seen = true;
	chip->last[i].value = value;
	return restarted;
}

static void add_counted(struct counted_chip *chip, const struct device *dev)
{
	for (size_t i = 0; i < ARRAY_SIZE(counted); i++) {
		struct value value;

		field_get(&device_fields, counted[i].field, dev, &value);
		chip->sum.why[counted[i].total] = (uint8_t)value.why;
		if (value.why == KNOWN && follow(chip, i, value.exact) &&
		    counted[i].field == DEV_HEARTBEAT)
			chip->sum.resets++;
	}
	chip->sum.why[TOTAL_RESETS] = chip->sum.why[TOTAL_HEARTBEATS];
}

static void add_pcie(struct counted_chip *chip, const struct device *now,
		     const struct device *before)
{
	uint8_t *why = chip->sum.why;
	struct pcie_bytes moved;

	why[TOTAL_PCIE_RX] = now->why[DEV_COUNTER];
	for (unsigned i = 1; i < DEVICE_COUNTERS && why[TOTAL_PCIE_RX] == KNOWN; i++)
		why[TOTAL_PCIE_RX] = now->why[DEV_COUNTER + i];
	if (why[TOTAL_PCIE_RX] == KNOWN && !rates_flit_bytes(now->arch))
		why[TOTAL_PCIE_RX] = UNKNOWN_BOARD;
	why[TOTAL_PCIE_TX] = why[TOTAL_PCIE_RX];
	if (rates_pcie_bytes(now, before, &moved) != KNOWN)
		return;
	chip->sum.pcie.rx += moved.rx;
	chip->sum.pcie.tx += moved.tx;
}

/* By the trapezoidal rule. */
static void add_energy(struct counted_chip *chip, const struct device *now,
		       const struct device *before, int64_t elapsed_ns)
{
	chip->sum.why[TOTAL_ENERGY] = now->why[DEV_POWER];
	if (before && device_knows(now, DEV_POWER) && device_knows(before, DEV_POWER))
		chip->sum.energy +=
			(now->power + before->power) / 2 * (double)elapsed_ns / NS_PER_S;
}

/* Known from the first sample on in which the memory is. */
static void add_peak(struct counted_chip *chip, const struct device *dev, enum pool pool,
		     enum total_field total)
{
	if (!device_knows(dev, device_pools[pool].used))
		return;
	chip->sum.peak[pool] = MAX(chip->sum.peak[pool], dev->memory_used[pool]);
	chip->sum.why[total] = KNOWN;
}

/* Known from the first process on that counts. */
static int add_allocations(struct totals *totals, struct counted_chip *chip,
			   const struct snapshot *now, size_t device)
{
	for (size_t i = 0; i < now->n_processes; i++) {
		const struct process *process = &now->processes[i];
		const struct usage *usage = process_find_usage(process, device);
		int r = 0;

		if (usage)
			r = allocation_counts_add(&totals->allocations, process, usage,
						  (uint64_t)(chip - totals->chips),
						  chip->sum.allocations);
		if (r < 0)
			return r;
		if (r > 0)
			set_allocations(chip, KNOWN);
		if (r > 0 && usage->why[USE_FAILURES] == KNOWN)
			set_failures(chip, KNOWN);
	}
	return 0;
}

double totals_round_energy(double joules)
{
	return (double)(uint64_t)joules;
}

int totals_add(struct totals *totals, const struct snapshot *now, const struct snapshot *before,
	       struct device_counts *ret)
{
	/* A recording has only one sample, which may be read twice. */
	if (now->recorded)
		before = NULL;
	allocation_counts_begin(&totals->allocations);
	for (size_t i = 0; i < now->n_devices; i++) {
		const struct device *dev = &now->devices[i];
		const struct device *earlier = snapshot_find_device(before, dev, i);
		struct counted_chip *chip = find_chip(totals, dev);

		if (!chip)
			return -ENOMEM;
		add_counted(chip, dev);
		add_pcie(chip, dev, earlier);
		add_energy(chip, dev, earlier, before ? now->taken_ns - before->taken_ns : 0);
		add_peak(chip, dev, POOL_DRAM, TOTAL_PEAK_DRAM);
		add_peak(chip, dev, POOL_L1, TOTAL_PEAK_L1);
		if (add_allocations(totals, chip, now, i) < 0)
			return -ENOMEM;
		ret[i] = chip->sum;
		ret[i].energy = totals_round_energy(chip->sum.energy);
	}
	return 0;
}
