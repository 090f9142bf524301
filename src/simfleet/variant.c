#include "simfleet/variant.h"

#include "basic/random.h"
#include "model/device_health.h"
#include "simfleet/fleet_machine.h"
#include "simfleet/fleet_owner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	PURPOSE_ASIC = 64,
	PURPOSE_SERIAL,
	PURPOSE_SHIFT,
	PURPOSE_LOAD,
	PURPOSE_MEMORY,
	PURPOSE_COUNTS
};

enum { SIXTEENTHS = 16 };

/* Readings that a chip takes over from another one of the same kind. */
static const enum device_field readings[] = {
	DEV_TEMPERATURE, DEV_POWER,  DEV_VOLTAGE, DEV_CURRENT,
	DEV_AICLK,	 DEV_AXICLK, DEV_ARCCLK,  DEV_FAN_RPM,
};

/* A number from 0 to 1 that belongs to the chip. */
static double unit_of_chip(unsigned number, size_t chip, unsigned purpose)
{
	return random_unit(number, purpose, chip);
}

/* The chip of the sample from which a chip has its readings, so that machines differ. */
static size_t donor_of(const struct snapshot *sample, unsigned number, size_t chip)
{
	size_t shift = random_of(number, PURPOSE_SHIFT, 0) % sample->n_devices;
	size_t donor = (chip + shift) % sample->n_devices;
	const struct device *a = &sample->devices[chip], *b = &sample->devices[donor];

	return a->type == b->type && a->remote == b->remote ? donor : chip;
}

static void copy_reading(struct device *dev, const struct device *from, enum device_field index)
{
	const struct field *field = &device_fields.fields[index];

	memcpy((char *)dev + field->offset, (const char *)from + field->offset,
	       field->kind == K_U32 ? sizeof(uint32_t) : sizeof(uint64_t));
	dev->why[index] = from->why[index];
}

/* The share of the sample's memory that is used, in sixteenths. */
static unsigned memory_share(unsigned number)
{
	return SIXTEENTHS / 2 + random_of(number, PURPOSE_MEMORY, 0) % (SIXTEENTHS / 2 + 1);
}

static void scale_memory(uint64_t bytes[static POOL_COUNT], unsigned share)
{
	for (size_t i = 0; i < POOL_COUNT; i++)
		bytes[i] = bytes[i] / SIXTEENTHS * share;
}

/* The share of a reading, with the resolution that the driver's files have. */
static double scale_reading(double value, double share, double resolution)
{
	return (double)(int64_t)(value * share / resolution + 0.5) * resolution;
}

static void vary_device(struct device *dev, const struct device *donor, unsigned number,
			size_t chip)
{
	double share = 0.85 + 0.15 * unit_of_chip(number, chip, PURPOSE_LOAD);

	dev->asic_id = random_of(number, PURPOSE_ASIC, chip) | 1U << 20; /* never 0 */
	dev->serial ^= random_of(number, PURPOSE_SERIAL, 0) & 0xfffff;
	for (size_t i = 0; i < ARRAY_SIZE(readings); i++)
		copy_reading(dev, donor, readings[i]);
	dev->temperature = scale_reading(dev->temperature, share, 0.0625);
	dev->power = scale_reading(dev->power, share, 1);
	dev->current = scale_reading(dev->current, share, 1);
	scale_memory(dev->memory_used, memory_share(number));
	/* As where the allocation server runs. */
	dev->dirty = false;
	dev->why[DEV_DIRTY] = dev->remote ? NOT_APPLICABLE : KNOWN;
	device_derive(dev);
	device_judge(dev);
}

/* What the chip had counted before the simulation began: in up to a year, at 125 W and 32 MB/s. */
static void vary_counts(struct device_counts *counts, unsigned number, size_t chip)
{
	double share = 0.85 + 0.15 * unit_of_chip(number, chip, PURPOSE_LOAD);
	double earlier = unit_of_chip(number, chip, PURPOSE_COUNTS);

	counts->heartbeats += (uint64_t)(earlier * 3e8);
	counts->energy = totals_round_energy(counts->energy * share + earlier * 4e9);
	counts->pcie.rx += (uint64_t)(earlier * 1e15);
	counts->pcie.tx += (uint64_t)(earlier * 3e14);
	counts->errors.correctable += (uint64_t)(earlier * 3);
}

static void forget(uint8_t why[], unsigned first, unsigned last)
{
	for (unsigned i = first; i <= last; i++)
		if (why[i] == KNOWN)
			why[i] = NOT_ANSWERING;
}

/* What is read from the chip is unknown; the kernel's counters and the holders are not. */
static void stop_answering(struct device *dev, struct device_counts *counts)
{
	dev->state = DEVICE_NOT_ANSWERING;
	forget(dev->why, DEV_UUID, DEV_ASIC_ID);
	forget(dev->why, DEV_LINK_GEN, DEV_LINK_WIDTH);
	forget(dev->why, DEV_PCIE_RX, DEV_THERMAL_TRIPS);
	forget(counts->why, TOTAL_RESETS, TOTAL_PCIE_TX);
	device_judge(dev);
}

/* The last device with its own PCIe link; its remote chip follows it. */
static size_t last_served(const struct snapshot *snapshot)
{
	size_t i = snapshot->n_devices - 1;

	while (i > 0 && snapshot->devices[i].remote)
		i--;
	return i;
}

static void heat(struct device *dev)
{
	if (!device_knows(dev, DEV_TEMPERATURE) || !device_knows(dev, DEV_TEMPERATURE_LIMIT))
		return;
	dev->temperature = dev->temperature_limit - 1;
	device_derive(dev);
	device_judge(dev);
}

static void narrow_link(struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->n_devices; i++) {
		struct device *dev = &snapshot->devices[i];

		if (!device_knows(dev, DEV_LINK_WIDTH) || dev->link_width < 2)
			continue;
		dev->link_width /= 2;
		return;
	}
}

static void apply_fault(struct variant *variant, enum fleet_fault fault)
{
	struct snapshot *snapshot = variant->snapshot;

	switch (fault) {
	case FLEET_DOWN: stop_answering(&snapshot->devices[0], &variant->totals[0]); break;
	case FLEET_HOT: heat(&snapshot->devices[last_served(snapshot)]); break;
	case FLEET_MISSING: snapshot->n_devices = last_served(snapshot); break;
	case FLEET_DIRTY: snapshot->devices[0].dirty = true; break;
	case FLEET_NARROW: narrow_link(snapshot); break;
	case FLEET_NO_FAULT:
	case FLEET_FAULTS: break;
	}
}

static int add_devices(struct variant *variant, unsigned number, const struct snapshot *sample,
		       const struct device_counts *totals)
{
	for (size_t i = 0; i < sample->n_devices; i++) {
		size_t donor = donor_of(sample, number, i);
		struct device dev = sample->devices[i];

		vary_device(&dev, &sample->devices[donor], number, i);
		if (!snapshot_add_device(variant->snapshot, &dev))
			return -ENOMEM;
		variant->totals[i] = totals[donor];
		vary_counts(&variant->totals[i], number, i);
	}
	return 0;
}

/* Its entry for each device that this machine has. */
static int add_usages(struct process *process, const struct process *from, size_t n_devices,
		      unsigned share)
{
	for (size_t i = 0; i < from->n_usages; i++) {
		struct usage *usage;

		if (from->usages[i].device >= n_devices)
			continue;
		usage = process_use(process, from->usages[i].device);
		if (!usage)
			return -ENOMEM;
		*usage = from->usages[i];
		usage->list = (struct allocation_list){ .why = NO_TRACKER };
		scale_memory(usage->bytes, share);
		scale_memory(usage->peak, share);
	}
	return 0;
}

static int add_processes(struct variant *variant, unsigned number, const struct snapshot *sample)
{
	struct snapshot *snapshot = variant->snapshot;

	for (size_t i = 0; i < sample->n_processes; i++) {
		const struct process *from = &sample->processes[i];
		struct process *process = snapshot_add_process(snapshot, from->pid);

		if (!process)
			return -ENOMEM;
		process_set_role(process, from->role);
		process->quiet = from->quiet;
		process->why[PROC_QUIET] = from->why[PROC_QUIET];
		fleet_owner_set(process, number, i);
		if (add_usages(process, from, snapshot->n_devices, memory_share(number)) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int fill(struct variant *variant, unsigned number, const struct snapshot *sample,
		const struct device_counts *totals)
{
	struct snapshot *snapshot = variant->snapshot;
	int r;

	snapshot->host = sample->host;
	snapshot->taken_ns = sample->taken_ns;
	snapshot->wall_ns = sample->wall_ns;
	snapshot->simulated = true;
	snapshot->driver_loaded = sample->driver_loaded;
	memcpy(snapshot->sources, sample->sources, sizeof(sample->sources));
	snapshot->n_sources = sample->n_sources;
	fleet_machine_name(number, snapshot->host.hostname);
	r = add_devices(variant, number, sample, totals);
	if (r < 0 || snapshot->n_devices == 0)
		return r;
	apply_fault(variant, fleet_machine_fault(number));
	return add_processes(variant, number, sample);
}

void variant_done(struct variant *variant)
{
	free(variant->totals);
	*variant = (struct variant){ .snapshot = snapshot_free(variant->snapshot) };
}

int variant_new(struct variant *ret, unsigned number, const struct snapshot *sample,
		const struct device_counts *totals)
{
	struct variant variant = { 0 };
	int r = snapshot_new(&variant.snapshot);

	if (r == 0) {
		variant.totals = calloc(sample->n_devices + 1, sizeof(*variant.totals));
		r = variant.totals ? fill(&variant, number, sample, totals) : -ENOMEM;
	}
	if (r < 0)
		variant_done(&variant);
	else
		*ret = variant;
	return r;
}
