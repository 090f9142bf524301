/* Totals that only grow, from counters that wrap, restart and vanish. Simulated time, no clock. */
#include "basic/clock.h"
#include "model/totals.h"
#include "unit.h"

#include <stdio.h>

/* A chip as it is, and as the driver's counters show it. */
struct chip {
	uint64_t flits[DEVICE_COUNTERS]; /* since the last reset */
	uint64_t heartbeat;
	uint64_t corrected;
	double power;
	bool silent; /* reads of its files fail */
	const char *uuid;
};

static struct totals totals;
static struct device_counts sum, last_sum;
static struct snapshot *before;
static int64_t second;

static int begin(void **state)
{
	(void)state;
	totals = (struct totals){ 0 };
	sum = last_sum = (struct device_counts){ 0 };
	before = NULL;
	second = 1000;
	return 0;
}

static int end(void **state)
{
	(void)state;
	snapshot_free(before);
	totals_done(&totals);
	return 0;
}

static void set_known(struct device *dev, const struct chip *chip)
{
	uint8_t why = chip->silent ? TIMED_OUT : KNOWN;

	memset(dev->why + DEV_COUNTER, why, DEVICE_COUNTERS);
	dev->why[DEV_HEARTBEAT] = dev->why[DEV_POWER] = dev->why[DEV_ERRORS_CORRECTABLE] = why;
	dev->why[DEV_BDF] = dev->why[DEV_UUID] = KNOWN;
}

static struct snapshot *sample(const struct chip *chip)
{
	struct snapshot *snapshot;
	struct device dev;

	assert_int_equal(snapshot_new(&snapshot), 0);
	device_init(&dev, 0);
	dev.arch = ARCH_WORMHOLE;
	dev.sampled_ns = second * NS_PER_S;
	snprintf(dev.id, sizeof(dev.id), "0");
	snprintf(dev.bdf, sizeof(dev.bdf), "0000:01:00.0");
	snprintf(dev.uuid, sizeof(dev.uuid), "%s", chip->uuid);
	set_known(&dev, chip);
	for (unsigned i = 0; i < DEVICE_COUNTERS; i++)
		dev.counters[i] = (uint32_t)chip->flits[i];
	dev.heartbeat = (uint32_t)chip->heartbeat;
	dev.errors.correctable = chip->corrected;
	dev.power = chip->power;
	snapshot->taken_ns = second * NS_PER_S;
	assert_non_null(snapshot_add_device(snapshot, &dev));
	return snapshot;
}

/* Takes the next sample, this many seconds later. */
static void take(const struct chip *chip, int64_t seconds)
{
	struct snapshot *now;

	second += seconds;
	now = sample(chip);
	last_sum = sum;
	assert_int_equal(totals_add(&totals, now, before, &sum), 0);
	snapshot_free(before);
	before = now;
}

static bool knows(enum total_field field)
{
	return sum.why[field] == KNOWN;
}

TEST(a_wrap_is_counted)
{
	struct chip chip = { .uuid = "a", .flits[0] = UINT32_MAX - 9, .flits[6] = 5 };

	take(&chip, 2);
	assert_true(knows(TOTAL_PCIE_RX));
	assert_int_equal(sum.pcie.rx, 0);
	chip.flits[0] += 110;
	chip.flits[6] += 7;
	chip.heartbeat += 20;
	take(&chip, 2);
	assert_int_equal(sum.pcie.rx, 110 * 32);
	assert_int_equal(sum.pcie.tx, 7 * 32);
}

TEST(counters_begin_with_what_the_kernel_counted)
{
	struct chip chip = { .uuid = "a", .heartbeat = 500, .corrected = 7 };

	take(&chip, 2);
	assert_int_equal(sum.heartbeats, 500);
	assert_int_equal(sum.errors.correctable, 7);
	assert_int_equal(sum.resets, 0);
}

TEST(a_reset_is_counted_and_nothing_goes_backwards)
{
	struct chip chip = { .uuid = "a", .heartbeat = 500, .flits[0] = 1000 };

	take(&chip, 2);
	chip.flits[0] = 1500;
	chip.heartbeat = 520;
	take(&chip, 2);
	chip.flits[0] = 3;
	chip.heartbeat = 4;
	take(&chip, 2);
	assert_int_equal(sum.resets, 1);
	assert_int_equal(sum.heartbeats, 524);
	assert_int_equal(sum.pcie.rx, 500 * 32);
	chip.flits[0] = 13;
	chip.heartbeat = 24;
	take(&chip, 2);
	assert_int_equal(sum.pcie.rx, 510 * 32);
	assert_int_equal(sum.resets, 1);
}

TEST(totals_of_a_silent_chip_are_unknown_and_go_on_later)
{
	struct chip chip = { .uuid = "a", .heartbeat = 500, .power = 10 };

	take(&chip, 2);
	chip.silent = true;
	take(&chip, 2);
	assert_int_equal(sum.why[TOTAL_HEARTBEATS], TIMED_OUT);
	assert_int_equal(sum.why[TOTAL_ENERGY], TIMED_OUT);
	assert_int_equal(sum.why[TOTAL_PCIE_TX], TIMED_OUT);
	chip.silent = false;
	chip.heartbeat = 540;
	take(&chip, 2);
	assert_true(knows(TOTAL_HEARTBEATS));
	assert_int_equal(sum.heartbeats, 540);
	assert_near(sum.energy, 0);
}

TEST(energy_is_the_integral_of_power)
{
	struct chip chip = { .uuid = "a", .power = 100 };

	take(&chip, 1);
	chip.power = 200;
	take(&chip, 4);
	assert_near(sum.energy, 600);
	take(&chip, 2);
	assert_near(sum.energy, 1000);
}

TEST(another_chip_in_the_same_slot_counts_for_itself)
{
	struct chip first = { .uuid = "a", .heartbeat = 500 },
		    other = { .uuid = "b", .heartbeat = 3 };

	take(&first, 2);
	take(&other, 2);
	assert_int_equal(sum.heartbeats, 3);
	assert_int_equal(sum.resets, 0);
	first.heartbeat = 600;
	take(&first, 2);
	assert_int_equal(sum.heartbeats, 600);
}

static void assert_no_total_fell(void)
{
	assert_true(sum.resets >= last_sum.resets);
	assert_true(sum.heartbeats >= last_sum.heartbeats);
	assert_true(sum.energy >= last_sum.energy);
	assert_true(sum.pcie.rx >= last_sum.pcie.rx);
	assert_true(sum.pcie.tx >= last_sum.pcie.tx);
	assert_true(sum.errors.correctable >= last_sum.errors.correctable);
}

/* Advances the chip by two seconds. Returns the bytes that moved into it. */
static uint64_t work(struct chip *chip, uint64_t *seed)
{
	uint64_t flits = 0;

	for (unsigned i = 0; i < DEVICE_COUNTERS; i++) {
		uint64_t moved = random_below(seed, 1U << 27);

		chip->flits[i] += moved;
		flits += i < DEVICE_COUNTERS_RX ? moved : 0;
	}
	chip->heartbeat += 20;
	chip->corrected += random_below(seed, 3);
	chip->power = random_below(seed, 300);
	return flits * 32;
}

static void reset(struct chip *chip)
{
	memset(chip->flits, 0, sizeof(chip->flits));
	chip->heartbeat = 0;
}

/* A day of samples: resets, failed reads and late samples only lose the traffic of their time. */
TEST(nothing_goes_backwards_in_a_day_of_wraps_resets_and_silence)
{
	struct chip chip = { .uuid = "a", .heartbeat = 100000 };
	uint64_t seed = 7, moved = 0, resets = 0;

	take(&chip, 2);
	for (unsigned step = 0; step < 43200; step++) {
		unsigned event = random_below(&seed, 400);
		bool was_silent = chip.silent, lost;
		uint64_t bytes;

		if (event == 0) {
			reset(&chip);
			resets++;
		}
		bytes = work(&chip, &seed);
		chip.silent = event == 1;
		take(&chip, event == 2 ? 20 : 2);
		assert_no_total_fell();
		lost = event <= 2 || was_silent;
		moved += lost ? 0 : bytes;
		assert_int_equal(sum.pcie.rx, moved);
	}
	assert_true(resets > 50);
	assert_int_equal(sum.resets, resets);
	assert_true(moved >> 40); /* thousands of wraps */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wrap_is_counted),
		cmocka_unit_test(counters_begin_with_what_the_kernel_counted),
		cmocka_unit_test(a_reset_is_counted_and_nothing_goes_backwards),
		cmocka_unit_test(totals_of_a_silent_chip_are_unknown_and_go_on_later),
		cmocka_unit_test(energy_is_the_integral_of_power),
		cmocka_unit_test(another_chip_in_the_same_slot_counts_for_itself),
		cmocka_unit_test(nothing_goes_backwards_in_a_day_of_wraps_resets_and_silence),
	};
	struct CMUnitTest prepared[ARRAY_SIZE(tests)];

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		prepared[i] = tests[i];
		prepared[i].setup_func = begin;
		prepared[i].teardown_func = end;
	}
	return cmocka_run_group_tests(prepared, NULL, NULL);
}
