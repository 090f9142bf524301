/*
 * The sources together, on a small tree of files that the test changes between
 * samples: a reset, a chip off the bus, telemetry that comes late, utilisation
 * that is published. Time passes when the test says so: on a machine that stalls,
 * no read is late and nothing grows old.
 */
#include "basic/clock.h"
#include "basic/file.h"
#include "source/sampler.h"
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define CARD  "sys/class/tenstorrent/tenstorrent!0/"
#define PCI   "sys/devices/0000:01:00.0/"
#define HWMON PCI "hwmon/hwmon4/"

static char folder[32];
static struct root root;
static struct want want;
static struct sampler *sampler;
static struct snapshot *before, *now;
static bool stop; /* the collector */

/* CLOCK_MONOTONIC, if not 0; the linker sends us the calls. */
static atomic_int_fast64_t held_ns;

int __real_clock_gettime(clockid_t clock, struct timespec *ret);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
	int64_t ns = held_ns;

	if (!ns || clock != CLOCK_MONOTONIC)
		return __real_clock_gettime(clock, ret);
	*ret = clock_timespec(ns);
	return 0;
}

/* Makes the folders on the way. */
static void make_folders(const char *path)
{
	char part[128];

	for (const char *slash = path; (slash = strchr(slash, '/')); slash++) {
		snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
		mkdirat(root.fd, part, 0700);
	}
}

static void put_bytes(const char *path, const void *data, size_t length)
{
	int fd;

	make_folders(path);
	fd = openat(root.fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, length), length);
	close(fd);
}

static void put(const char *path, const char *text)
{
	put_bytes(path, text, strlen(text));
}

static void drop(const char *path)
{
	assert_int_equal(unlinkat(root.fd, path, 0), 0);
}

static const char *const telemetry[][2] = {
	{ CARD "tt_card_type", "n150\n" },
	{ CARD "tt_serial", "010001851170C06C\n" },
	{ CARD "tt_asic_id", "2F9C2B4A51D01A2B\n" },
	{ CARD "tt_fw_bundle_ver", "18.12.0.0\n" },
	{ CARD "tt_aiclk", "500\n" },
	{ CARD "tt_heartbeat", "1000\n" },
	{ HWMON "temp1_input", "34780\n" },
	{ HWMON "temp1_max", "75000\n" },
	{ HWMON "power1_input", "27000000\n" },
};

static const char *const dead[][2] = {
	{ CARD "tt_aiclk", "4294967295\n" },	  { CARD "tt_heartbeat", "4294967295\n" },
	{ HWMON "temp1_input", "65535999\n" },	  { HWMON "temp1_max", "4294966296\n" },
	{ HWMON "power1_input", "4293967296\n" },
};

static void put_all(const char *const (*files)[2], size_t count)
{
	for (size_t i = 0; i < count; i++)
		put(files[i][0], files[i][1]);
}

static void put_counters(const char *text)
{
#define NAME(n, name) CARD "pcie_perf_counters/" name,
	static const char *const names[] = { DEVICE_EACH_COUNTER(NAME) };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		put(names[i], text);
}

/* One n150, healthy. */
static int make_tree(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/unit_sampler.XXXXXX");
	if (!mkdtemp(folder) || root_init(&root, folder) < 0)
		return -1;
	root.confined = false; /* files that hang do so in openat() */
	put("sys/module/tenstorrent/version", "2.10.0\n");
	put("proc/driver/tenstorrent/0/pids", "");
	make_folders("dev/shm/");
	make_folders(CARD);
	if (symlinkat("../../../devices/0000:01:00.0", root.fd, CARD "device") < 0)
		return -1;
	put(PCI "device", "0x401e\n");
	put(PCI "subsystem_device", "0x0018\n");
	put(PCI "current_link_speed", "16.0 GT/s PCIe\n");
	put(PCI "current_link_width", "16\n");
	put_all(telemetry, ARRAY_SIZE(telemetry));
	put_counters("100\n");
	memset(&want, 0, sizeof(want));
	want_add_everything(&want);
	held_ns = 1000 * NS_PER_S;
	return sampler_new(&root, &want, sources, &sampler);
}

static int remove_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int remove_tree(void **state)
{
	(void)state;
	before = snapshot_free(before);
	now = snapshot_free(now);
	sampler = sampler_free(sampler);
	root_done(&root);
	return nftw(folder, remove_file, 16, FTW_DEPTH | FTW_PHYS);
}

static struct device *sample(void)
{
	if (held_ns)
		held_ns += NS_PER_MS;
	snapshot_free(before);
	before = now;
	now = NULL;
	assert_int_equal(sampler_take(sampler, before, &now), 0);
	assert_int_equal(now->n_devices, 1);
	return &now->devices[0];
}

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

TEST(a_chip_off_the_bus_does_not_answer_though_its_counters_read)
{
	struct device *dev;

	sample();
	put_all(dead, ARRAY_SIZE(dead));
	put_counters("4294967295\n");
	dev = sample();
	assert_int_equal(dev->state, DEVICE_NOT_ANSWERING);
	assert_int_equal(dev->why[DEV_TEMPERATURE], NOT_ANSWERING);
	assert_int_equal(dev->why[DEV_TEMPERATURE_LIMIT], NOT_ANSWERING);
	assert_int_equal(dev->why[DEV_COUNTER], NOT_ANSWERING);
	assert_int_equal(dev->why[DEV_PCIE_RX], NOT_ANSWERING);
	assert_string_equal(dev->board, "n150"); /* what it is stays known */
}

/* What -L asks for. */
static void want_list(void)
{
	want = (struct want){ 0 };
	fieldset_add(&want.device, DEV_BOARD);
	fieldset_add(&want.device, DEV_ASIC_ID);
	sampler_want(sampler, &want);
}

TEST(one_missing_id_says_nothing_of_the_chip)
{
	struct device *dev;

	drop(CARD "tt_asic_id");
	want_list();
	dev = sample();
	assert_int_equal(dev->state, DEVICE_OK);
	assert_int_equal(dev->why[DEV_ASIC_ID], NOT_OFFERED);
	dev = sample();
	assert_int_equal(dev->state, DEVICE_OK);
	/* Without any other reading it does. */
	for (size_t i = 0; i < ARRAY_SIZE(telemetry); i++)
		if (i != 2)
			drop(telemetry[i][0]);
	sampler_free(sampler);
	assert_int_equal(sampler_new(&root, &want, sources, &sampler), 0);
	assert_int_equal(sample()->state, DEVICE_NO_TELEMETRY);
}

TEST(a_state_asked_for_alone_is_that_of_the_chip)
{
	want = (struct want){ 0 };
	fieldset_add(&want.device, DEV_STATE);
	sampler_want(sampler, &want);
	assert_int_equal(sample()->state, DEVICE_OK);
	put_all(dead, ARRAY_SIZE(dead));
	put(CARD "tt_serial", "FFFFFFFFFFFFFFFF\n");
	put(CARD "tt_asic_id", "FFFFFFFFFFFFFFFF\n");
	put(CARD "tt_fw_bundle_ver", "255.255.255.255\n");
	sampler_free(sampler);
	assert_int_equal(sampler_new(&root, &want, sources, &sampler), 0);
	assert_int_equal(sample()->state, DEVICE_NOT_ANSWERING);
}

TEST(a_fan_without_control_is_no_dead_fan)
{
	struct device *dev;

	put(HWMON "fan1_input", "4294967295\n");
	assert_int_equal(sample()->why[DEV_FAN_RPM], NOT_APPLICABLE);
	put_all(dead, ARRAY_SIZE(dead));
	dev = sample();
	assert_int_equal(dev->state, DEVICE_NOT_ANSWERING);
	assert_int_equal(dev->why[DEV_FAN_RPM], NOT_ANSWERING);
}

TEST(a_fan_asked_for_alone_is_judged_by_the_chip)
{
	put(HWMON "fan1_input", "4294967295\n");
	want = (struct want){ 0 };
	fieldset_add(&want.device, DEV_FAN_RPM);
	sampler_want(sampler, &want);
	assert_int_equal(sample()->why[DEV_FAN_RPM], NOT_APPLICABLE);
	put_all(dead, ARRAY_SIZE(dead));
	put(CARD "tt_serial", "FFFFFFFFFFFFFFFF\n");
	put(CARD "tt_asic_id", "FFFFFFFFFFFFFFFF\n");
	put(CARD "tt_fw_bundle_ver", "255.255.255.255\n");
	sampler_free(sampler);
	assert_int_equal(sampler_new(&root, &want, sources, &sampler), 0);
	assert_int_equal(sample()->why[DEV_FAN_RPM], NOT_ANSWERING);
}

TEST(telemetry_that_comes_late_is_found)
{
	struct device *dev;

	for (size_t i = 0; i < ARRAY_SIZE(telemetry); i++)
		drop(telemetry[i][0]);
	dev = sample();
	assert_int_equal(dev->state, DEVICE_NO_TELEMETRY);
	assert_int_equal(dev->why[DEV_TEMPERATURE], NOT_OFFERED);
	assert_string_equal(dev->board, "n150"); /* by the PCI subsystem */
	put_all(telemetry, ARRAY_SIZE(telemetry));
	dev = sample();
	assert_int_equal(dev->state, DEVICE_OK);
	assert_near(dev->temperature, 34.78);
}

TEST(after_a_reset_firmware_and_limits_are_read_anew_at_once)
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

TEST(a_reset_seen_half_way_is_noticed_afterwards)
{
	struct device *dev;

	sample();
	put_all(dead, ARRAY_SIZE(dead));
	sample();
	put_all(telemetry, ARRAY_SIZE(telemetry));
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

TEST(a_fifo_or_a_folder_instead_of_a_file_hangs_nothing)
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

/* One core, half busy, written as long ago as said. */
static void publish(int64_t age_ms)
{
	unsigned char file[72 + 40] = "TTUT";
	uint64_t id = 0x2F9C2B4A51D01A2B;
	uint64_t updated = (uint64_t)(clock_now(CLOCK_MONOTONIC) / 1000 - age_ms * 1000);
	uint32_t cores = 1, both = 3, pid = 4242;
	uint16_t version = 2, entry = 40, busy = 500;
	char path[64];

	memcpy(file + 4, &version, 2);
	memcpy(file + 6, &entry, 2);
	memcpy(file + 8, &id, 8);
	memcpy(file + 20, &both, 4);
	memcpy(file + 32, &updated, 8);
	memcpy(file + 40, &cores, 4);
	memcpy(file + 48, &pid, 4);
	memcpy(file + 72 + 10, &busy, 2);
	snprintf(path, sizeof(path), "dev/shm/tt_device_%llu_util", (unsigned long long)id);
	put_bytes(path, file, sizeof(file));
}

TEST(published_utilisation_is_shown_while_fresh)
{
	make_folders("proc/4242/");
	publish(0);
	assert_int_equal(sample()->why[DEV_COMPUTE], KNOWN);
	assert_near(now->devices[0].compute, 0.5);
	publish(1500);
	assert_int_equal(sample()->why[DEV_COMPUTE], KNOWN);
	publish(3000);
	assert_int_equal(sample()->why[DEV_COMPUTE], STALE);
}

/* A collector that does not wait for us: time passes while we sample. */
static void *collect(void *arg)
{
	int fd = *(int *)arg;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		uint64_t updated;

		held_ns += NS_PER_MS / 10;
		updated = (uint64_t)held_ns / 1000;
		if (pwrite(fd, &updated, sizeof(updated), 32) < 0)
			break;
		usleep(100);
	}
	return NULL;
}

TEST(figures_written_while_we_sample_are_not_stale)
{
	pthread_t thread;
	int fd;

	make_folders("proc/4242/");
	publish(0);
	fd = openat(root.fd, "dev/shm/tt_device_3430664614349642283_util", O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(pthread_create(&thread, NULL, collect, &fd), 0);
	for (unsigned turn = 0; turn < 20; turn++)
		assert_int_equal(sample()->why[DEV_COMPUTE], KNOWN);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	close(fd);
}

TEST(figures_from_the_future_are_stale)
{
	make_folders("proc/4242/");
	publish(-60000); /* of another boot, or a lie */
	assert_int_equal(sample()->why[DEV_COMPUTE], STALE);
}

TEST(figures_of_a_dead_collector_are_stale)
{
	publish(0);
	assert_int_equal(sample()->why[DEV_COMPUTE], STALE);
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

#define BUS "sys/bus/pci/devices/"

/* A p150a on the bus; driver NULL: none is bound to it. */
static void put_on_bus(const char *bdf, const char *class, const char *driver)
{
	static const char *const files[][2] = {
		{ "vendor", "0x1e52\n" },	    { "device", "0xb140\n" },
		{ "subsystem_device", "0x0040\n" }, { "numa_node", "1\n" },
		{ "current_link_width", "16\n" },
	};
	char path[64], link[64];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), BUS "%s/%s", bdf, files[i][0]);
		put(path, files[i][1]);
	}
	snprintf(path, sizeof(path), BUS "%s/class", bdf);
	put(path, class);
	snprintf(path, sizeof(path), BUS "%s/driver", bdf);
	unlinkat(root.fd, path, 0);
	snprintf(link, sizeof(link), "../../../drivers/%s", driver ? driver : "");
	if (driver)
		assert_int_equal(symlinkat(link, root.fd, path), 0);
}

static void sample_many(size_t count)
{
	held_ns += 5 * NS_PER_S; /* the bus is not looked at in every sample */
	snapshot_free(before);
	before = now;
	now = NULL;
	assert_int_equal(sampler_take(sampler, before, &now), 0);
	assert_int_equal(now->n_devices, count);
}

TEST(a_card_that_no_driver_serves_is_shown_by_its_address)
{
	const struct device *dev;

	put_on_bus("0000:03:00.0", "0x120000\n", "vfio-pci");
	put_on_bus("0000:02:00.0", "0x120000\n", NULL);
	put_on_bus("0000:01:00.0", "0x120000\n", "tenstorrent");
	put_on_bus("0000:04:00.0", "0x060400\n", NULL); /* a bridge */
	sample_many(3);
	assert_int_equal(now->host.count, 1);
	dev = &now->devices[1];
	assert_string_equal(dev->id, "0000:02:00.0");
	assert_string_equal(dev->bdf, "0000:02:00.0");
	assert_string_equal(dev->board, "p150a");
	assert_int_equal(dev->state, DEVICE_NO_DRIVER);
	assert_string_equal(dev->health, "no driver");
	assert_int_equal(dev->why[DEV_TEMPERATURE], NO_DRIVER);
	assert_int_equal(dev->why[DEV_DRAM_USED], NO_DRIVER);
	assert_int_equal(dev->why[DEV_COMPUTE], NO_DRIVER);
	assert_int_equal(dev->why[DEV_PCIE_RX], NO_DRIVER);
	assert_int_equal(dev->why[DEV_NODE], NO_DRIVER);
	assert_int_equal(dev->why[DEV_GATEWAY], NOT_APPLICABLE);
	assert_int_equal(dev->numa_node, 1);
	/* Its link is not asked for: that would wake it. */
	assert_int_equal(dev->why[DEV_LINK_WIDTH], NO_DRIVER);
	assert_false(device_has_node(dev));
	dev = &now->devices[2];
	assert_string_equal(dev->id, "0000:03:00.0");
	assert_int_equal(dev->state, DEVICE_OTHER_DRIVER);
	assert_string_equal(dev->health, "bound to vfio-pci");
	assert_int_equal(dev->why[DEV_TEMPERATURE], OTHER_DRIVER);
}

TEST(an_unserved_card_keeps_its_index_while_others_come_and_go)
{
	uint32_t index;

	put_on_bus("0000:03:00.0", "0x120000\n", NULL);
	sample_many(2);
	index = now->devices[1].index;
	put_on_bus("0000:02:00.0", "0x000000\n", NULL); /* without firmware */
	sample_many(3);
	assert_string_equal(now->devices[1].id, "0000:03:00.0");
	assert_int_equal(now->devices[1].index, index);
	assert_string_equal(now->devices[2].id, "0000:02:00.0");
	drop(BUS "0000:03:00.0/vendor");
	sample_many(2);
	assert_string_equal(now->devices[1].id, "0000:02:00.0");
	assert_int_not_equal(now->devices[1].index, index);
}

TEST(the_kernels_list_of_functions_says_where_to_look)
{
	put("proc/bus/pci/devices", "0100\t1e52401e\t0\t0\ttenstorrent\n"
				    "0200\t1e52b140\t0\t0\t\n"
				    "0008\t1b36000c\t0\t0\tpcieport\n");
	put_on_bus("0000:02:00.0", "0x120000\n", NULL);
	put_on_bus("0000:03:00.0", "0x120000\n", NULL);		  /* not listed yet */
	put_on_bus("10000:02:00.0", "0x120000\n", "tenstorrent"); /* in another domain */
	sample_many(2);
	assert_string_equal(now->devices[1].id, "0000:02:00.0");
	/* All that are listed are served: nothing else is looked at. */
	put("proc/bus/pci/devices", "0100\t1e52401e\t0\t0\ttenstorrent\n");
	sample_many(1);
	/* One more is bound than served: it is looked at. */
	put("proc/bus/pci/devices", "0100\t1e52401e\t0\t0\ttenstorrent\n"
				    "0300\t1e52b140\t0\t0\ttenstorrent\n");
	sample_many(2);
	assert_string_equal(now->devices[1].id, "0000:03:00.0");
	drop("proc/bus/pci/devices");
	sample_many(3);
}

TEST(a_card_that_is_unbound_keeps_its_number_and_says_why)
{
	put_on_bus("0000:01:00.0", "0x120000\n", "tenstorrent");
	sample();
	assert_int_equal(renameat(root.fd, "sys/class/tenstorrent/tenstorrent!0", root.fd,
				  "sys/class/tenstorrent/away"),
			 0);
	put_on_bus("0000:01:00.0", "0x120000\n", NULL);
	assert_string_equal(sample()->id, "0"); /* at once: other cards are served than before */
	assert_int_equal(now->devices[0].state, DEVICE_NO_DRIVER);
	assert_string_equal(now->devices[0].board, "n150");
	assert_int_equal(now->devices[0].why[DEV_TEMPERATURE], NO_DRIVER);
	assert_int_equal(now->devices[0].why[DEV_TEMPERATURE_LIMIT], NO_DRIVER);
	put_on_bus("0000:01:00.0", "0x120000\n", "vfio-pci");
	sample_many(1);
	assert_string_equal(now->devices[0].health, "bound to vfio-pci");
	/* Bound again, it has another number. */
	put_on_bus("0000:01:00.0", "0x120000\n", "tenstorrent");
	assert_int_equal(renameat(root.fd, "sys/class/tenstorrent/away", root.fd,
				  "sys/class/tenstorrent/tenstorrent!1"),
			 0);
	assert_string_equal(sample()->id, "1");
	assert_int_equal(now->devices[0].state, DEVICE_OK);
}

TEST(without_the_module_all_cards_are_unserved)
{
	put_on_bus("0000:01:00.0", "0x120000\n", "tenstorrent");
	sample();
	assert_true(now->driver_loaded);
	assert_int_equal(renameat(root.fd, "sys/class/tenstorrent", root.fd, "sys/class/away"), 0);
	put_on_bus("0000:01:00.0", "0x120000\n", NULL);
	assert_string_equal(sample()->id, "0000:01:00.0");
	assert_false(now->driver_loaded);
	assert_int_equal(now->host.count, 0);
}

TEST(an_unserved_card_may_be_the_other_chip_of_a_p300)
{
	put(CARD "tt_card_type", "p300a\n");
	sample_many(2);
	assert_string_equal(now->devices[1].id, "0R");
	put_on_bus("0000:02:00.0", "0x120000\n", NULL);
	put(BUS "0000:02:00.0/subsystem_device", "0x0045\n");
	sample_many(2);
	assert_string_equal(now->devices[1].id, "0000:02:00.0");
	put(BUS "0000:02:00.0/subsystem_device", "0x0040\n");
	sample_many(3);
	assert_string_equal(now->devices[1].id, "0R");
}

static void put_holder(void)
{
	put("proc/driver/tenstorrent/0/pids", "4242\n");
	put("proc/4242/stat", "4242 (worker) S 1 1 1 0 -1 0 0 0 0 0 1 3 0 0 20 0 1 0 194 5 7 0\n");
	put("proc/4242/cmdline", "worker");
	make_folders("proc/4242/fd/");
	assert_int_equal(symlinkat("/dev/tenstorrent/0", root.fd, "proc/4242/fd/3"), 0);
}

/* Seconds since 1970. */
static int64_t wall(void)
{
	return clock_now(CLOCK_REALTIME) / NS_PER_S;
}

static void put_boot(int64_t seconds)
{
	char text[64];

	snprintf(text, sizeof(text), "cpu 1 2 3\nbtime %lld\nprocesses 5\n", (long long)seconds);
	put("proc/stat", text);
}

TEST(a_process_started_so_many_ticks_after_boot)
{
	int64_t boot = wall() - 1000, begin;
	const struct process *process;

	put_holder();
	put_boot(boot);
	begin = wall();
	sample();
	process = &now->processes[0];
	assert_int_equal(process->why[PROC_START_TIME], KNOWN);
	assert_int_equal(process->why[PROC_ELAPSED], KNOWN);
	assert_near(process->start_time, (double)boot + 194.0 / (double)sysconf(_SC_CLK_TCK));
	assert_true(process->elapsed >= (double)(begin - boot) - 2);
	assert_true(process->elapsed <= (double)(wall() + 1 - boot) - 1.9);
	assert_int_equal(process->start_ticks, 194);
	assert_int_equal(process->cpu_ticks, 4);
	assert_int_equal(process->host_memory, 7 * sysconf(_SC_PAGESIZE));
}

TEST(no_process_runs_for_less_than_nothing)
{
	put_holder();
	put_boot(wall() + 1000); /* the clock was set back */
	sample();
	assert_near(now->processes[0].elapsed, 0);
}

TEST(without_the_time_of_boot_no_time_is_guessed)
{
	put_holder();
	sample();
	assert_int_equal(now->processes[0].why[PROC_START_TIME], NOT_OFFERED);
	assert_int_equal(now->processes[0].why[PROC_ELAPSED], NOT_OFFERED);
	assert_int_equal(now->processes[0].why[PROC_CPU], NOT_OFFERED);
	/* As soon as it can be read it is. */
	put_boot(wall() - 1000);
	sample();
	assert_int_equal(now->processes[0].why[PROC_START_TIME], KNOWN);
}

/* A process that has the device open; all have the same comm. */
static void put_process(int pid, const char *word, unsigned start)
{
	char path[64], text[128];

	snprintf(path, sizeof(path), "proc/%d/stat", pid);
	snprintf(text, sizeof(text),
		 "%d (python3) S 1 1 1 0 -1 0 0 0 0 0 1 3 0 0 20 0 1 0 %u 5 7 0\n", pid, start);
	put(path, text);
	snprintf(path, sizeof(path), "proc/%d/cmdline", pid);
	put(path, word);
	snprintf(path, sizeof(path), "proc/%d/fd/", pid);
	make_folders(path);
	snprintf(path, sizeof(path), "proc/%d/fd/3", pid);
	unlinkat(root.fd, path, 0);
	assert_int_equal(symlinkat("/dev/tenstorrent/0", root.fd, path), 0);
}

/* The driver lists these processes; their names and commands are found to be these words. */
static void assert_processes(const char *pids, const char *words)
{
	char text[256] = "";

	put("proc/driver/tenstorrent/0/pids", pids);
	sample();
	for (size_t i = 0; i < now->n_processes; i++) {
		assert_string_equal(now->processes[i].name, now->processes[i].command);
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%d=%s ",
			 now->processes[i].pid, now->processes[i].name);
	}
	assert_string_equal(text, words);
}

TEST(what_is_remembered_of_a_process_stays_with_its_number)
{
	want.low_rate = true;
	want.reporters = false; /* only those that are listed */
	sampler_want(sampler, &want);
	put_process(10, "ten", 1);
	put_process(20, "twenty", 1);
	put_process(30, "thirty", 1);
	put_process(40, "forty", 1);
	assert_processes("10\n20\n30\n40\n", "10=ten 20=twenty 30=thirty 40=forty ");
	/* The first, one of the middle, the last are gone; others come in between. */
	assert_processes("20\n30\n40\n", "20=twenty 30=thirty 40=forty ");
	assert_processes("10\n20\n40\n", "10=ten 20=twenty 40=forty ");
	assert_processes("10\n20\n30\n", "10=ten 20=twenty 30=thirty ");
	assert_processes("30\n40\n", "30=thirty 40=forty ");
	assert_processes("40\n", "40=forty ");
	assert_processes("10\n", "10=ten ");
	assert_processes("", "");
	assert_processes("10\n20\n30\n40\n", "10=ten 20=twenty 30=thirty 40=forty ");
}

TEST(who_is_paced_rereads_a_process_that_is_another_one)
{
	want.low_rate = true;
	want.reporters = false;
	sampler_want(sampler, &want);
	put_process(10, "ten", 1);
	put_process(20, "twenty", 1);
	assert_processes("10\n20\n", "10=ten 20=twenty ");
	/* A command is believed for a while. */
	put("proc/20/cmdline", "other");
	sample();
	assert_string_equal(now->processes[1].command, "twenty");
	/* The number was given out again; the same name, by the same program. */
	put_process(20, "twenty", 2);
	put("proc/20/cmdline", "again");
	sample();
	assert_string_equal(now->processes[1].command, "again");
	assert_string_equal(now->processes[0].command, "ten");
	/* And after a while, whatever it is. */
	put("proc/20/cmdline", "later");
	held_ns += 5 * NS_PER_S;
	sample();
	assert_string_equal(now->processes[1].command, "later");
	/* Without low_rate everything is read every time. */
	want.low_rate = false;
	sampler_want(sampler, &want);
	put("proc/20/cmdline", "now");
	sample();
	assert_string_equal(now->processes[1].command, "now");
	put("proc/20/cmdline", "and now");
	sample();
	assert_string_equal(now->processes[1].command, "and now");
}

TEST(a_new_name_is_another_program)
{
	want.low_rate = true;
	want.reporters = false;
	sampler_want(sampler, &want);
	put_process(10, "ten", 1);
	assert_processes("10\n", "10=ten ");
	/* exec() leaves number and start as they are. */
	put("proc/10/stat", "10 (busybox) S 1 1 1 0 -1 0 0 0 0 0 1 3 0 0 20 0 1 0 1 5 7 0\n");
	put("proc/10/cmdline", "other");
	assert_processes("10\n", "10=other ");
}

/* A member of a thousand groups, and of a hundred hierarchies of control groups. */
TEST(long_files_of_a_process_are_read_whole)
{
	CLEANUP_BUF struct buf status = { 0 }, cgroup = { 0 };

	put_holder();
	want.process = (struct fieldset){ 0 };
	fieldset_add(&want.process, PROC_NS_PID);
	fieldset_add(&want.process, PROC_OWNER);
	sampler_want(sampler, &want);
	buf_puts(&status, "Name:\tworker\nUid:\t77\t77\t77\t77\nGroups:\t");
	for (unsigned i = 0; i < 1000; i++)
		buf_printf(&status, "%u ", 100000 + i);
	buf_puts(&status, "\nNSpid:\t4242\t17\t3\n");
	put("proc/4242/status", buf_text(&status));
	for (unsigned i = 100; i > 0; i--)
		buf_printf(&cgroup, "%u:name=hierarchy-%u:/\n", i, i);
	buf_puts(&cgroup, "0::/system.slice/train.service\n");
	put("proc/4242/cgroup", buf_text(&cgroup));
	sample();
	assert_int_equal(now->processes[0].why[PROC_NS_PID], KNOWN);
	assert_int_equal(now->processes[0].ns_pid, 3);
	assert_int_equal(now->processes[0].why[PROC_UNIT], KNOWN);
	assert_string_equal(now->processes[0].owner.unit, "train.service");
}

TEST(an_owner_that_cannot_be_read_is_unknown_in_every_part)
{
	put_holder();
	put("proc/4242/status", "Name:\tworker\nUid:\t77\t77\t77\t77\nNSpid:\t4242\n");
	sample();
	for (unsigned i = PROC_OWNER; i <= PROC_UNIT; i++)
		assert_int_equal(now->processes[0].why[i], NOT_OFFERED);
	assert_int_equal(now->processes[0].why[PROC_HOLDING], KNOWN);
}

/* What others found out stays when the process ends meanwhile. */
TEST(a_process_that_cannot_be_read_keeps_what_is_known)
{
	put_holder();
	drop("proc/4242/stat");
	sample();
	assert_int_equal(now->n_processes, 1);
	assert_int_equal(now->processes[0].pid, 4242);
	assert_int_equal(now->processes[0].why[PROC_PID], KNOWN);
	assert_int_equal(now->processes[0].why[PROC_HOLDING], KNOWN);
	assert_int_not_equal(now->processes[0].why[PROC_STATE], KNOWN);
}

TEST(what_is_asked_for_anew_is_read_of_processes_that_are_remembered)
{
	want.low_rate = true;
	want.reporters = false;
	want.process = (struct fieldset){ 0 };
	sampler_want(sampler, &want);
	put_process(10, "ten", 1);
	put("proc/10/status", "Name:\tpython3\nUid:\t77\t77\t77\t77\nNSpid:\t10\n");
	assert_processes("10\n", "10=ten ");
	assert_int_not_equal(now->processes[0].why[PROC_UID], KNOWN);
	fieldset_add(&want.process, PROC_UID);
	sampler_want(sampler, &want);
	sample();
	assert_int_equal(now->processes[0].why[PROC_UID], KNOWN);
	assert_int_equal(now->processes[0].uid, 77);
}

TEST(a_command_of_any_length_is_whole)
{
	static char command[70001];

	put_holder();
	for (size_t length = 1; length <= 65536; length *= 16) {
		for (size_t less = 0; less < 2; less++) {
			size_t n = length + 1 - less;

			memset(command, 'x', n);
			command[n - 1] = '\0';
			put_bytes("proc/4242/cmdline", command, n);
			sample();
			if (n == 1)
				continue; /* an empty word */
			assert_non_null(now->processes[0].command);
			assert_int_equal(strlen(now->processes[0].command), n - 1);
		}
	}
	/* A zombie has none, and no name but the kernel's. */
	put("proc/4242/cmdline", "");
	sample();
	assert_int_equal(now->processes[0].why[PROC_COMMAND], NOT_APPLICABLE);
	assert_string_equal(now->processes[0].name, "worker");
	put_bytes("proc/4242/cmdline", "\0\0", 2);
	sample();
	assert_string_equal(now->processes[0].name, "worker");
}

TEST(a_title_is_the_command_and_not_the_name)
{
	put_holder();
	put("proc/4242/cmdline", "worker: of /dev/shm");
	sample();
	assert_int_equal(now->n_processes, 1);
	assert_string_equal(now->processes[0].name, "worker");
	assert_string_equal(now->processes[0].command, "worker: of /dev/shm");
}

TEST(holders_of_a_lost_card_are_not_listed_from_memory)
{
	put_holder();
	sample();
	assert_int_equal(now->n_processes, 1);
	assert_int_equal(now->processes[0].holding, HOLDING_SEEN);
	assert_int_equal(renameat(root.fd, "sys/class/tenstorrent/tenstorrent!0", root.fd,
				  "sys/class/tenstorrent/away"),
			 0);
	drop("proc/4242/fd/3");
	assert_int_equal(symlinkat("/dev/tenstorrent/0 (deleted)", root.fd, "proc/4242/fd/3"), 0);
	sample();
	assert_int_equal(now->n_processes, 0);
}

TEST(a_walk_keeps_who_closed_a_device_and_has_it_mapped)
{
	put_holder();
	drop("proc/driver/tenstorrent/0/pids");
	sample();
	assert_int_equal(now->n_processes, 1);
	drop("proc/4242/fd/3");
	put("proc/4242/maps",
	    "7f0000000000-7f0000001000 rw-s 00000000 00:05 9 /dev/tenstorrent/0\n");
	sample();
	assert_int_equal(now->n_processes, 1);
	assert_int_equal(now->processes[0].holding, HOLDING_SEEN);
	put("proc/4242/maps", "7f0000000000-7f0000001000 rw-s 00000000 00:05 9 /dev/zero\n");
	assert_int_equal(symlinkat("/dev/zero", root.fd, "proc/4242/fd/3"), 0);
	sample();
	assert_int_equal(now->n_processes, 0);
}

/* Opening a file of this name waits until the pipe is written to; the linker sends us the calls. */
static const char *hanging;
static const char *empty; /* reads of files of this name fail with ENODATA */
static pthread_mutex_t empty_lock = PTHREAD_MUTEX_INITIALIZER; /* for the next two */
static int empty_fds[8];
static unsigned n_empty;
static unsigned looks;	/* at the descriptors of processes */
static unsigned shared; /* opens of /dev/shm and what is in it, to read */
static int gate[2] = { -1, -1 };

/* A descriptor that is opened anew is of another file, unless it has that name. */
static int note_empty(const char *path, int fd)
{
	size_t length = strlen(path), end = empty ? strlen(empty) : 0;
	unsigned kept = 0;

	pthread_mutex_lock(&empty_lock);
	for (unsigned i = 0; i < n_empty; i++)
		if (empty_fds[i] != fd)
			empty_fds[kept++] = empty_fds[i];
	n_empty = kept;
	if (empty && length >= end && strcmp(path + length - end, empty) == 0 &&
	    n_empty < ARRAY_SIZE(empty_fds))
		empty_fds[n_empty++] = fd;
	pthread_mutex_unlock(&empty_lock);
	return fd;
}

int __real_openat(int dir, const char *path, int flags, ...);
int __wrap_openat(int dir, const char *path, int flags, ...);

int __wrap_openat(int dir, const char *path, int flags, ...)
{
	const char *name = __atomic_load_n(&hanging, __ATOMIC_ACQUIRE);
	size_t length = strlen(path);
	va_list ap;
	int mode;
	char c;

	if (length > 3 && strcmp(path + length - 3, "/fd") == 0)
		__atomic_fetch_add(&looks, 1, __ATOMIC_RELAXED);
	if (strncmp(path, "dev/shm", 7) == 0 && (flags & O_ACCMODE) == O_RDONLY)
		shared++; /* by the thread that samples */
	if (name && length >= strlen(name) && strcmp(path + length - strlen(name), name) == 0 &&
	    read(gate[0], &c, 1) != 1) {
		errno = EIO;
		return -1;
	}
	va_start(ap, flags);
	mode = flags & O_CREAT ? va_arg(ap, int) : 0;
	va_end(ap);
	return note_empty(path, __real_openat(dir, path, flags, mode));
}

ssize_t __real_pread(int fd, void *data, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *data, size_t size, off_t at);

ssize_t __wrap_pread(int fd, void *data, size_t size, off_t at)
{
	bool found = false;

	pthread_mutex_lock(&empty_lock);
	for (unsigned i = 0; i < n_empty; i++)
		found |= empty_fds[i] == fd;
	pthread_mutex_unlock(&empty_lock);
	if (found) {
		errno = ENODATA;
		return -1;
	}
	return __real_pread(fd, data, size, at);
}

/* Drivers after 2.10 have no data for a fan that firmware does not control; others for half an id.
 */
TEST(no_data_in_one_file_is_no_reset)
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

static int count_thread(const char *name, void *arg)
{
	(void)name;
	++*(unsigned *)arg;
	return 0;
}

static unsigned count_threads(void)
{
	unsigned count = 0;

	assert_int_equal(directory_each(AT_FDCWD, "/proc/self/task", count_thread, &count), 0);
	return count;
}

/* As far as a machine that stalls lets others than who hangs be in time. */
static bool process_is_shown(void)
{
	return now->n_processes == 1 && device_knows(&now->devices[0], DEV_TEMPERATURE);
}

/* The process is shown all the while, at the cost of one thread, and recovers. */
static void assert_one_thread_hangs(const char *name)
{
	unsigned threads, shown = 0;

	held_ns = 0;
	put_holder();
	sample();
	assert_int_equal(pipe(gate), 0);
	__atomic_store_n(&hanging, name, __ATOMIC_RELEASE);
	sample();
	sample(); /* another worker takes over */
	threads = count_threads();
	for (unsigned turn = 0; turn < 20; turn++) {
		sample();
		shown += process_is_shown();
	}
	assert_true(shown > 10);
	assert_true(count_threads() < threads + 10); /* one per sample would be many more */
	__atomic_store_n(&hanging, NULL, __ATOMIC_RELEASE);
	close(gate[1]);
	for (unsigned turn = 0; turn < 3000; turn++) {
		const struct process *process = &now->processes[0];

		if (process->holding == HOLDING_SEEN && process_knows(process, PROC_COMMAND))
			break;
		usleep(10000);
		sample();
	}
	assert_string_equal(now->processes[0].command, "worker");
	assert_int_equal(now->processes[0].holding, HOLDING_SEEN);
	close(gate[0]);
}

TEST(a_process_whose_command_line_hangs_costs_one_thread)
{
	assert_one_thread_hangs("proc/4242/cmdline");
}

TEST(a_process_whose_descriptors_hang_costs_one_thread)
{
	assert_one_thread_hangs("proc/4242/fd");
}

/* Samples so often, and returns at how many descriptors' folders was looked. */
static unsigned count_looks(unsigned samples)
{
	unsigned begin = __atomic_load_n(&looks, __ATOMIC_RELAXED);

	for (unsigned i = 0; i < samples; i++) {
		sample();
		assert_int_equal(now->n_processes, 1);
		assert_int_equal(now->processes[0].holding, HOLDING_SEEN);
	}
	return __atomic_load_n(&looks, __ATOMIC_RELAXED) - begin;
}

TEST(descriptors_are_looked_at_again_when_their_number_changes)
{
	put_holder();
	want.reporters = false; /* else all processes are walked as well */
	sampler_want(sampler, &want);
	assert_int_equal(count_looks(5), 5);
	want.low_rate = true;
	sampler_want(sampler, &want);
	count_looks(2);
	assert_in_range(count_looks(32), 2, 3); /* each sixteenth time, to be sure */
	usleep(20000);				/* the clock of a file system ticks slowly */
	assert_int_equal(symlinkat("/dev/null", root.fd, "proc/4242/fd/4"), 0);
	assert_int_equal(count_looks(1), 1);
	usleep(20000);
	put("proc/4242/maps", "");
	drop("proc/4242/fd/3");
	sample();
	assert_int_equal(now->n_processes, 0);
	assert_int_equal(now->devices[0].lost_openers, 1);
}

TEST(processes_come_by_number_whatever_the_order_of_the_list)
{
	put_holder();
	put("proc/driver/tenstorrent/0/pids", "4244\n4242\n4244\n4243\n4242\n");
	make_folders("proc/4243/fd/");
	make_folders("proc/4244/fd/");
	assert_int_equal(symlinkat("/dev/tenstorrent/0", root.fd, "proc/4243/fd/5"), 0);
	assert_int_equal(symlinkat("/dev/tenstorrent/0", root.fd, "proc/4244/fd/5"), 0);
	sample();
	assert_int_equal(now->n_processes, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(now->processes[i].pid, 4242 + i);
}

TEST(shared_memory_is_searched_again_when_the_folder_changes)
{
	make_folders("proc/4242/");
	publish(0);
	usleep(150000); /* what the folder's time says is over */
	assert_int_equal(sample()->why[DEV_COMPUTE], KNOWN);
	shared = 0;
	publish(3000);
	assert_int_equal(sample()->why[DEV_COMPUTE], STALE);
	publish(0);
	assert_int_equal(sample()->why[DEV_COMPUTE], KNOWN);
	assert_int_equal(shared, 0);
	drop("dev/shm/tt_device_3430664614349642283_util");
	assert_int_equal(sample()->why[DEV_COMPUTE], NO_TRACKER);
	publish(0);
	assert_int_equal(sample()->why[DEV_COMPUTE], KNOWN);
	/* At once another one: the folder's time may be the same. */
	drop("dev/shm/tt_device_3430664614349642283_util");
	publish(3000);
	assert_int_equal(sample()->why[DEV_COMPUTE], STALE);
}

TEST(whoever_is_paced_reads_what_is_slow_less_often)
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

TEST(limits_that_firmware_changed_are_read_again_whether_paced_or_not)
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

TEST(a_chip_in_trouble_leaves_nothing_old_standing)
{
	struct device *dev;

	want.low_rate = true;
	sampler_want(sampler, &want);
	sample();
	put_all(dead, ARRAY_SIZE(dead));
	put_counters("4294967295\n");
	put(PCI "current_link_width", "63\n");
	dev = sample();
	assert_int_equal(dev->state, DEVICE_NOT_ANSWERING);
	assert_int_equal(dev->why[DEV_HEARTBEAT], NOT_ANSWERING);
	assert_int_equal(dev->why[DEV_LINK_WIDTH], NOT_ANSWERING);
	assert_int_equal(dev->why[DEV_COUNTER], NOT_ANSWERING);
}

TEST(a_card_that_was_replaced_is_noticed_by_who_reads_constants)
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

#define ON(test) cmocka_unit_test_setup_teardown(test, make_tree, remove_tree)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON(a_healthy_card_is_read),
		ON(a_chip_off_the_bus_does_not_answer_though_its_counters_read),
		ON(one_missing_id_says_nothing_of_the_chip),
		ON(a_state_asked_for_alone_is_that_of_the_chip),
		ON(a_fan_without_control_is_no_dead_fan),
		ON(a_fan_asked_for_alone_is_judged_by_the_chip),
		ON(no_data_in_one_file_is_no_reset),
		ON(telemetry_that_comes_late_is_found),
		ON(after_a_reset_firmware_and_limits_are_read_anew_at_once),
		ON(a_reset_seen_half_way_is_noticed_afterwards),
		ON(whoever_is_paced_reads_what_is_slow_less_often),
		ON(limits_that_firmware_changed_are_read_again_whether_paced_or_not),
		ON(a_limit_that_firmware_withdrew_is_not_kept),
		ON(a_chip_in_trouble_leaves_nothing_old_standing),
		ON(a_card_that_was_replaced_is_noticed_by_who_reads_constants),
		ON(a_board_is_known_by_the_code_in_its_serial),
		ON(a_fifo_or_a_folder_instead_of_a_file_hangs_nothing),
		ON(published_utilisation_is_shown_while_fresh),
		ON(figures_written_while_we_sample_are_not_stale),
		ON(figures_from_the_future_are_stale),
		ON(figures_of_a_dead_collector_are_stale),
		ON(a_card_that_vanishes_is_lost_and_may_return),
		ON(a_card_that_no_driver_serves_is_shown_by_its_address),
		ON(an_unserved_card_keeps_its_index_while_others_come_and_go),
		ON(the_kernels_list_of_functions_says_where_to_look),
		ON(a_card_that_is_unbound_keeps_its_number_and_says_why),
		ON(without_the_module_all_cards_are_unserved),
		ON(an_unserved_card_may_be_the_other_chip_of_a_p300),
		ON(a_process_started_so_many_ticks_after_boot),
		ON(no_process_runs_for_less_than_nothing),
		ON(without_the_time_of_boot_no_time_is_guessed),
		ON(what_is_remembered_of_a_process_stays_with_its_number),
		ON(who_is_paced_rereads_a_process_that_is_another_one),
		ON(a_new_name_is_another_program),
		ON(long_files_of_a_process_are_read_whole),
		ON(an_owner_that_cannot_be_read_is_unknown_in_every_part),
		ON(a_process_that_cannot_be_read_keeps_what_is_known),
		ON(what_is_asked_for_anew_is_read_of_processes_that_are_remembered),
		ON(a_command_of_any_length_is_whole),
		ON(a_title_is_the_command_and_not_the_name),
		ON(holders_of_a_lost_card_are_not_listed_from_memory),
		ON(a_walk_keeps_who_closed_a_device_and_has_it_mapped),
		ON(a_process_whose_command_line_hangs_costs_one_thread),
		ON(a_process_whose_descriptors_hang_costs_one_thread),
		ON(descriptors_are_looked_at_again_when_their_number_changes),
		ON(processes_come_by_number_whatever_the_order_of_the_list),
		ON(shared_memory_is_searched_again_when_the_folder_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
