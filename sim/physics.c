#include "physics.h"

#include "basic/random.h"

#define AMBIENT 28.0 /* degrees */

enum { PURPOSE_PHASE = 16, PURPOSE_NOISE, PURPOSE_START, PURPOSE_UPTIME };

static const struct {
	uint32_t idle_mhz, busy_mhz, axi_mhz, arc_mhz;
	double idle_mv, busy_mv;
	uint32_t m3app, m3bl, arcfw, ethfw, ttflash;
} chips[] = {
	[WORMHOLE] = { 500, 1000, 900, 540, 722, 846, 0x050c0000, 0x81020000, 0x02270000,
		       0x00072000, 0x03040700 },
	[BLACKHOLE] = { 800, 1350, 960, 800, 718, 842, 0x00170000, 0, 0, 0, 0 },
};

/* Flits per second at full load, in the order of the counters; NoC 1 carries little traffic. */
static const double traffic[COUNTERS] = {
	0.3e6, 3e3, 42e6, 0.4e6, 2.5e6, 25e3, 0.2e6, 2e3, 19e6, 0.2e6, 61e6, 0.6e6,
};

/* Exponential approach to a target. */
static double approach(double value, double target, double seconds, double inertia)
{
	return value + (target - value) * seconds / (seconds + inertia);
}

/* Smooth wave from 0 to 1 and back. */
static double wave(double phase)
{
	double x = phase - (double)(int64_t)phase;

	x = x < 0.5 ? 2 * x : 2 - 2 * x;
	return x * x * (3 - 2 * x);
}

/* Pseudo-random, between -1 and 1, changing four times a second. */
static double noise(const struct machine *m, const struct sim_device *d, unsigned which)
{
	uint64_t index = (uint64_t)(m->now_ms / 250) * 64 + which;

	return 2 * random_unit(m->opt.seed ^ d->slot.asic_id, PURPOSE_NOISE, index) - 1;
}

/* A card that is not held by a process is nearly idle. */
static double wanted_load(const struct machine *m, const struct sim_device *d)
{
	double phase = random_unit(m->opt.seed, PURPOSE_PHASE, d->slot.number);
	double period = 40 + 50 * phase; /* seconds */
	double full = m->opt.write_once || d->holder_count ? 0.95 : 0.04;

	if (m->opt.load >= 0)
		return m->opt.load / 100.0;
	return full * wave(phase + (double)m->now_ms / 1000 / period);
}

/* Power of a chip at full load: slightly below its power and current limits. */
static double full_watts(const struct sim_board *b)
{
	double by_current = 0.93 * b->max_amperes * chips[b->arch].busy_mv / 1000;

	return MIN(0.93 * b->max_watts, by_current);
}

static double wanted_watts(const struct sim_device *d)
{
	double full = full_watts(d->slot.board);

	return d->slot.board->idle_watts + (full - d->slot.board->idle_watts) * d->physics.load;
}

/* At full load the chip settles at 90 % of its limit. */
static double wanted_celsius(const struct sim_device *d)
{
	const struct sim_board *b = d->slot.board;

	return AMBIENT + 6 +
	       (0.9 * b->max_celsius - AMBIENT - 6) * d->physics.watts / full_watts(b);
}

static double wanted_rpm(const struct sim_device *d)
{
	double rpm = 1400 + (d->physics.celsius - 38) * 62;

	return rpm < 1400 ? 1400 : rpm > 5200 ? 5200 : rpm;
}

/* Boards without fan control: bundles before 19.10 publish 0, later ones all ones. */
static uint32_t fan_word(const struct machine *m, const struct sim_device *d)
{
	if (d->slot.board->has_fan)
		return (uint32_t)d->physics.rpm;
	return version_at_least(&m->opt.firmware, 19, 10) ? UINT32_MAX : 0;
}

static void publish(const struct machine *m, struct sim_device *d)
{
	double load = d->physics.load;
	unsigned arch = d->slot.board->arch;
	double mv = chips[arch].idle_mv + (chips[arch].busy_mv - chips[arch].idle_mv) * load;
	double watts = d->physics.watts + 0.8 * noise(m, d, 0);
	double celsius = d->physics.celsius + 0.06 * noise(m, d, 1);

	d->words[T_AICLK] = load > 0.06 ? chips[arch].busy_mhz : chips[arch].idle_mhz;
	d->words[T_TEMP] = (uint32_t)(celsius * 65536);
	d->words[T_WATTS] = (uint32_t)watts;
	d->words[T_MILLIVOLTS] = (uint32_t)(mv + 2 * noise(m, d, 2));
	d->words[T_AMPERES] = (uint32_t)(1000 * watts / mv);
	d->words[T_FAN] = fan_word(m, d);
	d->words[T_HEARTBEAT] = (uint32_t)(uint64_t)d->physics.heartbeats;
}

static void publish_constants(const struct machine *m, struct sim_device *d)
{
	const struct sim_board *b = d->slot.board;

	d->words[T_SERIAL_HIGH] = (uint32_t)(d->slot.serial >> 32);
	d->words[T_SERIAL_LOW] = (uint32_t)d->slot.serial;
	d->words[T_ASIC_HIGH] = (uint32_t)(d->slot.asic_id >> 32);
	d->words[T_ASIC_LOW] = (uint32_t)d->slot.asic_id;
	d->words[T_AXICLK] = chips[b->arch].axi_mhz;
	d->words[T_ARCCLK] = chips[b->arch].arc_mhz;
	d->words[T_BUNDLE] = version_pack(&m->opt.firmware);
	d->words[T_M3APP] = chips[b->arch].m3app;
	d->words[T_M3BL] = chips[b->arch].m3bl;
	d->words[T_ARCFW] = chips[b->arch].arcfw;
	d->words[T_ETHFW] = chips[b->arch].ethfw;
	d->words[T_TTFLASH] = chips[b->arch].ttflash;
	d->words[T_TEMP_MAX] = b->max_celsius;
	d->words[T_VOLT_LIMITS] = b->max_millivolts << 16 | 650;
	d->words[T_AMPERES_MAX] = b->max_amperes;
	d->words[T_WATTS_MAX] = b->max_watts;
}

/* Three counters start close to wrapping, to test readers with it. */
static void start_counters(const struct machine *m, struct sim_device *d)
{
	for (unsigned i = 0; i < COUNTERS; i++) {
		uint64_t r = random_of(m->opt.seed ^ d->slot.asic_id, PURPOSE_START, i);

		d->counters[i] = i % 4 == 2 ? UINT32_MAX - (uint32_t)(2 * traffic[i])
					    : (uint32_t)(r % 40000000 + 20000);
	}
}

void physics_init(const struct machine *m, struct sim_device *d)
{
	d->physics.load = wanted_load(m, d);
	d->physics.watts = wanted_watts(d);
	d->physics.celsius = wanted_celsius(d);
	d->physics.rpm = wanted_rpm(d);
	d->physics.heartbeats =
		(double)(random_of(m->opt.seed ^ d->slot.asic_id, PURPOSE_UPTIME, 0) % 8000000);
	start_counters(m, d);
	publish_constants(m, d);
	publish(m, d);
}

static void count_traffic(struct sim_device *d, double seconds)
{
	double share = d->physics.load * d->slot.width / 16; /* a narrow link carries less */

	for (unsigned i = 0; i < COUNTERS; i++) {
		double words = traffic[i] * share * seconds + d->physics.carry[i];

		d->counters[i] += (uint32_t)(uint64_t)words;
		d->physics.carry[i] = words - (double)(uint64_t)words;
	}
}

void physics_step(const struct machine *m, struct sim_device *d, double seconds)
{
	d->physics.load = approach(d->physics.load, wanted_load(m, d), seconds, 0.8);
	d->physics.watts = approach(d->physics.watts, wanted_watts(d), seconds, 0.5);
	d->physics.celsius = approach(d->physics.celsius, wanted_celsius(d), seconds, 9);
	d->physics.rpm = approach(d->physics.rpm, wanted_rpm(d), seconds, 2);
	/* the counters belong to the chip and run without firmware */
	count_traffic(d, seconds);
	if (machine_fault(m, d, FAULT_FROZEN, NULL))
		return;
	d->physics.heartbeats += 10 * seconds;
	publish(m, d);
}

void physics_reset(struct sim_device *d)
{
	d->physics.heartbeats = 0;
	d->physics.load = 0;
	for (unsigned i = 0; i < COUNTERS; i++)
		d->counters[i] = 0;
}
