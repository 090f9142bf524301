#include "sampler_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[32];
struct root root;
struct want want;
struct sampler *sampler;
struct snapshot *before, *now;

/* Makes the folders on the way. */
void make_folders(const char *path)
{
	char part[128];

	for (const char *slash = path; (slash = strchr(slash, '/')); slash++) {
		snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
		mkdirat(root.fd, part, 0700);
	}
}

void put_bytes(const char *path, const void *data, size_t length)
{
	int fd;

	make_folders(path);
	fd = openat(root.fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, length), length);
	close(fd);
}

void put(const char *path, const char *text)
{
	put_bytes(path, text, strlen(text));
}

void drop(const char *path)
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

void put_telemetry(void)
{
	put_all(telemetry, ARRAY_SIZE(telemetry));
}

void drop_telemetry(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(telemetry); i++)
		assert_true(unlinkat(root.fd, telemetry[i][0], 0) == 0 || errno == ENOENT);
}

void put_dead(void)
{
	put_all(dead, ARRAY_SIZE(dead));
}

void put_counters(const char *text)
{
#define NAME(n, name) CARD "pcie_perf_counters/" name,
	static const char *const names[] = { DEVICE_EACH_COUNTER(NAME) };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		put(names[i], text);
}

void put_holder(void)
{
	put("proc/driver/tenstorrent/0/pids", "4242\n");
	put("proc/4242/stat", "4242 (worker) S 1 1 1 0 -1 0 0 0 0 0 1 3 0 0 20 0 1 0 194 5 7 0\n");
	put("proc/4242/cmdline", "worker");
	make_folders("proc/4242/fd/");
	assert_int_equal(symlinkat("/dev/tenstorrent/0", root.fd, "proc/4242/fd/3"), 0);
}

int make_tree(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/unit_sampler.XXXXXX");
	if (!mkdtemp(folder) || root_init(&root, folder) < 0)
		return -1;
	root.confined = false; /* uses openat(), which sampler_calls.c redirects */
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
	put_telemetry();
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

int remove_tree(void **state)
{
	(void)state;
	before = snapshot_free(before);
	now = snapshot_free(now);
	sampler = sampler_free(sampler);
	root_done(&root);
	return nftw(folder, remove_file, 16, FTW_DEPTH | FTW_PHYS);
}

struct device *sample(void)
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
