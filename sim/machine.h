/* The simulated machine: its options, and the state of each device. */
#pragma once

#include "board.h"
#include "fault.h"
#include "tree.h"
#include "version.h"
#include "workload.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define MAX_FAULTS 128
#define COUNTERS   12
#define MAJOR	   246u /* major number of the device nodes; dynamic on a real machine */

/* Words that firmware publishes; all ones when the chip is off the bus. */
enum telemetry {
	T_SERIAL_HIGH,
	T_SERIAL_LOW,
	T_ASIC_HIGH,
	T_ASIC_LOW,
	T_AICLK,
	T_AXICLK,
	T_ARCCLK,
	T_BUNDLE,
	T_M3APP,
	T_M3BL,
	T_ARCFW,
	T_ETHFW,
	T_TTFLASH,
	T_HEARTBEAT,
	T_TRIPS,
	T_TEMP,	    /* 16.16 fixed point */
	T_TEMP_MAX, /* whole degrees */
	T_MILLIVOLTS,
	T_VOLT_LIMITS, /* upper half: maximum */
	T_AMPERES,
	T_AMPERES_MAX,
	T_WATTS,
	T_WATTS_MAX,
	T_FAN,
	T_WORDS,
};

/* A file that changes, kept open because its mode forbids writing. */
struct live_file {
	const struct attr *attr;
	int fd;
	char text[64]; /* its current content */
};

struct sim_holder {
	pid_t pid;
	char comm[16];
};

/* Where a device should be. */
enum place_on_bus {
	PLACE_SERVED,  /* bound to the driver */
	PLACE_UNBOUND, /* on the bus without a driver */
	PLACE_VFIO,    /* on the bus, bound to vfio-pci */
	PLACE_GONE,
};

struct sim_device {
	struct slot slot;
	char bdf[16];	    /* 0000:01:00.0 */
	char directory[96]; /* of the PCI device, below sys */
	uint32_t words[T_WORDS];
	uint32_t counters[COUNTERS];
	struct {
		double load; /* 0 to 1 */
		double watts;
		double celsius;
		double rpm;
		double heartbeats;
		double carry[COUNTERS]; /* fractions not counted yet */
	} physics;
	enum place_on_bus place;
	bool on_bus;	    /* in the tree, as a PCI device */
	bool present;	    /* and served by the driver */
	const char *driver; /* bound to it; NULL: none */
	bool has_telemetry; /* its tt_* files and hwmon are in the tree */
	bool off_bus;	    /* all reads return ones */
	bool in_reset;
	unsigned incarnation; /* number of times it left the bus */
	struct live_file *files;
	size_t file_count;
	int pids_fd;
	int mappings_fd;
	struct sim_holder *holders; /* open file descriptions, newest last */
	size_t holder_count;
};

struct sim_options {
	const char *directory; /* NULL: a new temporary one */
	char **command;	       /* NULL: none */
	const char *boards;
	struct version driver;
	struct version firmware;
	uint64_t seed;
	unsigned interval_ms;
	bool write_once; /* --static */
	bool has_time;
	int64_t time;	  /* seconds since 1970 */
	uint32_t after_s; /* --static: how long the machine has been running */
	int load;	  /* per cent; -1: a slow wave */
	bool no_workloads;
	struct workload workloads[MAX_WORKLOADS];
	size_t workload_count;
	struct fault faults[MAX_FAULTS];
	size_t fault_count;
	uint32_t fleet;	    /* machines whose metrics are served; 0: none */
	const char *listen; /* where; NULL: at the default address */
	bool help, version; /* print and exit */
};

struct machine {
	struct sim_options opt;
	struct sim_device devices[MAX_DEVICES];
	size_t device_count;
	unsigned next_hwmon;
	int64_t now_ms; /* since the start */
	bool has_fuse;
	struct tree root; /* DIR */
	struct tree sys;  /* DIR/sys, or the directory behind the mount */
	struct tree proc; /* DIR/proc/driver, or the directory behind the mount */
	int refcnt_fd;	  /* the module's count of open files */
};

/* NULL if there is no device with that number. */
struct sim_device *machine_device(struct machine *m, unsigned number);

/* Where it should be now. */
enum place_on_bus machine_place(const struct machine *m, const struct sim_device *d);

/* Updates whether it is off the bus or in a reset now. */
void machine_judge(const struct machine *m, struct sim_device *d);

/* The first active fault of this kind for the device and, unless attr is NULL, this file. */
const struct fault *machine_fault(const struct machine *m, const struct sim_device *d,
				  enum fault_kind kind, const char *attr);
