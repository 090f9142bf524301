/*
 * Readings of one card while its files change between samples: a reset, a chip off the bus, late
 * telemetry, limits that firmware changes.
 */
#include "sampler_tree.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

TEST(a_healthy_card_is_read)
{
	struct device *dev = sample();

	assert_int_equal(dev->state, DEVICE_OK);
	assert_string_equal(dev->health, "ok");
	assert_string_equal(dev->board, "n150");
	assert_string_equal(dev->bdf, "0000:01:00.0");
	assert_near(dev->temperature, 34.78);
	assert_int_equal(dev->memory_total[POOL_DRAM], 12884901888);
	assert_int_equal(dev->why[DEV_DRAM_USED], KNOWN);
	assert_int_equal(dev->memory_used[POOL_DRAM], 0);
	assert_string_equal(now->host.driver, "2.10.0");
}

TEST(a_chip_off_the_bus_is_detected_though_its_counters_are_readable)
{
	struct device *dev;

	sample();
	put_dead();
	put_counters("4294967295\n");
	dev = sample();
	assert_int_equal(dev->state, DEVICE_NOT_ANSWERING);
	assert_int_equal(dev->why[DEV_TEMPERATURE], NOT_ANSWERING);
	assert_int_equal(dev->why[DEV_TEMPERATURE_LIMIT], NOT_ANSWERING);
	assert_int_equal(dev->why[DEV_COUNTER], NOT_ANSWERING);
	assert_int_equal(dev->why[DEV_PCIE_RX], NOT_ANSWERING);
	assert_string_equal(dev->board, "n150"); /* known from before */
}

/* The fields that -L needs. */
static void want_list(void)
{
	want = (struct want){ 0 };
	fieldset_add(&want.device, DEV_BOARD);
	fieldset_add(&want.device, DEV_ASIC_ID);
	sampler_want(sampler, &want);
}

TEST(one_missing_id_does_not_change_the_state)
{
	struct device *dev;

	drop(CARD "tt_asic_id");
	want_list();
	dev = sample();
	assert_int_equal(dev->state, DEVICE_OK);
	assert_int_equal(dev->why[DEV_ASIC_ID], NOT_OFFERED);
	dev = sample();
	assert_int_equal(dev->state, DEVICE_OK);
	/* If all other readings are missing too, the state does change. */
	drop_telemetry();
	sampler_free(sampler);
	assert_int_equal(sampler_new(&root, &want, sources, &sampler), 0);
	assert_int_equal(sample()->state, DEVICE_NO_TELEMETRY);
}

TEST(a_state_requested_alone_is_that_of_the_chip)
{
	want = (struct want){ 0 };
	fieldset_add(&want.device, DEV_STATE);
	sampler_want(sampler, &want);
	assert_int_equal(sample()->state, DEVICE_OK);
	put_dead();
	put(CARD "tt_serial", "FFFFFFFFFFFFFFFF\n");
	put(CARD "tt_asic_id", "FFFFFFFFFFFFFFFF\n");
	put(CARD "tt_fw_bundle_ver", "255.255.255.255\n");
	sampler_free(sampler);
	assert_int_equal(sampler_new(&root, &want, sources, &sampler), 0);
	assert_int_equal(sample()->state, DEVICE_NOT_ANSWERING);
}

TEST(a_fan_without_control_is_not_a_failure)
{
	struct device *dev;

	put(HWMON "fan1_input", "4294967295\n");
	assert_int_equal(sample()->why[DEV_FAN_RPM], NOT_APPLICABLE);
	put_dead();
	dev = sample();
	assert_int_equal(dev->state, DEVICE_NOT_ANSWERING);
	assert_int_equal(dev->why[DEV_FAN_RPM], NOT_ANSWERING);
}

TEST(a_fan_requested_alone_is_judged_by_the_chip)
{
	put(HWMON "fan1_input", "4294967295\n");
	want = (struct want){ 0 };
	fieldset_add(&want.device, DEV_FAN_RPM);
	sampler_want(sampler, &want);
	assert_int_equal(sample()->why[DEV_FAN_RPM], NOT_APPLICABLE);
	put_dead();
	put(CARD "tt_serial", "FFFFFFFFFFFFFFFF\n");
	put(CARD "tt_asic_id", "FFFFFFFFFFFFFFFF\n");
	put(CARD "tt_fw_bundle_ver", "255.255.255.255\n");
	sampler_free(sampler);
	assert_int_equal(sampler_new(&root, &want, sources, &sampler), 0);
	assert_int_equal(sample()->why[DEV_FAN_RPM], NOT_ANSWERING);
}

TEST(telemetry_that_appears_late_is_found)
{
	struct device *dev;

	drop_telemetry();
	dev = sample();
	assert_int_equal(dev->state, DEVICE_NO_TELEMETRY);
	assert_int_equal(dev->why[DEV_TEMPERATURE], NOT_OFFERED);
	assert_string_equal(dev->board, "n150"); /* by the PCI subsystem */
	put_telemetry();
	dev = sample();
	assert_int_equal(dev->state, DEVICE_OK);
	assert_near(dev->temperature, 34.78);
}

/* The driver registers its hwmon device after the others, so a sample may come in between. */
TEST(files_of_a_card_that_responds_are_found_when_they_appear)
{
	struct device *dev;

	drop(HWMON "temp1_input");
	drop(HWMON "power1_input");
	dev = sample();
	assert_int_equal(dev->state, DEVICE_OK);
	assert_int_equal(dev->why[DEV_TEMPERATURE], NOT_OFFERED);
	assert_int_equal(dev->why[DEV_POWER], NOT_OFFERED);
	put_telemetry();
	held_ns += 10 * NS_PER_S;
	dev = sample();
	assert_near(dev->temperature, 34.78);
	assert_int_equal(dev->why[DEV_POWER], KNOWN);
}

TEST(after_a_reset_firmware_and_limits_are_read_again)
{
	struct device *dev;

	sample();
	put(CARD "tt_heartbeat", "3\n");
	put(CARD "tt_fw_bundle_ver", "19.5.0.0\n");
	put(HWMON "temp1_max", "85000\n");
	dev = sample();
	assert_int_equal(dev->why[DEV_FW_BUNDLE], KNOWN);
	assert_string_equal(dev->fw_bundle, "19.5.0.0");
	assert_int_equal(dev->why[DEV_TEMPERATURE_LIMIT], KNOWN);
	assert_near(dev->temperature_limit, 85);
	assert_string_equal(dev->board, "n150");
	assert_int_equal(dev->why[DEV_SERIAL], KNOWN);
}

TEST(a_reset_during_a_sample_is_noticed_afterwards)
{
	struct device *dev;

	sample();
	put_dead();
	sample();
	put_telemetry();
	put(CARD "tt_heartbeat", "3\n");
	put(CARD "tt_fw_bundle_ver", "19.5.0.0\n");
	put_counters("7\n");
	dev = sample();
	assert_string_equal(dev->fw_bundle, "19.5.0.0");
	assert_int_equal(dev->why[DEV_PCIE_RX], NEEDS_TWO_SAMPLES);
}

TEST(a_board_is_known_by_the_code_in_its_serial)
{
	put(CARD "tt_card_type", "unknown\n");
	drop(PCI "subsystem_device");
	assert_string_equal(sample()->board, "n150");
}

TEST(a_fifo_or_a_folder_instead_of_a_file_does_not_block)
{
	struct device *dev;

	drop("sys/module/tenstorrent/version");
	drop("proc/driver/tenstorrent/0/pids");
	drop(CARD "tt_aiclk");
	drop(HWMON "power1_input");
	assert_int_equal(mkfifoat(root.fd, "sys/module/tenstorrent/version", 0600), 0);
	assert_int_equal(mkfifoat(root.fd, "proc/driver/tenstorrent/0/pids", 0600), 0);
	assert_int_equal(mkfifoat(root.fd, CARD "tt_aiclk", 0600), 0);
	assert_int_equal(mkdirat(root.fd, HWMON "power1_input", 0700), 0);
	assert_int_equal(mkfifoat(root.fd, "etc", 0600), 0);
	alarm(300);
	dev = sample();
	alarm(0);
	assert_near(dev->temperature, 34.78);
	assert_int_not_equal(dev->why[DEV_AICLK], KNOWN);
	assert_int_not_equal(dev->why[DEV_POWER], KNOWN);
	assert_int_not_equal(now->host.why[HOST_DRIVER], KNOWN);
}

TEST(a_card_that_vanishes_is_lost_and_may_return)
{
	struct device *dev;

	sample();
	assert_int_equal(renameat(root.fd, "sys/class/tenstorrent/tenstorrent!0", root.fd,
				  "sys/class/tenstorrent/away"),
			 0);
	dev = sample();
	assert_int_equal(dev->state, DEVICE_LOST);
	assert_int_equal(dev->why[DEV_TEMPERATURE], GONE);
	assert_string_equal(dev->board, "n150");
	assert_int_equal(renameat(root.fd, "sys/class/tenstorrent/away", root.fd,
				  "sys/class/tenstorrent/tenstorrent!0"),
			 0);
	dev = sample();
	assert_int_equal(dev->state, DEVICE_OK);
}

/*
 * Drivers after 2.10 return ENODATA for a fan that firmware does not control; others do so for an
 * id of which firmware publishes only half.
 */
TEST(enodata_in_one_file_is_not_a_reset)
{
	struct device *dev;

	put(HWMON "fan1_input", "4294967295\n");
	empty = "fan1_input";
	dev = sample();
	assert_int_equal(dev->state, DEVICE_OK);
	assert_int_equal(dev->why[DEV_FAN_RPM], NOT_APPLICABLE);
	empty = "tt_asic_id";
	want_list();
	sampler_free(sampler);
	assert_int_equal(sampler_new(&root, &want, sources, &sampler), 0);
	dev = sample();
	empty = NULL;
	assert_int_equal(dev->state, DEVICE_OK);
	assert_int_equal(dev->why[DEV_ASIC_ID], NOT_OFFERED);
}

TEST(at_a_low_rate_slow_values_are_read_less_often)
{
	struct device *dev;

	want.low_rate = true;
	sampler_want(sampler, &want);
	sample();
	put(HWMON "temp1_input", "50000\n");
	put(PCI "current_link_width", "8\n");
	put_counters("200\n");
	dev = sample();
	assert_near(dev->temperature, 50);
	assert_int_equal(dev->link_width, 16);
	assert_int_equal(dev->counters[0], 100);
	assert_true(dev->sampled_ns == before->devices[0].sampled_ns);
	want.low_rate = false;
	sampler_want(sampler, &want);
	dev = sample();
	assert_int_equal(dev->link_width, 8);
	assert_int_equal(dev->counters[0], 200);
	assert_true(dev->sampled_ns > before->devices[0].sampled_ns);
}

TEST(limits_that_firmware_changed_are_read_again_at_any_rate)
{
	for (int low_rate = 0; low_rate < 2; low_rate++) {
		struct device *dev;

		want.low_rate = low_rate;
		sampler_want(sampler, &want);
		put(HWMON "temp1_max", "75000\n");
		put(HWMON "power1_max", "85000000\n");
		held_ns += 20 * NS_PER_S;
		dev = sample();
		assert_near(dev->temperature_limit, 75);
		assert_near(dev->power_limit, 85);
		put(HWMON "temp1_max", "60000\n");
		put(HWMON "power1_max", "50000000\n");
		dev = sample(); /* a millisecond later: not due yet */
		assert_near(dev->temperature_limit, 75);
		held_ns += 10 * NS_PER_S;
		dev = sample();
		assert_near(dev->temperature_limit, 60);
		assert_near(dev->power_limit, 50);
		assert_near(dev->temperature_headroom, 60 - 34.78);
	}
}

TEST(a_limit_that_firmware_withdrew_is_not_kept)
{
	struct device *dev;

	sample();
	put(HWMON "temp1_max", "garbage\n");
	held_ns += 10 * NS_PER_S;
	dev = sample();
	assert_int_equal(dev->why[DEV_TEMPERATURE_LIMIT], MALFORMED);
	assert_int_equal(dev->why[DEV_TEMPERATURE_HEADROOM], MALFORMED);
}

TEST(a_chip_with_a_problem_shows_no_old_values)
{
	struct device *dev;

	want.low_rate = true;
	sampler_want(sampler, &want);
	sample();
	put_dead();
	put_counters("4294967295\n");
	put(PCI "current_link_width", "63\n");
	dev = sample();
	assert_int_equal(dev->state, DEVICE_NOT_ANSWERING);
	assert_int_equal(dev->why[DEV_HEARTBEAT], NOT_ANSWERING);
	assert_int_equal(dev->why[DEV_LINK_WIDTH], NOT_ANSWERING);
	assert_int_equal(dev->why[DEV_COUNTER], NOT_ANSWERING);
}

TEST(a_replaced_card_is_noticed_by_a_reader_of_constants)
{
	want = (struct want){ 0 };
	want_add(&want, OF_DEVICE, DEV_SERIAL);
	sampler_want(sampler, &want);
	assert_true(sample()->serial == 0x010001851170C06C);
	assert_int_equal(renameat(root.fd, CARD, root.fd, "sys/class/was"), 0);
	make_folders(CARD);
	put(CARD "tt_serial", "010001851170C06D\n");
	assert_true(sample()->serial == 0x010001851170C06D);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_TREE(a_healthy_card_is_read),
		ON_TREE(a_chip_off_the_bus_is_detected_though_its_counters_are_readable),
		ON_TREE(one_missing_id_does_not_change_the_state),
		ON_TREE(a_state_requested_alone_is_that_of_the_chip),
		ON_TREE(a_fan_without_control_is_not_a_failure),
		ON_TREE(a_fan_requested_alone_is_judged_by_the_chip),
		ON_TREE(enodata_in_one_file_is_not_a_reset),
		ON_TREE(telemetry_that_appears_late_is_found),
		ON_TREE(files_of_a_card_that_responds_are_found_when_they_appear),
		ON_TREE(after_a_reset_firmware_and_limits_are_read_again),
		ON_TREE(a_reset_during_a_sample_is_noticed_afterwards),
		ON_TREE(at_a_low_rate_slow_values_are_read_less_often),
		ON_TREE(limits_that_firmware_changed_are_read_again_at_any_rate),
		ON_TREE(a_limit_that_firmware_withdrew_is_not_kept),
		ON_TREE(a_chip_with_a_problem_shows_no_old_values),
		ON_TREE(a_replaced_card_is_noticed_by_a_reader_of_constants),
		ON_TREE(a_board_is_known_by_the_code_in_its_serial),
		ON_TREE(a_fifo_or_a_folder_instead_of_a_file_does_not_block),
		ON_TREE(a_card_that_vanishes_is_lost_and_may_return),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
