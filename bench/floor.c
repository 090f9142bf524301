/*
 * The floor that tt_smi is measured against: the system calls that are needed to show the
 * same machine, and next to nothing else.
 *
 *	floor --root DIR --show table|json|query|list [--walk] [--bytes N]
 *	floor --root DIR --show narrow|wide --again N
 *
 * What it does, for the output named:
 *
 *   once        the marker of a simulated tree, the driver's version, the time zone
 *               (all but query show or need the local time: localtime_r)
 *   devices     the class directory; per device its directory, the link that tells the
 *               bus address (not for query), the hwmon directory and the one name in it,
 *               then open, read, close of each file that holds a value shown
 *   holders     (table, json) each device's pids file; with --walk, for drivers that
 *               have none, the descriptors of every process in /proc
 *   processes   (table, json) per holder its descriptors, one readlink each, to check the
 *               driver's word; then stat, status, cmdline, and for json cgroup
 *   memory      (table, json) the directory of shared memory, and each file of TT-Metal
 *   at the end  one write of N bytes
 *
 * What it does not do, on purpose: no second read to see the end of a short file,
 * no threads, no deadline, no check of what it read, no
 * numbers, no text. It is linked like tt_smi, with the C library as a shared object.
 * So tt_smi cannot be faster; twice as long is the bound it is held to.
 *
 * narrow and wide are refreshes: the files that change, of a table of 100 or of 200
 * columns, and the pids files are opened once and kept; then N times it waits 100
 * ms and reads each, with one pread.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MAX_HOLDERS = 64 };

/* What an output shows of a device, as files: of the class, of hwmon. */
struct show {
	const char *name;
	const char *const *class_files, *const *hwmon_files;
	bool bdf, processes, owner;
};

static const char *const table_class[] = {
	"tt_card_type", "tt_serial",	       "tt_asic_id", "tt_fw_bundle_ver",
	"tt_heartbeat", "tt_therm_trip_count", NULL,
};
static const char *const table_hwmon[] = { "temp1_input", "temp1_max", "power1_input", "power1_max",
					   NULL };
static const char *const list_class[] = { "tt_card_type", "tt_asic_id", NULL };
static const char *const query_hwmon[] = { "temp1_input", NULL };
static const char *const none[] = { NULL };

/* clang-format off */
#define COUNTER(name) "pcie_perf_counters/" name
#define COUNTERS \
	COUNTER("mst_posted_wr_data_word_sent0"), \
	COUNTER("mst_posted_wr_data_word_sent1"), \
	COUNTER("mst_nonposted_wr_data_word_sent0"), \
	COUNTER("mst_nonposted_wr_data_word_sent1"), \
	COUNTER("slv_rd_data_word_sent0"), \
	COUNTER("slv_rd_data_word_sent1"), \
	COUNTER("slv_posted_wr_data_word_received0"), \
	COUNTER("slv_posted_wr_data_word_received1"), \
	COUNTER("slv_nonposted_wr_data_word_received0"), \
	COUNTER("slv_nonposted_wr_data_word_received1"), \
	COUNTER("mst_rd_data_word_received0"), \
	COUNTER("mst_rd_data_word_received1")
/* clang-format on */
static const char *const json_class[] = {
	"tt_card_type",
	"tt_serial",
	"tt_asic_id",
	"tt_fw_bundle_ver",
	"tt_m3app_fw_ver",
	"tt_aiclk",
	"tt_axiclk",
	"tt_arcclk",
	"tt_heartbeat",
	"tt_therm_trip_count",
	"device/vendor",
	"device/device",
	"device/subsystem_vendor",
	"device/subsystem_device",
	"device/revision",
	"device/numa_node",
	"device/max_link_speed",
	"device/max_link_width",
	"device/current_link_speed",
	"device/current_link_width",
	COUNTERS,
	NULL,
};
static const char *const json_hwmon[] = {
	"temp1_input", "temp1_max",   "power1_input", "power1_max", "in0_input",
	"in0_max",     "curr1_input", "curr1_max",    "fan1_input", NULL,
};

static const char *const narrow_class[] = { "tt_heartbeat", "tt_therm_trip_count", NULL };
static const char *const narrow_hwmon[] = { "temp1_input", "power1_input", NULL };
static const char *const wide_hwmon[] = { "temp1_input", "power1_input", "fan1_input", NULL };
static const char *const wide_class[] = {
	"tt_aiclk",
	"tt_heartbeat",
	"tt_therm_trip_count",
	"device/current_link_speed",
	"device/current_link_width",
	COUNTERS,
	NULL,
};

static const struct show shows[] = {
	{ "table", table_class, table_hwmon, true, true, false },
	{ "json", json_class, json_hwmon, true, true, true },
	{ "query", none, query_hwmon, false, false, false },
	{ "list", list_class, none, true, false, false },
	{ "narrow", narrow_class, narrow_hwmon, false, false, false },
	{ "wide", wide_class, wide_hwmon, false, false, false },
};

static struct {
	int pids[MAX_HOLDERS];
	size_t n_pids;
} holders;

/* Descriptors of a refresh; none are kept if keep is false. */
static struct {
	bool keep;
	int *fds;
	size_t count;
} kept;

static void fail(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

static void keep_open(int fd)
{
	kept.fds = reallocarray(kept.fds, kept.count + 1, sizeof(*kept.fds));
	if (!kept.fds)
		fail("memory");
	kept.fds[kept.count++] = fd;
}

/* Older drivers lack a file or two: that costs an open, here as in tt_smi. */
static size_t read_file(int dir, const char *path, void *data, size_t size)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		fail(path);
	n = read(fd, data, size);
	if (n < 0)
		fail(path);
	if (kept.keep)
		keep_open(fd);
	else
		close(fd);
	return (size_t)n;
}

/* Each name of a directory; a short one comes at once, a long one in pieces. */
static void each_name(int fd, void (*visit)(int dir, const char *name, void *arg), void *arg)
{
	_Alignas(struct dirent64) char entries[8192];
	long n;

	do {
		n = syscall(SYS_getdents64, fd, entries, sizeof(entries));
		for (long at = 0; at < n;) {
			const struct dirent64 *entry = (const void *)(entries + at);

			at += entry->d_reclen;
			if (entry->d_name[0] != '.')
				visit(fd, entry->d_name, arg);
		}
	} while (n > (long)sizeof(entries) / 2);
}

static int open_directory(int dir, const char *path)
{
	int fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		fail(path);
	return fd;
}

/* ---- devices ---- */

static void read_files(int dir, const char *const *files)
{
	char text[64];

	for (; *files; files++)
		read_file(dir, *files, text, sizeof(text));
}

static void read_hwmon(int hwmon, const char *name, void *arg)
{
	const struct show *show = arg;
	int dir = open_directory(hwmon, name);

	read_files(dir, show->hwmon_files);
	close(dir);
}

static void read_device(int class, const char *name, void *arg)
{
	const struct show *show = arg;
	int dir = open_directory(class, name), hwmon;
	char link[256];

	if (show->bdf && readlinkat(dir, "device", link, sizeof(link)) < 0)
		fail(name);
	read_files(dir, show->class_files);
	if (show->hwmon_files[0]) {
		hwmon = open_directory(dir, "device/hwmon");
		each_name(hwmon, read_hwmon, arg);
		close(hwmon);
	}
	close(dir);
}

/* ---- processes ---- */

static void add_holder(int pid)
{
	for (size_t i = 0; i < holders.n_pids; i++)
		if (holders.pids[i] == pid)
			return;
	if (pid > 0 && holders.n_pids < MAX_HOLDERS)
		holders.pids[holders.n_pids++] = pid;
}

static void read_pids(int driver, const char *name, void *arg)
{
	char path[64], text[4096], *at = text;

	(void)arg;
	snprintf(path, sizeof(path), "%s/pids", name);
	text[read_file(driver, path, text, sizeof(text) - 1)] = '\0';
	while (*at) {
		add_holder((int)strtol(at, &at, 10));
		at += *at == '\n';
	}
}

/* Descriptors are links; some of them lead to a device. */
static void read_descriptor(int dir, const char *name, void *arg)
{
	bool *found = arg;
	char target[256];
	ssize_t n = readlinkat(dir, name, target, sizeof(target) - 1);

	if (n < 0)
		return;
	target[n] = '\0';
	*found |= strstr(target, "/dev/tenstorrent/") != NULL;
}

static bool read_descriptors(int proc, const char *pid)
{
	bool found = false;
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "%.20s/fd", pid);
	fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false; /* another user's, or gone */
	each_name(fd, read_descriptor, &found);
	close(fd);
	return found;
}

static void walk_process(int proc, const char *name, void *arg)
{
	(void)arg;
	if (name[0] >= '1' && name[0] <= '9' && read_descriptors(proc, name))
		add_holder(atoi(name));
}

static void read_process(int proc, int pid, const struct show *show, bool walked)
{
	static const char *const files[] = { "stat", "status", "cmdline", "cgroup" };
	char path[48], text[4096];

	snprintf(path, sizeof(path), "%d", pid);
	if (!walked)
		read_descriptors(proc, path);
	for (size_t i = 0; i < (show->owner ? 4 : 3); i++) {
		snprintf(path, sizeof(path), "%d/%s", pid, files[i]);
		read_file(proc, path, text, sizeof(text));
	}
}

static void read_lists(int root)
{
	int driver = open_directory(root, "proc/driver/tenstorrent");

	each_name(driver, read_pids, NULL);
	close(driver);
}

static void read_processes(int root, const struct show *show, bool walk)
{
	int proc = open_directory(root, "proc");

	if (walk)
		each_name(proc, walk_process, NULL);
	else
		read_lists(root);
	for (size_t i = 0; i < holders.n_pids; i++)
		read_process(proc, holders.pids[i], show, walk);
	close(proc);
}

/* ---- memory ---- */

static void read_shm(int dir, const char *name, void *arg)
{
	char data[16384];

	(void)arg;
	if (strncmp(name, "tt_device_", strlen("tt_device_")) == 0)
		read_file(dir, name, data, sizeof(data));
}

/* ---- the rest ---- */

static void read_host(int root)
{
	time_t now = time(NULL);
	struct winsize size;
	struct tm local;
	char text[64];

	localtime_r(&now, &local);
	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	read_file(root, "simulated", text, sizeof(text));
	read_file(root, "sys/module/tenstorrent/version", text, sizeof(text));
}

static void refresh(unsigned times)
{
	static const struct timespec period = { .tv_nsec = 100000000 };
	char text[64];

	for (; times; times--) {
		nanosleep(&period, NULL);
		for (size_t i = 0; i < kept.count; i++)
			if (pread(kept.fds[i], text, sizeof(text), 0) < 0)
				fail("refresh");
	}
}

static void write_text(size_t bytes)
{
	char *text = malloc(bytes + 1);

	if (!text)
		fail("memory");
	memset(text, '-', bytes);
	if (write(STDOUT_FILENO, text, bytes) != (ssize_t)bytes)
		fail("standard output");
	free(text);
}

static const struct show *find_show(const char *name)
{
	for (size_t i = 0; i < sizeof(shows) / sizeof(*shows); i++)
		if (strcmp(shows[i].name, name) == 0)
			return &shows[i];
	fprintf(stderr, "floor: --show %s: no such output\n", name);
	exit(2);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "root", required_argument, NULL, 'r' },
		{ "show", required_argument, NULL, 's' },
		{ "walk", no_argument, NULL, 'w' },
		{ "bytes", required_argument, NULL, 'b' },
		{ "again", required_argument, NULL, 'a' },
		{ 0 },
	};
	const struct show *show = &shows[0];
	const char *path = "/";
	size_t bytes = 0;
	unsigned again = 0;
	bool walk = false;
	int c, root, dir;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1)
		switch (c) {
		case 'r': path = optarg; break;
		case 's': show = find_show(optarg); break;
		case 'w': walk = true; break;
		case 'b': bytes = strtoul(optarg, NULL, 10); break;
		case 'a':
			again = (unsigned)strtoul(optarg, NULL, 10);
			kept.keep = true;
			break;
		default: return 2;
		}
	root = open_directory(AT_FDCWD, path);
	read_host(root);
	dir = open_directory(root, "sys/class/tenstorrent");
	each_name(dir, read_device, (void *)(uintptr_t)show);
	close(dir);
	if (show->processes) {
		read_processes(root, show, walk);
		dir = open_directory(root, "dev/shm");
		each_name(dir, read_shm, NULL);
		close(dir);
	}
	if (kept.keep)
		read_lists(root);
	refresh(again);
	write_text(bytes);
	return 0;
}
