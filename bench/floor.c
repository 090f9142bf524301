/*
 * The floor: a program that makes only those system calls without which the table of tt_smi cannot
 * be shown. tt_smi is compared with it.
 *
 *	floor --root DIR [--scan] [--again N]
 *
 *   once        the marker of a simulated tree, the driver's version, the time zone
 *   memory      the directory of shared memory, and each file of TT-Metal
 *   devices     the class directory; per device the one name in its hwmon directory and the
 *               files of the attributes below, the ASIC id only if it is in use
 *   holders     each device's list; with --scan, for drivers that have none, one readlink of
 *               each descriptor of each process in /proc
 *   processes   per holder its command line
 *   at the end  one write of all values as they were read, to prove that they were
 *
 * It does not do what tt_smi has to do in addition: read files that the table does not show, check
 * the driver's lists of holders, keep deadlines, format, close files. It does not use the C
 * library either. It is built twice: "floor" is linked as tt_smi is, so that the C library starts
 * and ends it; "bare_floor" is linked without the C library, so nothing runs before or after this.
 *
 * --again: N refreshes, 100 ms apart. Files stay open and are read with one pread, files of slow
 * values less often, holders and memory once a second; a process is printed once. A scan calls stat
 *for each process through its open directory, and reads only those whose number of descriptors has
 *changed.
 */
#include "bare.h"

#include <asm/ioctls.h>
#include <asm/stat.h>
#include <linux/fcntl.h>
#include <linux/resource.h>
#include <linux/time_types.h>

enum { MAX_DEVICES = 64, MAX_FILES = 64, MAX_PID = 1 << 22 };

enum { PROCESSES_EVERY = 10 }; /* samples */

/* A file of a device. */
struct floor_attribute {
	const char *name;
	enum { IN_CLASS, IN_HWMON } where;
	unsigned every; /* read in every nth sample; 0: in the first one only */
};

enum { CARD, TEMPERATURE, POWER, TEMPERATURE_MAX, POWER_MAX, TRIPS, HEARTBEAT, N_ATTRIBUTES };

static const struct floor_attribute attributes[N_ATTRIBUTES] = {
	[CARD] = { "tt_card_type", IN_CLASS, 0 },
	[TEMPERATURE] = { "temp1_input", IN_HWMON, 1 },
	[POWER] = { "power1_input", IN_HWMON, 1 },
	[TEMPERATURE_MAX] = { "temp1_max", IN_HWMON, 100 }, /* for the line about a hot device */
	[POWER_MAX] = { "power1_max", IN_HWMON, 100 },
	[TRIPS] = { "tt_therm_trip_count", IN_CLASS, 50 },
	[HEARTBEAT] = { "tt_heartbeat", IN_CLASS, 20 }, /* for the line about hung firmware */
};

struct floor_device {
	int fds[N_ATTRIBUTES];
	char values[N_ATTRIBUTES][32]; /* as read, with the newline */
	int dir;		       /* in the class directory */
	int pids;		       /* descriptor of the list of holders; -1: none */
};

static struct floor_device devices[MAX_DEVICES];
static int memory_files[MAX_FILES];
static unsigned n_devices, n_memory_files;
static int root, proc, scan, loops;
static uint64_t again, sample;

/*
 * Per process: the number of descriptors when it was last read, the directory of them, if it is
 * open, and was it printed?
 */
static uint32_t descriptors[MAX_PID];
static int directories[MAX_PID];
static unsigned char printed[MAX_PID];

static int most_kept; /* descriptors from here on are not kept */

/* The process that is being read: the number of its descriptors, and was a device among them? */
static uint32_t n_descriptors;
static int found;

static char out[1 << 20], *end = out;

static void print(const char *text)
{
	end = text_append(end, text);
}

static void flush(void)
{
	sys(__NR_write, 1, (long)out, end - out, 0);
	end = out;
}

/* ---- devices ---- */

static int is_needed(unsigned attribute)
{
	return attribute != HEARTBEAT || loops;
}

static void open_attributes(int dir, int where)
{
	struct floor_device *device = &devices[n_devices];

	for (unsigned i = 0; i < N_ATTRIBUTES; i++)
		if ((int)attributes[i].where == where)
			device->fds[i] =
				is_needed(i) ? open_at(dir, attributes[i].name, O_RDONLY) : -1;
}

static void open_hwmon(int hwmon, const char *name)
{
	open_attributes(must_open(hwmon, name, O_PATH), IN_HWMON);
}

static void open_device(int class, const char *name)
{
	static _Alignas(8) char entries[1024];
	int dir = must_open(class, name, O_PATH);
	char path[64], *at = text_append(path, "driver/tenstorrent/");

	if (n_devices == MAX_DEVICES)
		fail(name);
	devices[n_devices].dir = dir;
	open_attributes(dir, IN_CLASS);
	each_name(must_open(dir, "device/hwmon", O_RDONLY), entries, sizeof(entries), open_hwmon);
	at = text_append(at, name + text_length("tenstorrent!"));
	text_append(at, "/pids");
	devices[n_devices].pids = scan ? -1 : open_at(proc, path, O_RDONLY);
	n_devices++;
}

/* Drivers differ in what they offer: a missing file reads as "". */
static void print_device(struct floor_device *device)
{
	for (unsigned i = 0; i < N_ATTRIBUTES; i++) {
		unsigned every = attributes[i].every;

		if (device->fds[i] >= 0 && (every ? sample % every == 0 : sample == 0))
			read_again(device->fds[i], device->values[i], sizeof(device->values[i]));
		print(device->values[i]);
	}
}

/* ---- processes ---- */

/* The command line is read once. */
static void print_holder(unsigned pid)
{
	char path[32], name[256];
	int fd;

	if (printed[pid])
		return;
	printed[pid] = 1;
	if (end > out + sizeof(out) / 2)
		flush();
	text_append(number_append(path, pid), "/cmdline");
	fd = read_at(proc, path, name, sizeof(name));
	sys(__NR_close, fd, 0, 0, 0); /* there may be more processes than descriptors */
	end = number_append(end, pid);
	print(" ");
	print(name);
	print("\n");
}

/*
 * Reads a list of any length; a number may be split between two reads. Returns whether it has any.
 */
static int print_listed(int pids)
{
	static char text[1 << 16];
	long n, at = 0;

	do {
		const char *next = text;

		n = sys(__NR_pread64, pids, (long)text, sizeof(text) - 1, at);
		text[n > 0 ? n : 0] = '\0';
		while (*next) {
			const char *line = next;
			uint64_t pid = number_take(&next);

			if (*next != '\n') {
				n = line - text;
				break;
			}
			next++;
			if (pid < MAX_PID)
				print_holder((unsigned)pid);
		}
		at += n;
	} while (n > (long)sizeof(text) / 2);
	return at > 0;
}

/* Assigns a file of memory to the device. */
static void print_id(const struct floor_device *device)
{
	char id[32];

	read_at(device->dir, "tt_asic_id", id, sizeof(id));
	print(id);
}

static void check_descriptor(int dir, const char *name)
{
	char target[256];
	long n = sys(__NR_readlinkat, dir, (long)name, (long)target, sizeof(target) - 1);

	n_descriptors++;
	if (n <= 0)
		return;
	target[n] = '\0';
	for (const char *at = target; *at; at++)
		if (text_begins(at, "/dev/tenstorrent/"))
			found = 1;
}

/* As far as descriptors suffice, its directory is open. */
static int is_unchanged(int dir, uint64_t pid)
{
	struct stat st;
	char path[32];
	long r;

	if (directories[pid]) {
		r = sys(__NR_fstat, directories[pid], (long)&st, 0, 0);
	} else {
		text_append(number_append(path, pid), "/fd");
		r = sys(__NR_newfstatat, dir, (long)path, (long)&st, 0);
	}
	return r == 0 && st.st_size == descriptors[pid];
}

static void keep(int fd, uint64_t pid)
{
	if (again && fd < most_kept)
		directories[pid] = fd;
	else
		sys(__NR_close, fd, 0, 0, 0);
}

static void check_process(int dir, const char *name)
{
	static _Alignas(8) char entries[1 << 16];
	const char *rest = name;
	uint64_t pid = number_take(&rest);
	char path[32];
	int fd;

	if (*rest || pid == 0 || pid >= MAX_PID)
		return;
	if (descriptors[pid] && is_unchanged(dir, pid))
		return;
	text_append(number_append(path, pid), "/fd");
	fd = open_at(dir, path, O_RDONLY);
	if (fd < 0)
		return; /* not permitted, or it has exited */
	found = 0;
	n_descriptors = 0;
	each_name(fd, entries, sizeof(entries), check_descriptor);
	keep(fd, pid);
	descriptors[pid] = n_descriptors;
	if (found)
		print_holder((unsigned)pid);
}

/* Three quarters of what is permitted; the rest is for devices. */
static void raise_limit(void)
{
	struct rlimit64 limit;

	sys(__NR_prlimit64, 0, RLIMIT_NOFILE, 0, (long)&limit);
	limit.rlim_cur = limit.rlim_max < 65536 ? limit.rlim_max : 65536;
	sys(__NR_prlimit64, 0, RLIMIT_NOFILE, (long)&limit, 0);
	most_kept = (int)(limit.rlim_cur / 4 * 3);
}

static void print_scanned(void)
{
	static _Alignas(8) char entries[1 << 18];
	static int list = -1;

	if (list < 0 && again)
		raise_limit();
	if (list < 0)
		list = must_open(proc, ".", O_RDONLY);
	else
		sys(__NR_lseek, list, 0, 0, 0);
	each_name(list, entries, sizeof(entries), check_process);
}

/* ---- memory ---- */

static void open_memory(int dir, const char *name)
{
	if (text_begins(name, "tt_device_") && n_memory_files < MAX_FILES)
		memory_files[n_memory_files++] = must_open(dir, name, O_RDONLY);
}

/* Prints the sums of a device: DRAM, L1. */
static void print_memory(int fd)
{
	static _Alignas(8) char data[16384];
	const uint64_t *sums = (const void *)(data + 48);

	sys(__NR_pread64, fd, (long)data, sizeof(data), 0);
	end = number_append(end, sums[0]);
	print(" ");
	end = number_append(end, sums[1]);
	print("\n");
}

/* ---- samples ---- */

static void open_all(void)
{
	static _Alignas(8) char entries[1 << 16];
	static char zone[4096];
	char version[32];

	sys(__NR_ioctl, 1, TIOCGWINSZ, (long)zone, 0);
	sys(__NR_faccessat, root, (long)"simulated", 0, 0);
	read_at(AT_FDCWD, "/etc/localtime", zone, sizeof(zone));
	read_at(root, "sys/module/tenstorrent/version", version, sizeof(version));
	print(version);
	proc = must_open(root, "proc", O_PATH);
	each_name(must_open(root, "dev/shm", O_RDONLY), entries, sizeof(entries), open_memory);
	each_name(must_open(root, "sys/class/tenstorrent", O_RDONLY), entries, sizeof(entries),
		  open_device);
}

static void print_processes(void)
{
	for (unsigned i = 0; i < n_devices; i++) {
		int used = scan || print_listed(devices[i].pids);

		if (used && n_memory_files && sample == 0)
			print_id(&devices[i]);
	}
	if (scan)
		print_scanned();
	for (unsigned i = 0; i < n_memory_files; i++)
		print_memory(memory_files[i]);
}

static void print_all(void)
{
	for (unsigned i = 0; i < n_devices; i++)
		print_device(&devices[i]);
	if (sample % PROCESSES_EVERY == 0)
		print_processes();
	flush();
}

static void parse_arguments(const char *const *argument)
{
	for (; *argument; argument++) {
		const char *number = argument[1];

		if (text_begins(*argument, "--scan"))
			scan = 1;
		else if (text_begins(*argument, "--root") && argument[1])
			root = must_open(AT_FDCWD, *++argument, O_PATH);
		else if (text_begins(*argument, "--again") && *++argument)
			loops = 1, again = number_take(&number);
		else
			fail("arguments");
	}
}

/* arguments: after the name of the program, up to NULL. */
static _Noreturn void run(const char *const *arguments)
{
	static const struct __kernel_timespec period = { .tv_nsec = 100000000 };

	parse_arguments(arguments);
	open_all();
	for (print_all(); sample < again; print_all()) {
		sys(__NR_nanosleep, (long)&period, 0, 0, 0);
		sample++;
	}
	leave(0);
}

#ifdef BARE

BARE_START(floor_start);

/* Called by _start. stack: the initial stack, with argc and argv. */
__attribute__((used)) static _Noreturn void floor_start(const long *stack)
{
	run((const void *)(stack + 2));
}

#else

int main(int argc, char **argv)
{
	(void)argc;
	run((const char *const *)argv + 1);
}

#endif
