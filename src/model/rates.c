#include "model/rates.h"

#include "basic/clock.h"
#include "basic/macros.h"

#include <string.h>

/* Firmware counts ten per second: longer than this without a step is a stop. */
static const int64_t heartbeat_patience_ns = 350 * NS_PER_MS;

/*
 * The driver's document says 32 for both. A Blackhole NoC is 512 bits wide, and
 * TT-Metal's parameters and the ISA notes say 64 there.
 */
unsigned rates_flit_bytes(enum arch arch)
{
	return arch == ARCH_WORMHOLE ? 32 : arch == ARCH_BLACKHOLE ? 64 : 0;
}

/* The fastest link of each architecture: so many lanes of this generation. */
enum { FASTEST_LANES = 16 };

static unsigned fastest_generation(enum arch arch)
{
	return arch == ARCH_WORMHOLE ? 4 : 5;
}

/* Bytes per second that one lane carries, by generation. */
static double lane_rate(unsigned generation)
{
	static const double rates[] = { 0, 0.25e9, 0.5e9, 0.985e9, 1.969e9, 3.938e9 };

	return rates[MIN(generation, ARRAY_SIZE(rates) - 1)];
}

/*
 * Could a counter have wrapped twice between the samples? Then nobody can tell. What
 * the fastest link carries decides, not this one now: some firmware slows an idle link.
 */
static bool may_wrap_twice(const struct device *dev, double seconds)
{
	double fastest = FASTEST_LANES * lane_rate(fastest_generation(dev->arch));

	return fastest * seconds >= 4294967296.0 * rates_flit_bytes(dev->arch);
}

/*
 * What the link can carry, and a twentieth more: the two counter readings are some
 * microseconds apart from their time stamps. The width is that of the trained link; the
 * generation is the device's maximum, since an idle link may be slow at both samples and fast
 * in between. What is not known counts as the architecture's best.
 */
static double highest_rate(const struct device *dev)
{
	unsigned generation = fastest_generation(dev->arch), lanes = FASTEST_LANES;

	if (device_knows(dev, DEV_LINK_GEN_MAX))
		generation = MIN(generation, dev->link_gen_max);
	if (device_knows(dev, DEV_LINK_WIDTH))
		lanes = MIN(lanes, dev->link_width);
	return lanes * lane_rate(generation) * 1.05;
}

static bool any_counter_fell(const struct device *now, const struct device *before)
{
	for (unsigned i = 0; i < DEVICE_COUNTERS; i++)
		if (now->counters[i] < before->counters[i])
			return true;
	return false;
}

/*
 * A reset clears the counters. The heartbeat that fell tells of it, or one that
 * could be read in one sample only: the counters read on through a reset. Without a
 * heartbeat (drivers before 2.7, old firmware) a wrap cannot be told from a reset.
 */
static bool may_be_reset(const struct device *now, const struct device *before)
{
	if (now->why[DEV_HEARTBEAT] != before->why[DEV_HEARTBEAT])
		return true;
	if (device_knows(now, DEV_HEARTBEAT))
		return now->heartbeat < before->heartbeat;
	return any_counter_fell(now, before);
}

static enum reason pcie_reason(const struct device *now, const struct device *before)
{
	int64_t elapsed;

	for (unsigned i = 0; i < DEVICE_COUNTERS; i++)
		if (now->why[DEV_COUNTER + i] != KNOWN)
			return now->why[DEV_COUNTER + i];
	if (!before)
		return NEEDS_TWO_SAMPLES;
	for (unsigned i = 0; i < DEVICE_COUNTERS; i++)
		if (before->why[DEV_COUNTER + i] != KNOWN)
			return NEEDS_TWO_SAMPLES;
	if (may_be_reset(now, before))
		return NEEDS_TWO_SAMPLES;
	elapsed = now->sampled_ns - before->sampled_ns;
	if (elapsed <= 0 || may_wrap_twice(now, (double)elapsed / NS_PER_S))
		return NEEDS_TWO_SAMPLES;
	return rates_flit_bytes(now->arch) ? KNOWN : UNKNOWN_BOARD;
}

static void fill_pcie(struct device *now, const struct device *before)
{
	enum reason why = pcie_reason(now, before);
	uint64_t flits[2] = { 0, 0 };
	double scale;

	now->why[DEV_PCIE_RX] = now->why[DEV_PCIE_TX] = (uint8_t)why;
	if (why != KNOWN)
		return;
	/* Unsigned 32-bit differences: one wrap is harmless. */
	for (unsigned i = 0; i < DEVICE_COUNTERS; i++)
		flits[i >= DEVICE_COUNTERS_RX] +=
			(uint32_t)(now->counters[i] - before->counters[i]);
	scale = rates_flit_bytes(now->arch) * (double)NS_PER_S /
		(double)(now->sampled_ns - before->sampled_ns);
	now->pcie_rx = (double)flits[0] * scale;
	now->pcie_tx = (double)flits[1] * scale;
	/* If one direction is impossible, so is the interval: the other one is no rate either. */
	if (MAX(now->pcie_rx, now->pcie_tx) > highest_rate(now))
		now->why[DEV_PCIE_RX] = now->why[DEV_PCIE_TX] = IMPLAUSIBLE;
}

static void fill_alive(struct device *now, const struct device *before)
{
	now->moved_ns = now->sampled_ns;
	now->why[DEV_ALIVE] = now->why[DEV_HEARTBEAT];
	if (!device_knows(now, DEV_HEARTBEAT))
		return;
	now->why[DEV_ALIVE] = NEEDS_TWO_SAMPLES;
	if (!before || !device_knows(before, DEV_HEARTBEAT))
		return;
	if (now->heartbeat != before->heartbeat) {
		now->why[DEV_ALIVE] = KNOWN;
		now->alive = true;
		return;
	}
	now->moved_ns = before->moved_ns;
	now->alive = now->sampled_ns - now->moved_ns < heartbeat_patience_ns;
	if (!now->alive)
		now->why[DEV_ALIVE] = KNOWN;
	else
		now->why[DEV_ALIVE] = before->why[DEV_ALIVE];
}

/* Whoever samples fast may leave out what rates are made of: then they are what they were. */
static bool keep_rates(struct device *now, const struct device *before)
{
	if (!before || now->sampled_ns != before->sampled_ns || !device_knows(now, DEV_COUNTER) ||
	    !device_knows(before, DEV_PCIE_RX))
		return false;
	now->why[DEV_PCIE_RX] = now->why[DEV_PCIE_TX] = KNOWN;
	now->pcie_rx = before->pcie_rx;
	now->pcie_tx = before->pcie_tx;
	now->why[DEV_ALIVE] = before->why[DEV_ALIVE];
	now->alive = before->alive;
	now->moved_ns = before->moved_ns;
	return true;
}

/* The same chip, by its place on the bus too: indices may be given away again. */
static bool is_same(const struct device *dev, const struct device *other)
{
	return !other->remote && strcmp(other->bdf, dev->bdf) == 0 &&
	       (dev->bdf[0] || other->index == dev->index);
}

/* Nearly always it is where it was. */
static const struct device *find_device(const struct snapshot *snapshot, const struct device *dev,
					size_t hint)
{
	if (!snapshot)
		return NULL;
	if (hint < snapshot->n_devices && is_same(dev, &snapshot->devices[hint]))
		return &snapshot->devices[hint];
	for (size_t i = 0; i < snapshot->n_devices; i++)
		if (is_same(dev, &snapshot->devices[i]))
			return &snapshot->devices[i];
	return NULL;
}

static void fill_cpu(struct process *now, const struct process *before, int64_t elapsed_ns,
		     unsigned ticks_per_second)
{
	double seconds = now->elapsed, ticks = (double)now->cpu_ticks;

	if (!process_knows(now, PROC_CPU))
		return;
	if (before && before->start_ticks == now->start_ticks && elapsed_ns > 0 &&
	    process_knows(before, PROC_CPU) && now->cpu_ticks >= before->cpu_ticks) {
		seconds = (double)elapsed_ns / NS_PER_S;
		ticks = (double)(now->cpu_ticks - before->cpu_ticks);
	}
	if (seconds > 0)
		now->cpu = ticks / ticks_per_second / seconds;
	else
		now->why[PROC_CPU] = NEEDS_TWO_SAMPLES;
}

void rates_fill(struct snapshot *now, const struct snapshot *before, unsigned ticks_per_second)
{
	/* One instant, looked at twice, is not two samples. */
	if (now->recorded)
		before = NULL;
	for (size_t i = 0; i < now->n_devices; i++) {
		struct device *dev = &now->devices[i];
		const struct device *old = dev->remote ? NULL : find_device(before, dev, i);

		if (dev->remote || keep_rates(dev, old))
			continue;
		if (dev->why[DEV_COUNTER] != NOT_ASKED)
			fill_pcie(dev, old);
		if (dev->why[DEV_HEARTBEAT] != NOT_ASKED)
			fill_alive(dev, old);
	}
	for (size_t i = 0; i < now->n_processes; i++) {
		struct process *process = &now->processes[i];

		fill_cpu(process, before ? snapshot_find_process(before, process->pid) : NULL,
			 before ? now->asked_ns - before->asked_ns : 0, ticks_per_second);
	}
}
