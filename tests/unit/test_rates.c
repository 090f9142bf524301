/* Values from two samples: PCIe rates, heartbeat, host CPU. Times are given, no clock is read. */
#include "basic/clock.h"
#include "model/rates.h"
#include "unit.h"

#include <stdio.h>

/* The driver's counters, in the order of the device's. */
enum {
	MST_POSTED0,
	MST_POSTED1,
	MST_NONPOSTED0,
	MST_NONPOSTED1,
	SLV_READ0,
	SLV_READ1,
	SLV_POSTED0,
	SLV_POSTED1,
	SLV_NONPOSTED0,
	SLV_NONPOSTED1,
	MST_READ0,
	MST_READ1,
};

static struct snapshot *before, *now;

static struct device *add(struct snapshot *snapshot, int64_t ms)
{
	struct device dev;

	device_init(&dev, 0);
	dev.arch = ARCH_WORMHOLE;
	dev.sampled_ns = dev.moved_ns = ms * NS_PER_MS;
	snprintf(dev.bdf, sizeof(dev.bdf), "0000:01:00.0");
	dev.why[DEV_BDF] = KNOWN;
	memset(dev.why + DEV_COUNTER, KNOWN, DEVICE_COUNTERS);
	dev.why[DEV_HEARTBEAT] = KNOWN;
	dev.heartbeat = (uint32_t)(1000 + ms / 100);
	dev.why[DEV_LINK_GEN] = dev.why[DEV_LINK_WIDTH] = KNOWN;
	dev.link_gen = 4;
	dev.link_width = 16;
	return snapshot_add_device(snapshot, &dev);
}

/* One Wormhole, sampled at 0 and at 1 s. */
static int make_pair(void **state)
{
	(void)state;
	if (snapshot_new(&before) < 0 || snapshot_new(&now) < 0)
		return -1;
	now->taken_ns = now->asked_ns = NS_PER_S;
	return !add(before, 0) || !add(now, 1000);
}

static int free_pair(void **state)
{
	(void)state;
	snapshot_free(before);
	snapshot_free(now);
	return 0;
}

static void fill(void)
{
	rates_fill(now, before, 100);
}

static void assert_rates(double rx, double tx)
{
	fill();
	assert_int_equal(now->devices[0].why[DEV_PCIE_RX], KNOWN);
	assert_int_equal(now->devices[0].why[DEV_PCIE_TX], KNOWN);
	assert_near(now->devices[0].pcie_rx, rx);
	assert_near(now->devices[0].pcie_tx, tx);
}

static void assert_no_rates(enum reason why)
{
	fill();
	assert_int_equal(now->devices[0].why[DEV_PCIE_RX], why);
	assert_int_equal(now->devices[0].why[DEV_PCIE_TX], why);
}

TEST(each_counter_counts_in_its_direction_and_both_nocs_add_up)
{
	static const bool into_device[DEVICE_COUNTERS] = {
		[MST_POSTED0] = true,	 [MST_POSTED1] = true, [MST_NONPOSTED0] = true,
		[MST_NONPOSTED1] = true, [SLV_READ0] = true,   [SLV_READ1] = true,
	};

	for (unsigned i = 0; i < DEVICE_COUNTERS; i++) {
		memset(now->devices[0].counters, 0, sizeof(now->devices[0].counters));
		now->devices[0].counters[i] = 1000;
		assert_rates(into_device[i] ? 32000 : 0, into_device[i] ? 0 : 32000);
	}
	for (unsigned i = 0; i < DEVICE_COUNTERS; i++)
		now->devices[0].counters[i] = 1;
	assert_rates(6 * 32, 6 * 32);
}

TEST(the_names_of_the_counters_are_in_that_order)
{
#define NAME(n, name) [n] = name,
	static const char *const names[DEVICE_COUNTERS] = { DEVICE_EACH_COUNTER(NAME) };

	assert_string_equal(names[MST_POSTED0], "mst_posted_wr_data_word_sent0");
	assert_string_equal(names[MST_NONPOSTED1], "mst_nonposted_wr_data_word_sent1");
	assert_string_equal(names[SLV_READ1], "slv_rd_data_word_sent1");
	assert_string_equal(names[SLV_POSTED0], "slv_posted_wr_data_word_received0");
	assert_string_equal(names[SLV_NONPOSTED1], "slv_nonposted_wr_data_word_received1");
	assert_string_equal(names[MST_READ0], "mst_rd_data_word_received0");
}

TEST(a_blackhole_flit_is_64_bytes_and_unknown_architectures_have_none)
{
	assert_int_equal(rates_flit_bytes(ARCH_WORMHOLE), 32);
	assert_int_equal(rates_flit_bytes(ARCH_BLACKHOLE), 64);
	assert_int_equal(rates_flit_bytes(ARCH_GRAYSKULL), 0);
	now->devices[0].arch = ARCH_BLACKHOLE;
	now->devices[0].counters[MST_READ1] = 10;
	assert_rates(0, 640);
	now->devices[0].arch = ARCH_UNKNOWN;
	fill();
	assert_int_not_equal(now->devices[0].why[DEV_PCIE_RX], KNOWN);
}

TEST(rates_are_per_second_of_the_devices_own_sampling_time)
{
	now->devices[0].sampled_ns = 250 * NS_PER_MS;
	now->devices[0].counters[MST_POSTED0] = 100;
	assert_rates(4 * 3200, 0);
}

TEST(one_wrap_is_harmless)
{
	before->devices[0].counters[MST_POSTED0] = UINT32_MAX - 9;
	now->devices[0].counters[MST_POSTED0] = 90;
	assert_rates(3200, 0);
}

TEST(if_a_counter_may_have_wrapped_twice_the_rate_is_unknown)
{
	/*
	 * The fastest link moves 2^32 flits of 32 bytes in 4.36 s. The link is slow now, but may
	 * have been fast in between.
	 */
	now->devices[0].counters[MST_POSTED0] = 100;
	now->devices[0].link_gen = now->devices[0].link_width = 1;
	now->devices[0].sampled_ns = 4330 * NS_PER_MS;
	fill();
	assert_int_equal(now->devices[0].why[DEV_PCIE_RX], KNOWN);
	now->devices[0].sampled_ns = 4400 * NS_PER_MS;
	assert_no_rates(NEEDS_TWO_SAMPLES);
}

TEST(a_heartbeat_that_decreased_shows_a_reset)
{
	before->devices[0].counters[MST_POSTED0] = 4000000;
	now->devices[0].counters[MST_POSTED0] = 100;
	now->devices[0].heartbeat = 3;
	assert_no_rates(NEEDS_TWO_SAMPLES);
}

TEST(a_reset_seen_in_one_sample_is_not_taken_for_traffic)
{
	/* During a reset, counters are readable and the heartbeat is not. */
	before->devices[0].counters[MST_POSTED0] = 4000000;
	before->devices[0].why[DEV_HEARTBEAT] = RESETTING;
	now->devices[0].counters[MST_POSTED0] = 100;
	now->devices[0].heartbeat = 3;
	assert_no_rates(NEEDS_TWO_SAMPLES);
	before->devices[0].why[DEV_HEARTBEAT] = NOT_ANSWERING;
	assert_no_rates(NEEDS_TWO_SAMPLES);
	/* In the second sample: counters are cleared already, and firmware is not up yet. */
	before->devices[0].why[DEV_HEARTBEAT] = KNOWN;
	now->devices[0].why[DEV_HEARTBEAT] = RESETTING;
	assert_no_rates(NEEDS_TWO_SAMPLES);
}

TEST(without_a_heartbeat_in_either_sample_rates_are_known)
{
	before->devices[0].why[DEV_HEARTBEAT] = now->devices[0].why[DEV_HEARTBEAT] = NOT_OFFERED;
	now->devices[0].counters[MST_POSTED0] = 100;
	assert_rates(3200, 0);
}

TEST(without_a_heartbeat_a_counter_that_fell_may_be_a_reset)
{
	/* One wrap would be 28 GB/s, which the link can carry: the two cannot be distinguished. */
	before->devices[0].why[DEV_HEARTBEAT] = now->devices[0].why[DEV_HEARTBEAT] = NOT_OFFERED;
	now->devices[0].sampled_ns = 2 * NS_PER_S;
	before->devices[0].counters[MST_POSTED0] = 3000000000u;
	now->devices[0].counters[MST_POSTED0] = 500000000u;
	assert_no_rates(NEEDS_TWO_SAMPLES);
	/* Other counters that continued to count prove nothing. */
	now->devices[0].counters[SLV_READ0] = 1000;
	assert_no_rates(NEEDS_TWO_SAMPLES);
}

/* Rates of one counter with the given steps in a second: known or implausible? */
static void assert_steps(uint32_t steps, enum reason why)
{
	now->devices[0].counters[SLV_POSTED0] = steps;
	fill();
	assert_int_equal(now->devices[0].why[DEV_PCIE_RX], why);
	assert_int_equal(now->devices[0].why[DEV_PCIE_TX], why);
}

TEST(a_rate_above_the_capacity_of_the_link_is_rejected)
{
	struct device *dev = &now->devices[0];

	/* Sixteen lanes of PCIe 4.0 carry 31.5 GB/s: 0.98e9 flits of 32 bytes. */
	dev->why[DEV_LINK_GEN_MAX] = KNOWN;
	dev->link_gen_max = 4;
	assert_steps(1000000000u, KNOWN);
	assert_steps(1050000000u, IMPLAUSIBLE);
	dev->link_width = 1;
	assert_steps(62000000u, KNOWN);
	assert_steps(66000000u, IMPLAUSIBLE);
	/* An idle link that was slow when it was looked at may have been fast in between. */
	dev->link_gen = 1;
	assert_steps(62000000u, KNOWN);
	dev->link_gen_max = 3;
	assert_steps(33000000u, IMPLAUSIBLE);
}

TEST(without_a_link_the_fastest_of_the_architecture_is_the_bound)
{
	struct device *dev = &now->devices[0];

	dev->why[DEV_LINK_GEN] = dev->why[DEV_LINK_WIDTH] = NOT_ANSWERING;
	dev->why[DEV_LINK_GEN_MAX] = NOT_ASKED;
	assert_steps(1000000000u, KNOWN);
	assert_steps(1050000000u, IMPLAUSIBLE);
	/* PCIe 5.0 carries 63 GB/s, and a flit has 64 bytes. */
	dev->arch = before->devices[0].arch = ARCH_BLACKHOLE;
	assert_steps(1000000000u, KNOWN);
	assert_steps(1050000000u, IMPLAUSIBLE);
	/* The maximum that a chip off the bus reports is not a limit. */
	dev->why[DEV_LINK_GEN_MAX] = KNOWN;
	dev->link_gen_max = 6;
	assert_steps(1050000000u, IMPLAUSIBLE);
}

TEST(missing_counters_and_missing_samples_have_their_reasons)
{
	now->devices[0].why[DEV_COUNTER + 7] = NOT_ANSWERING;
	assert_no_rates(NOT_ANSWERING);
	now->devices[0].why[DEV_COUNTER + 7] = KNOWN;
	before->devices[0].why[DEV_COUNTER + 7] = NOT_ANSWERING;
	assert_no_rates(NEEDS_TWO_SAMPLES);
	before->devices[0].why[DEV_COUNTER + 7] = KNOWN;
	now->devices[0].sampled_ns = 0;
	assert_no_rates(NEEDS_TWO_SAMPLES);
	now->devices[0].sampled_ns = -5;
	assert_no_rates(NEEDS_TWO_SAMPLES);
	rates_fill(now, NULL, 100);
	assert_int_equal(now->devices[0].why[DEV_PCIE_RX], NEEDS_TWO_SAMPLES);
}

TEST(another_card_behind_the_same_index_is_not_compared)
{
	snprintf(before->devices[0].bdf, sizeof(before->devices[0].bdf), "0000:02:00.0");
	assert_no_rates(NEEDS_TWO_SAMPLES);
}

TEST(cards_without_an_address_are_not_confused)
{
	struct device *second = add(now, 1000);

	second->index = 1;
	add(before, 0)->index = 1;
	for (size_t i = 0; i < 2; i++) {
		before->devices[i].why[DEV_BDF] = now->devices[i].why[DEV_BDF] = MALFORMED;
		before->devices[i].bdf[0] = now->devices[i].bdf[0] = '\0';
		before->devices[i].counters[MST_POSTED0] = (uint32_t)i * 1000000;
		now->devices[i].counters[MST_POSTED0] = (uint32_t)i * 1000000 + 100;
	}
	fill();
	assert_near(now->devices[0].pcie_rx, 3200);
	assert_near(now->devices[1].pcie_rx, 3200);
}

TEST(fields_that_were_not_requested_stay_unknown)
{
	memset(now->devices[0].why + DEV_COUNTER, NOT_ASKED, DEVICE_COUNTERS);
	now->devices[0].why[DEV_HEARTBEAT] = NOT_ASKED;
	fill();
	assert_int_equal(now->devices[0].why[DEV_PCIE_RX], NOT_ASKED);
	assert_int_equal(now->devices[0].why[DEV_ALIVE], NOT_ASKED);
}

TEST(a_chip_without_pcie_has_no_rates)
{
	before->devices[0].remote = now->devices[0].remote = true;
	fill();
	assert_int_equal(now->devices[0].why[DEV_PCIE_RX], NOT_ASKED);
	assert_int_equal(now->devices[0].why[DEV_ALIVE], NOT_ASKED);
}

/* Samples every step_ms; the heartbeat stops at stop_ms. */
static void sample_heartbeat(int step_ms, int stop_ms, int end_ms)
{
	for (int ms = step_ms; ms <= end_ms; ms += step_ms) {
		struct snapshot *swap = before;

		before = now;
		now = snapshot_free(swap);
		assert_int_equal(snapshot_new(&now), 0);
		add(now, ms)->heartbeat = (uint32_t)(1000 + MIN(ms, stop_ms) / 100);
		fill();
	}
}

TEST(a_changing_heartbeat_is_alive_at_any_sampling_rate)
{
	static const int steps[] = { 30, 50, 100, 110, 250, 1000 };

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		now->devices[0].sampled_ns = now->devices[0].moved_ns = 0;
		now->devices[0].heartbeat = 1000;
		now->devices[0].why[DEV_ALIVE] = NEEDS_TWO_SAMPLES;
		sample_heartbeat(steps[i], 1000000, 3000);
		assert_int_equal(now->devices[0].why[DEV_ALIVE], KNOWN);
		assert_true(now->devices[0].alive);
	}
}

TEST(a_stopped_heartbeat_is_noticed_after_its_timeout_at_any_rate)
{
	static const int steps[] = { 30, 50, 100, 1000 };

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		now->devices[0].sampled_ns = now->devices[0].moved_ns = 0;
		now->devices[0].heartbeat = 1000;
		sample_heartbeat(steps[i], 1000, 3000);
		assert_int_equal(now->devices[0].why[DEV_ALIVE], KNOWN);
		assert_false(now->devices[0].alive);
	}
}

TEST(within_its_timeout_a_stopped_heartbeat_keeps_the_last_state)
{
	before->devices[0].heartbeat = now->devices[0].heartbeat = 77;
	now->devices[0].sampled_ns = 100 * NS_PER_MS;
	before->devices[0].why[DEV_ALIVE] = NEEDS_TWO_SAMPLES;
	fill();
	assert_int_equal(now->devices[0].why[DEV_ALIVE], NEEDS_TWO_SAMPLES);
	before->devices[0].why[DEV_ALIVE] = KNOWN;
	fill();
	assert_int_equal(now->devices[0].why[DEV_ALIVE], KNOWN);
	assert_true(now->devices[0].alive);
}

TEST(a_heartbeat_that_continues_is_alive_at_once)
{
	before->devices[0].alive = false;
	before->devices[0].why[DEV_ALIVE] = KNOWN;
	before->devices[0].moved_ns = -60 * NS_PER_S;
	fill();
	assert_true(now->devices[0].alive);
	assert_true(now->devices[0].moved_ns == NS_PER_S);
}

TEST(an_unreadable_heartbeat_passes_its_reason_on)
{
	now->devices[0].why[DEV_HEARTBEAT] = RESETTING;
	fill();
	assert_int_equal(now->devices[0].why[DEV_ALIVE], RESETTING);
	now->devices[0].why[DEV_HEARTBEAT] = KNOWN;
	before->devices[0].why[DEV_HEARTBEAT] = RESETTING;
	fill();
	assert_int_equal(now->devices[0].why[DEV_ALIVE], NEEDS_TWO_SAMPLES);
}

static struct process *add_process(struct snapshot *snapshot, uint64_t start, uint64_t ticks)
{
	struct process *process = snapshot_add_process(snapshot, 42);

	process->start_ticks = start;
	process->cpu_ticks = ticks;
	process->elapsed = 10;
	process->why[PROC_CPU] = KNOWN;
	return process;
}

TEST(cpu_is_since_the_last_sample_or_since_the_start)
{
	add_process(now, 5, 250);
	rates_fill(now, NULL, 100);
	assert_near(now->processes[0].cpu, 0.25);
	add_process(before, 5, 100);
	fill();
	assert_near(now->processes[0].cpu, 1.5);
	/* The pid was reused: another process. */
	before->processes[0].start_ticks = 4;
	fill();
	assert_near(now->processes[0].cpu, 0.25);
}

TEST(cpu_is_per_second_between_the_times_at_which_processes_were_read)
{
	add_process(before, 5, 100);
	add_process(now, 5, 250);
	/* Devices were read at other times. */
	before->taken_ns = 2 * NS_PER_S;
	before->asked_ns = 3 * NS_PER_S;
	now->taken_ns = 20 * NS_PER_S;
	now->asked_ns = 8 * NS_PER_S;
	fill();
	assert_near(now->processes[0].cpu, 0.3);
	/* Other kernels have another tick rate. */
	rates_fill(now, before, 250);
	assert_near(now->processes[0].cpu, 0.12);
}

TEST(cpu_without_a_matching_earlier_sample_is_since_the_start)
{
	add_process(before, 5, 100);
	add_process(now, 5, 250);
	before->processes[0].why[PROC_CPU] = DENIED;
	fill();
	assert_near(now->processes[0].cpu, 0.25);
	before->processes[0].why[PROC_CPU] = KNOWN;
	before->processes[0].cpu_ticks = 251; /* less than before: not the same counter */
	fill();
	assert_near(now->processes[0].cpu, 0.25);
	before->processes[0].cpu_ticks = 100;
	before->asked_ns = now->asked_ns;
	now->processes[0].cpu = 0;
	fill();
	assert_int_equal(now->processes[0].why[PROC_CPU], KNOWN);
	assert_near(now->processes[0].cpu, 0.25);
}

TEST(a_recording_that_is_read_twice_is_one_sample)
{
	add_process(before, 5, 100);
	add_process(now, 5, 250);
	now->recorded = true;
	now->devices[0].counters[MST_POSTED0] = 100;
	assert_no_rates(NEEDS_TWO_SAMPLES);
	assert_int_equal(now->devices[0].why[DEV_ALIVE], NEEDS_TWO_SAMPLES);
	assert_near(now->processes[0].cpu, 0.25);
}

TEST(cpu_is_compared_with_the_same_process_and_is_not_guessed)
{
	struct process *other;

	add_process(before, 5, 100);
	other = snapshot_add_process(before, 41);
	other->start_ticks = 5;
	other->why[PROC_CPU] = KNOWN;
	add_process(now, 5, 250);
	fill();
	assert_near(now->processes[0].cpu, 1.5);
	now->processes[0].why[PROC_CPU] = DENIED;
	now->processes[0].cpu = 7;
	fill();
	assert_int_equal(now->processes[0].why[PROC_CPU], DENIED);
	assert_near(now->processes[0].cpu, 7);
}

TEST(a_process_that_just_started_has_no_share_yet)
{
	add_process(now, 5, 0)->elapsed = 0;
	rates_fill(now, NULL, 100);
	assert_int_equal(now->processes[0].why[PROC_CPU], NEEDS_TWO_SAMPLES);
}

#define PAIR(test) cmocka_unit_test_setup_teardown(test, make_pair, free_pair)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PAIR(each_counter_counts_in_its_direction_and_both_nocs_add_up),
		PAIR(the_names_of_the_counters_are_in_that_order),
		PAIR(a_blackhole_flit_is_64_bytes_and_unknown_architectures_have_none),
		PAIR(rates_are_per_second_of_the_devices_own_sampling_time),
		PAIR(one_wrap_is_harmless),
		PAIR(if_a_counter_may_have_wrapped_twice_the_rate_is_unknown),
		PAIR(a_heartbeat_that_decreased_shows_a_reset),
		PAIR(a_reset_seen_in_one_sample_is_not_taken_for_traffic),
		PAIR(without_a_heartbeat_in_either_sample_rates_are_known),
		PAIR(without_a_heartbeat_a_counter_that_fell_may_be_a_reset),
		PAIR(a_rate_above_the_capacity_of_the_link_is_rejected),
		PAIR(without_a_link_the_fastest_of_the_architecture_is_the_bound),
		PAIR(missing_counters_and_missing_samples_have_their_reasons),
		PAIR(another_card_behind_the_same_index_is_not_compared),
		PAIR(cards_without_an_address_are_not_confused),
		PAIR(fields_that_were_not_requested_stay_unknown),
		PAIR(a_chip_without_pcie_has_no_rates),
		PAIR(a_changing_heartbeat_is_alive_at_any_sampling_rate),
		PAIR(a_stopped_heartbeat_is_noticed_after_its_timeout_at_any_rate),
		PAIR(within_its_timeout_a_stopped_heartbeat_keeps_the_last_state),
		PAIR(a_heartbeat_that_continues_is_alive_at_once),
		PAIR(an_unreadable_heartbeat_passes_its_reason_on),
		PAIR(cpu_is_since_the_last_sample_or_since_the_start),
		PAIR(cpu_is_per_second_between_the_times_at_which_processes_were_read),
		PAIR(cpu_without_a_matching_earlier_sample_is_since_the_start),
		PAIR(a_recording_that_is_read_twice_is_one_sample),
		PAIR(cpu_is_compared_with_the_same_process_and_is_not_guessed),
		PAIR(a_process_that_just_started_has_no_share_yet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
