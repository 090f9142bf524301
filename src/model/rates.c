#include "model/rates.h"

#include "basic/clock.h"
#include "basic/macros.h"

/* Firmware counts ten per second: no step for longer than this means that it stopped. */
static const int64_t heartbeat_timeout_ns = 350 * NS_PER_MS;

/*
 * The driver's document says 32 for both. A Blackhole NoC is 512 bits wide, and
 * TT-Metal's parameters and the ISA notes say 64 there.
 */
unsigned rates_flit_bytes(enum arch arch)
{
	return arch == ARCH_WORMHOLE ? 32 : arch == ARCH_BLACKHOLE ? 64 : 0;
}

/* The fastest link of each architecture. */
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
 * Could a counter have wrapped twice between the samples? Then the rate is unknown. The fastest
 * possible link decides, since some firmware slows an idle link down.
 */
static bool may_wrap_twice(const struct device *dev, double seconds)
{
	double fastest = FASTEST_LANES * lane_rate(fastest_generation(dev->arch));

	return fastest * seconds >= 4294967296.0 * rates_flit_bytes(dev->arch);
}

/*
 * The capacity of the link plus 5 %, since the counters are read some microseconds before or after
 * their time stamps. The width is that of the trained link; the generation is the device's maximum,
 * since an idle link may be slow at both samples and fast in between. Unknown values count as the
 * architecture's maximum.
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
 * A reset clears the counters. It shows in a heartbeat that decreased, or that could be read in
 * only one of the samples (the counters can be read even during a reset). Without a heartbeat
 * (drivers before 2.7, old firmware) a wrap cannot be distinguished from a reset.
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

static double elapsed_seconds(const struct device *now, const struct device *before)
{
	return (double)(now->sampled_ns - before->sampled_ns) / NS_PER_S;
}

enum reason rates_pcie_bytes(const struct device *now, const struct device *before,
			     struct pcie_bytes *ret)
{
	enum reason why = pcie_reason(now, before);
	uint64_t flits[2] = { 0, 0 };
	struct pcie_bytes bytes;

	if (why != KNOWN)
		return why;
	/* Unsigned 32-bit differences: one wrap is harmless. */
	for (unsigned i = 0; i < DEVICE_COUNTERS; i++)
		flits[i >= DEVICE_COUNTERS_RX] +=
			(uint32_t)(now->counters[i] - before->counters[i]);
	bytes.rx = flits[0] * rates_flit_bytes(now->arch);
	bytes.tx = flits[1] * rates_flit_bytes(now->arch);
	/* If one direction is impossible, the interval is wrong, and so is the other direction. */
	if ((double)MAX(bytes.rx, bytes.tx) > highest_rate(now) * elapsed_seconds(now, before))
		return IMPLAUSIBLE;
	*ret = bytes;
	return KNOWN;
}

static void fill_pcie(struct device *now, const struct device *before)
{
	struct pcie_bytes bytes;
	enum reason why = rates_pcie_bytes(now, before, &bytes);

	now->why[DEV_PCIE_RX] = now->why[DEV_PCIE_TX] = (uint8_t)why;
	if (why != KNOWN)
		return;
	now->pcie_rx = (double)bytes.rx / elapsed_seconds(now, before);
	now->pcie_tx = (double)bytes.tx / elapsed_seconds(now, before);
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
	now->alive = now->sampled_ns - now->moved_ns < heartbeat_timeout_ns;
	if (!now->alive)
		now->why[DEV_ALIVE] = KNOWN;
	else
		now->why[DEV_ALIVE] = before->why[DEV_ALIVE];
}

/* Samples taken at a high rate may omit the counters: then the previous rates are kept. */
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
	/* A recording has only one sample, which may be read twice. */
	if (now->recorded)
		before = NULL;
	for (size_t i = 0; i < now->n_devices; i++) {
		struct device *dev = &now->devices[i];
		const struct device *old =
			dev->remote ? NULL : snapshot_find_device(before, dev, i);

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
